// SPDX-License-Identifier: MIT
// The module's memory: structs in and out by the generated table, texts, arrays, and scratch memory that
// ends with the call it was taken for. No view of the memory is kept: growth detaches views.
import { enums, structs, type EnumName, type Field, type Functions, type StructName } from './generated/layout.js';

export interface Exports extends Functions {
    memory: WebAssembly.Memory;
    malloc(size: number): number;
    free(pointer: number): void;
    _initialize(): void;
    js_host(): number;
    js_model_hooks(desc: number, progress: number, sizeAt: number, widthAt: number): void;
    js_scene_hooks(options: number): void;
}

export type Numbers = ArrayLike<number>;
/** What struct fields are in JavaScript; nested structs are nested objects. */
export type Fields = Record<string, any>;

const SCRATCH = 1 << 16;
const VECTOR = ['x', 'y', 'z', 'w'];
const names: Partial<Record<EnumName, Map<number, string>>> = {};

/** Scratch memory of one call; it is given back when the call ends. */
export interface Scratch {
    take(bytes: number): number;
    struct(name: StructName, count?: number): number;
    text(text: string): number;
    floats(values: Numbers): number;
    doubles(values: Numbers): number;
    integers(values: Numbers): number;
    bytes(values: Uint8Array): number;
}

export class Heap {
    private readonly scratch: number;
    private used = 0;
    private view: DataView;

    constructor(readonly c: Exports) {
        this.view = new DataView(c.memory.buffer);
        this.scratch = this.allocate(SCRATCH);
    }

    allocate(bytes: number): number {
        const pointer = this.c.malloc(Math.max(bytes, 16));
        if (pointer === 0) {
            throw new RangeError(`limber: no memory for ${bytes} bytes`);
        }
        return pointer;
    }

    get data(): DataView {
        if (this.view.buffer !== this.c.memory.buffer) {
            this.view = new DataView(this.c.memory.buffer);
        }
        return this.view;
    }

    f32 = (pointer: number, count: number) => new Float32Array(this.c.memory.buffer, pointer, count);
    f64 = (pointer: number, count: number) => new Float64Array(this.c.memory.buffer, pointer, count);
    i32 = (pointer: number, count: number) => new Int32Array(this.c.memory.buffer, pointer, count);
    u32 = (pointer: number, count: number) => new Uint32Array(this.c.memory.buffer, pointer, count);
    u16 = (pointer: number, count: number) => new Uint16Array(this.c.memory.buffer, pointer, count);
    u8 = (pointer: number, count: number) => new Uint8Array(this.c.memory.buffer, pointer, count);
    pointerAt = (pointer: number) => this.data.getUint32(pointer, true);
    integerAt = (pointer: number) => this.data.getInt32(pointer, true);

    text(pointer: number): string {
        if (pointer === 0) {
            return '';
        }
        const all = new Uint8Array(this.c.memory.buffer);
        return new TextDecoder().decode(all.subarray(pointer, all.indexOf(0, pointer)));
    }

    /** Runs `call` with scratch memory; calls may lie in each other. */
    scope<T>(call: (scratch: Scratch) => T): T {
        const mark = this.used;
        const large: number[] = [];
        const take = (bytes: number) => {
            const size = (bytes + 15) & ~15;
            if (size > SCRATCH / 4 || this.used + size > SCRATCH) {
                const pointer = this.allocate(bytes);
                large.push(pointer);
                return pointer;
            }
            const pointer = this.scratch + this.used;
            this.used += size;
            return pointer;
        };
        const put = <A extends { set(values: Numbers): void }>(pointer: number, array: A, values: Numbers) => {
            array.set(values);
            return pointer;
        };
        const scratch: Scratch = {
            take,
            struct: (name, count = 1) => {
                const bytes = structs[name][0] * count;
                const pointer = take(bytes);
                this.u8(pointer, bytes).fill(0);
                return pointer;
            },
            text: (text) => {
                const bytes = new TextEncoder().encode(text);
                const pointer = take(bytes.length + 1);
                this.u8(pointer, bytes.length).set(bytes);
                this.data.setUint8(pointer + bytes.length, 0);
                return pointer;
            },
            floats: (values) => { const p = take(4 * values.length); return put(p, this.f32(p, values.length), values); },
            doubles: (values) => { const p = take(8 * values.length); return put(p, this.f64(p, values.length), values); },
            integers: (values) => { const p = take(4 * values.length); return put(p, this.u32(p, values.length), values); },
            bytes: (values) => { const p = take(values.length); return put(p, this.u8(p, values.length), values); },
        };
        try {
            return call(scratch);
        } finally {
            this.used = mark;
            for (const pointer of large) {
                this.c.free(pointer);
            }
        }
    }

    private fields(name: StructName): readonly Field[] {
        return structs[name][1] as readonly Field[];
    }

