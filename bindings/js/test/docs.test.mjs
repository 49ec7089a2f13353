// SPDX-License-Identifier: MIT
// The snippets of docs/js.md and of the package's README are programs: they run, and their types are strict.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { here, root } from './kit.mjs';

mkdirSync(join(root, 'build'), { recursive: true });
const folder = mkdtempSync(join(root, 'build/js-docs-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(here, join(folder, 'node_modules/limber'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

function program(page) {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((m) => m[1]);
    assert.ok(blocks.length > 0, `${page} has no snippet`);
    return blocks.join('\n');
}

for (const [name, page] of [['js', 'docs/js.md'], ['readme', 'bindings/js/README.md']]) {
    test(page, () => {
        writeFileSync(join(folder, `${name}.ts`), `${program(join(root, page))}\nexport {};\n`);
        const tsc = spawnSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '--strict', '--noUncheckedIndexedAccess',
            '--target', 'es2022', '--module', 'nodenext', '--types', '', '--outDir', join(folder, 'out'), join(folder, `${name}.ts`)], { encoding: 'utf8', cwd: folder });
        assert.equal(tsc.stdout + tsc.stderr, '');
        const ran = spawnSync(process.execPath, [join(folder, 'out', `${name}.js`)], { encoding: 'utf8', cwd: folder });
        assert.equal(ran.stderr, '');
        assert.equal(ran.status, 0);
        assert.ok(ran.stdout.length > 0);
    });
}
