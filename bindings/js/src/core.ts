// SPDX-License-Identifier: MIT
// One instance of the module with its hooks: what the log says, callbacks into JavaScript, errors.
import { Heap, nameOf, sizeOf, valueOf, type Exports, type Scratch } from './heap.js';
import type { StructName } from './generated/layout.js';
import type * as T from './generated/types.js';

export type Vec3Like = Readonly<T.Vec3> | readonly [number, number, number];
export type QuatLike = Readonly<T.Quat> | readonly [number, number, number, number];
/** What a call takes: some of the fields; places and turns also as arrays. */
export type Options<T_> = {
    [K in keyof T_]?: T_[K] extends T.Quat ? QuatLike
        : T_[K] extends T.Vec3 ? Vec3Like
        : T_[K] extends readonly unknown[] | string | number | boolean ? T_[K]
        : Options<T_[K]>;
};
export type Log = (level: T.LogLevel, text: string) => void;
export type Progress = (done: number, stage: string) => boolean | void;
export type Wish = (place: T.Vec3, edge: number) => number;

/** A call that the library has refused: it has changed nothing. The text names the cause and the cure. */
export class LimberError extends Error {
    override name = 'LimberError';
    constructor(readonly code: string, message: string) {
        super(message);
    }
}

const dispose: typeof Symbol.dispose = (Symbol.dispose ?? Symbol.for('Symbol.dispose')) as typeof Symbol.dispose;

/** What owns memory of the module until `dispose()` (or the end of a `using` block). */
export abstract class Owned {
    private at: number;
    constructor(readonly core: Core, pointer: number) {
        this.at = pointer;
    }
    /** The address in the module's memory; throws once it was disposed of. */
    get pointer(): number {
        if (this.at === 0) {
            throw new LimberError('DISPOSED', `this ${this.constructor.name} was disposed of`);
        }
        return this.at;
    }
    get disposed(): boolean {
        return this.at === 0;
    }
    protected abstract free(pointer: number): void;
    dispose(): void {
        if (this.at !== 0) {
            const pointer = this.at;
            this.at = 0;
            this.free(pointer);
        }
    }
    [dispose](): void {
        this.dispose();
    }
}

export class Core {
    readonly heap: Heap;
    readonly host: number;
    private said = '';
    private thrown: unknown[] = [];
    progress: Progress | undefined;
    sizeAt: Wish | undefined;
    widthAt: Wish | undefined;
    meshAt: ((path: string) => number) | undefined;

    constructor(readonly c: Exports, hooks: { core?: Core }, private readonly log: Log) {
        hooks.core = this;
        this.heap = new Heap(c);
        c._initialize();
        this.host = c.js_host();
    }

    /** An exception must not run through the module's frames: it is kept until the call is back. */
    private guard<R>(instead: R, call: () => R): R {
        try {
            return call();
        } catch (error) {
            this.thrown.push(error);
            return instead;
        }
    }

    onLog(level: number, text: number): void {
        const words = this.heap.text(text);
        if (level === valueOf('lim_log_level', 'level', 'error')) {
            this.said = words;
        }
        this.guard(undefined, () => this.log(nameOf('lim_log_level', level) as T.LogLevel, words));
    }

    onProgress(done: number, stage: number): boolean {
        return this.guard(false, () => this.progress?.(done, this.heap.text(stage)) !== false);
    }

    onWish(width: number, x: number, y: number, z: number, edge: number): number {
        return this.guard(0, () => (width ? this.widthAt : this.sizeAt)?.({ x, y, z }, edge) ?? 0);
    }

    onMesh(path: number): number {
        return this.guard(0, () => this.meshAt?.(this.heap.text(path)) ?? 0);
    }

    /** Runs a call with scratch memory and throws what it refuses. */
    call(call: (scratch: Scratch) => number): void {
        this.heap.scope((s) => this.check(call(s)));
    }

    /** A call that answers through a struct. */
    ask<R>(struct: StructName, call: (out: number, scratch: Scratch) => number): R {
        return this.heap.scope((s) => {
            const out = s.struct(struct);
            this.check(call(out, s));
            return this.heap.read<R>(struct, out);
        });
    }

    /** A call that returns a struct. */
    get<R>(struct: StructName, call: (out: number, scratch: Scratch) => void): R {
        return this.ask<R>(struct, (out, s) => {
            call(out, s);
            return 0;
        });
    }

    /** A call that makes something and leaves its address. */
    make(call: (out: number, scratch: Scratch) => number): number {
        return this.heap.scope((s) => {
            const out = s.integers([0]);
            this.check(call(out, s));
            return this.heap.pointerAt(out);
        });
    }

    check(result: number, message = ''): void {
        const [thrown] = this.thrown.splice(0);
        const text = message || this.said;
        this.said = '';
        if (thrown !== undefined) {
            throw thrown;
        }
        if (result !== 0) {
            const code = this.heap.text(this.c.lim_result_name(result));
            throw new LimberError(code, text || code);
        }
    }

    vec3(s: Scratch, value: Vec3Like): number {
        const at = s.struct('lim_vec3');
        this.putVector('lim_vec3', at, value);
        return at;
    }

    point(s: Scratch, value: Vec3Like): number {
        const at = s.struct('lim_point');
        this.putVector('lim_point', at, value);
        return at;
    }

    quat(s: Scratch, value: QuatLike): number {
        const at = s.struct('lim_quat');
        this.putVector('lim_quat', at, value);
        return at;
    }

    points(s: Scratch, values: readonly Vec3Like[]): number {
        return s.doubles(values.flatMap((v) => ('x' in v ? [v.x, v.y, v.z] : [...v])));
    }

    private putVector(struct: StructName, at: number, value: Vec3Like | QuatLike): void {
        const [x, y, z, w] = 'x' in value ? [value.x, value.y, value.z, 'w' in value ? value.w : 0] : value;
        this.heap.write(struct, at, struct === 'lim_quat' ? { x, y, z, w } : { x, y, z });
    }

    /** Zones with their defaults, one after the other. */
    zones(s: Scratch, zones: readonly Options<T.Zone>[]): number {
        const at = s.struct('lim_zone', zones.length);
        zones.forEach((zone, i) => {
            const one = at + i * sizeOf('lim_zone');
            this.c.lim_zone_default(one);
            this.heap.write('lim_zone', one, zone);
        });
        return at;
    }

    /** Bytes of something that is saved: asked for their number first. */
    bytes(save: (out: number, capacity: number, size: number) => number): Uint8Array {
        return this.heap.scope((s) => {
            const size = s.integers([0]);
            this.check(save(0, 0, size));
            const count = this.heap.pointerAt(size);
            const out = s.take(count);
            this.check(save(out, count, size));
            return this.heap.u8(out, count).slice();
        });
    }
}
