// SPDX-License-Identifier: MIT
// layout.mjs ROOT FOLDER: writes layout.ts and types.ts into FOLDER from the C headers of the tree ROOT:
// where the fields of each struct lie, the values of enums, the functions of the module, and for the
// structs that users see a TypeScript type with the header's own comments. Names come from clang's
// syntax tree; sizes, offsets and values are printed by a C program that is compiled for wasm32.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [root, folder] = process.argv.slice(2);
const clang = process.env.LIMBER_CLANG ?? 'clang-19';
const HEADERS = ['limber/base.h', 'limber/mesh.h', 'limber/model.h', 'limber/world.h', 'limber/edit.h', 'limber/io.h'].map((h) => `include/${h}`);
HEADERS.push('scenes/scene.h', 'scenes/models.h');
const OURS = /^(lim|scene|model|box)_/;
const flags = ['--target=wasm32-wasi', '-std=c17', '-I', join(root, 'include'), '-I', root];
const scratch = mkdtempSync(join(tmpdir(), 'limber-layout-'));
const includes = HEADERS.map((h) => `#include "${join(root, h)}"\n`).join('');

// ---- names, from the syntax tree

function declarations() {
    const source = join(scratch, 'all.c');
    writeFileSync(source, includes);
    const tree = JSON.parse(execFileSync(clang, [...flags, '-fsyntax-only', '-Xclang', '-ast-dump=json', source], { maxBuffer: 1 << 28 }));
    const of = (kind) => tree.inner.filter((n) => n.kind === kind && OURS.test(n.name ?? ''));
    const structs = of('RecordDecl').filter((n) => n.completeDefinition);
    return {
        structs: new Map(structs.map((n) => [n.name, n.inner.filter((f) => f.kind === 'FieldDecl').map((f) => ({ name: f.name, type: f.type.qualType }))])),
        callbacks: new Set(of('TypedefDecl').filter((n) => n.type.qualType.includes('(*)')).map((n) => n.name)),
        enums: new Map(of('EnumDecl').map((n) => [n.name, n.inner.filter((c) => c.kind === 'EnumConstantDecl').map((c) => c.name)])),
        functions: new Map(of('FunctionDecl').map((n) => [n.name, {
            returns: n.type.qualType.slice(0, n.type.qualType.indexOf('(')).trim(),
            parameters: (n.inner ?? []).filter((p) => p.kind === 'ParmVarDecl').map((p) => ({ name: p.name, type: p.type.qualType })),
        }])),
    };
}

// ---- numbers, from a program that is compiled for the module's machine

function measure({ structs, enums }) {
    const lines = [];
    for (const [name, fields] of structs) {
        lines.push(`printf("size ${name} %zu\\n", sizeof(struct ${name}));`);
        for (const f of fields) {
            lines.push(`printf("at ${name}.${f.name} %zu\\n", offsetof(struct ${name}, ${f.name}));`);
        }
    }
    for (const constants of enums.values()) {
        lines.push(...constants.map((c) => `printf("is ${c} %d\\n", (int)${c});`));
    }
    const source = join(scratch, 'layout.c'), program = join(scratch, 'layout.wasm');
    writeFileSync(source, `#include <stdio.h>\n${includes}int main(void) {\n${lines.join('\n')}\nreturn 0;\n}\n`);
    execFileSync(clang, [...flags, source, '-o', program], { stdio: 'inherit' });
    const printed = execFileSync(process.execPath, ['--no-warnings', join(root, 'tools/wasm_run.mjs'), program], { encoding: 'utf8' });
    return new Map(printed.trim().split('\n').map((line) => {
        const [what, name, value] = line.split(' ');
        return [`${what} ${name}`, Number(value)];
    }));
}

// ---- what C types are in JavaScript

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, c) => c.toUpperCase());
const pascal = (name) => camel(`_${name.replace(/^lim_(io_)?/, '')}`);
const PLAIN = { float: 'f32', double: 'f64', bool: 'bool', _Bool: 'bool', int32_t: 'i32', uint32_t: 'u32', int64_t: 'i64', uint64_t: 'u64', size_t: 'u32', char: 'u8', uint8_t: 'u8', int: 'i32' };

function codeOf(type, d) {
    const array = /^(.*)\[(\d+)\]$/.exec(type);
    const base = (array ? array[1] : type).trim();
    const count = array ? Number(array[2]) : 0;
    if (/^const char \*(const)?$/.test(base)) return ['str', count];
    if (base.includes('*') || d.callbacks.has(base)) return ['ptr', count];
    const code = PLAIN[base] ?? (d.structs.has(base) || d.enums.has(base) ? base : undefined);
    if (code === undefined) throw new Error(`layout: no JavaScript type for the C type '${type}'`);
    return [code, count];
}

function constantNames(constants) {
    let prefix = constants[0];
    for (const c of constants) {
        while (!c.startsWith(prefix)) prefix = prefix.slice(0, -1);
    }
    prefix = prefix.slice(0, prefix.lastIndexOf('_') + 1);
    return constants.map((c) => camel(c.slice(prefix.length).toLowerCase()));
}

// ---- comments of a struct's fields, from the header's text