    /** The struct at a pointer as an object. Pointers and cookies are left out. */
    read<T = Fields>(name: StructName, pointer: number): T {
        const out: Fields = {};
        for (const [field, type, offset, count] of this.fields(name)) {
            if (type === 'ptr' || field === 'cookie') {
                continue;
            }
            const at = pointer + offset;
            if (type === 'u8') {
                out[field] = this.text(at);
            } else {
                const size = this.sizeOf(type);
                out[field] = count ? Array.from({ length: count }, (_, i) => this.readOne(type, at + i * size)) : this.readOne(type, at);
            }
        }
        return out as T;
    }

    private sizeOf(type: string): number {
        return type in structs ? structs[type as StructName][0] : { f64: 8, i64: 8, u64: 8, bool: 1, u8: 1 }[type] ?? 4;
    }

    private readOne(type: string, at: number): unknown {
        const data = this.data;
        switch (type) {
        case 'f32': return data.getFloat32(at, true);
        case 'f64': return data.getFloat64(at, true);
        case 'i32': return data.getInt32(at, true);
        case 'u32': return data.getUint32(at, true);
        case 'i64': return Number(data.getBigInt64(at, true));
        case 'u64': return Number(data.getBigUint64(at, true));
        case 'bool': return data.getUint8(at) !== 0;
        case 'str': return this.text(data.getUint32(at, true));
        default: return type in structs ? this.read(type as StructName, at) : nameOf(type as EnumName, data.getInt32(at, true));
        }
    }

    /** Sets the fields that `values` has; throws for one that the struct has not. */
    write(name: StructName, pointer: number, values: object): void {
        const fields = this.fields(name);
        for (const [key, value] of Object.entries(values)) {
            if (value === undefined) {
                continue;
            }
            const field = fields.find(([f, type]) => f === key && f !== 'cookie' && type !== 'ptr' && type !== 'str');
            if (field === undefined) {
                const known = fields.filter(([f, type]) => f !== 'cookie' && type !== 'ptr' && type !== 'str').map(([f]) => f);
                throw new TypeError(`limber: '${key}' is not one of ${known.join(', ')}`);
            }
            const [, type, offset, count] = field;
            if (count) {
                Array.from(value as Numbers).slice(0, count).forEach((v, i) => this.writeOne(key, type, pointer + offset + i * this.sizeOf(type), v));
            } else {
                this.writeOne(key, type, pointer + offset, value);
            }
        }
    }

    private writeOne(key: string, type: string, at: number, value: any): void {
        const data = this.data;
        switch (type) {
        case 'f32': return data.setFloat32(at, number(key, value), true);
        case 'f64': return data.setFloat64(at, number(key, value), true);
        case 'i32': return data.setInt32(at, number(key, value), true);
        case 'u32': return data.setUint32(at, number(key, value), true);
        case 'i64':
        case 'u64': return data.setBigInt64(at, BigInt(value), true);
        case 'bool': return data.setUint8(at, value ? 1 : 0);
        }
        if (!(type in structs)) {
            return data.setInt32(at, valueOf(type as EnumName, key, value), true);
        }
        if (type === 'lim_vec3' || type === 'lim_point' || type === 'lim_quat') {
            this.fields(type).forEach(([, code, offset], i) => {
                this.writeOne(`${key}.${VECTOR[i]}`, code, at + offset, Array.isArray(value) || ArrayBuffer.isView(value) ? (value as any)[i] : value?.[VECTOR[i]!]);
            });
            return;
        }
        this.write(type as StructName, at, value);
    }

    offsetOf(name: StructName, field: string): number {
        return this.fields(name).find(([f]) => f === field)![2];
    }

    setPointer(name: StructName, pointer: number, field: string, value: number): void {
        this.data.setUint32(pointer + this.offsetOf(name, field), value, true);
    }

    pointer(name: StructName, pointer: number, field: string): number {
        return this.pointerAt(pointer + this.offsetOf(name, field));
    }
}

function number(key: string, value: unknown): number {
    if (typeof value !== 'number') {
        throw new TypeError(`limber: '${key}' takes a number, not ${value === undefined ? 'nothing' : `a ${typeof value}`}`);
    }
    return value;
}

export function nameOf(type: EnumName, value: number): string {
    const map = (names[type] ??= new Map(Object.entries(enums[type] as Record<string, number>).map(([n, v]) => [v, n])));
    return map.get(value) ?? String(value);
}

export function valueOf(type: EnumName, key: string, name: unknown): number {
    const all = enums[type] as Record<string, number>;
    const value = Object.hasOwn(all, String(name)) ? all[String(name)] : undefined;
    if (value === undefined) {
        throw new TypeError(`limber: '${key}' is one of ${Object.keys(all).join(', ')}; not '${String(name)}'`);
    }
    return value;
}

export function namesOf(type: EnumName): string[] {
    return Object.keys(enums[type]);
}

export function sizeOf(name: StructName): number {
    return structs[name][0];
}