function comments(texts, struct) {
    const found = new Map();
    const text = texts.find((t) => t.includes(`typedef struct ${struct} {`));
    if (text === undefined) return found;
    const begin = text.indexOf(`typedef struct ${struct} {`) + `typedef struct ${struct} {`.length;
    const body = text.slice(begin, text.indexOf(`} ${struct};`));
    let leading = '', last = [];
    for (const m of body.matchAll(/\/\*([\s\S]*?)\*\/|((?:[^;/]|\/(?!\*))+;)|(\n[ \t]*\n)/g)) {
        if (m[2] !== undefined) {
            const call = /\(\*\s*(\w+)\)/.exec(m[2]);
            last = call ? [call[1]] : m[2].replace(/;|\[.*?\]/g, '').split(',').map((part) => /(\w+)\s*$/.exec(part.trim())?.[1]).filter(Boolean);
            for (const name of last) found.set(name, leading);
            leading = '';
        } else if (m[1] !== undefined) {
            const words = m[1].replace(/\s*\n\s*\*?\s*/g, ' ').trim();
            const before = body.slice(body.lastIndexOf('\n', m.index), m.index);
            if (before.includes(';')) {
                for (const name of last) found.set(name, words);
            } else {
                leading = words;
            }
        }
    }
    return found;
}

// ---- the two files

function layoutFile(d, numbers) {
    const structs = [...d.structs].map(([name, fields]) => {
        const rows = fields.map((f) => {
            const [code, count] = codeOf(f.type, d);
            return `['${camel(f.name)}','${code}',${numbers.get(`at ${name}.${f.name}`)}${count ? `,${count}` : ''}]`;
        });
        return `    ${name}: [${numbers.get(`size ${name}`)}, [${rows.join(',')}]],`;
    });
    const enums = [...d.enums].map(([name, constants]) => {
        const names = constantNames(constants);
        return `    ${name}: { ${constants.map((c, i) => `${names[i]}: ${numbers.get(`is ${c}`)}`).join(', ')} },`;
    });
    const parameter = (type) => (/^u?int64_t$/.test(type) ? 'bigint' : type === 'bool' || type === '_Bool' ? 'number | boolean' : 'number');
    const functions = [...d.functions].map(([name, f]) => {
        const list = f.parameters.map((p) => `${camel(p.name)}: ${parameter(p.type)}`);
        let returns = f.returns === 'void' ? 'void' : /^u?int64_t$/.test(f.returns) ? 'bigint' : 'number';
        if (d.structs.has(f.returns)) {
            list.unshift('out: number'); // a struct is returned through a pointer in front
            returns = 'void';
        }
        // One of a single number would go by value: the package has no such.
        for (const type of [f.returns, ...f.parameters.map((p) => p.type)]) {
            if (d.structs.get(type)?.length === 1) throw new Error(`layout: ${name}: ${type} has one field`);
        }
        return `    ${name}(${list.join(', ')}): ${returns};`;
    });
    return `// Made by tools/layout.mjs from the C headers.
export type Field = readonly [name: string, type: string, offset: number, count?: number];
export const structs = {
${structs.join('\n')}
} as const satisfies Record<string, readonly [size: number, fields: readonly Field[]]>;
export const enums = {
${enums.join('\n')}
} as const satisfies Record<string, Record<string, number>>;
export type StructName = keyof typeof structs;
export type EnumName = keyof typeof enums;
/** The functions of the module: structs by value are pointers. */
export interface Functions {
${functions.join('\n')}
}
`;
}

const KNOWN = { lim_vec3: 'Vec3', lim_point: 'Vec3', lim_quat: 'Quat', lim_box: 'Box' };
const HIDDEN = new Set(['cookie', 'user']);

function typesFile(d) {
    const texts = HEADERS.map((h) => readFileSync(join(root, h), 'utf8'));
    const blocks = [];
    for (const [name, constants] of d.enums) {
        blocks.push(`export type ${pascal(name)} = ${constantNames(constants).map((c) => `'${c}'`).join(' | ')};`);
    }
    for (const [name, fields] of d.structs) {
        if (KNOWN[name]) continue;
        const notes = comments(texts, name);
        const rows = fields.flatMap((f) => {
            if (HIDDEN.has(f.name)) return [];
            const [code, count] = codeOf(f.type, d);
            if (code === 'ptr') return [];
            const base = { str: 'string', bool: 'boolean', i64: 'number', u64: 'number' }[code] ?? KNOWN[code] ?? (OURS.test(code) ? pascal(code) : 'number');
            const note = notes.get(f.name);
            const type = code === 'u8' ? 'string' : count ? `${base}[]` : base;
            return [...(note ? [`    /** ${note[0].toUpperCase()}${note.slice(1).replaceAll('*/', '* /')} */`] : []), `    ${camel(f.name)}: ${type};`];
        });
        blocks.push(`export interface ${pascal(name)} {\n${rows.join('\n')}\n}`);
    }
    return `// Made by tools/layout.mjs from the C headers: what the structs of the library are in JavaScript.
export interface Vec3 { x: number; y: number; z: number; }
export interface Quat { x: number; y: number; z: number; w: number; }
export interface Box { lower: Vec3; upper: Vec3; }
${blocks.join('\n')}
`;
}

try {
    const d = declarations();
    const numbers = measure(d);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'layout.ts'), layoutFile(d, numbers));
    writeFileSync(join(folder, 'types.ts'), typesFile(d));
} finally {
    rmSync(scratch, { recursive: true });
}
