// SPDX-License-Identifier: MIT
// A body in a world: its motion, skin, material, and what cuts, tears and refines it.
import type { Options, QuatLike, Vec3Like } from './core.js';
import { Handle } from './holds.js';
import { expect, Model } from './model.js';
import { sizeOf, valueOf, type Numbers, type Scratch } from './heap.js';
import type { Core } from './core.js';
import type * as T from './generated/types.js';
import type { Hit, World } from './world.js';

/** A preset by name, some values, or both: `{ preset: 'jelly', friction: 1 }`. */
export type MaterialOptions = T.Preset | (Options<T.Material> & { preset?: T.Preset });
export type BodyOptions = Options<Omit<T.BodyDesc, 'material'>> & { material?: MaterialOptions };
export type BodyState = T.BodyDesc;

/** The deformed surface of the last step. Arrays are views of the module's memory, made anew whenever
 *  they are read; what they show is valid until the second next step, or an edit. */
export interface SkinView {
    readonly vertexCount: number;
    readonly triangleCount: number;
    /** Positions are relative to it */
    readonly origin: T.Vec3;
    readonly positions: Float32Array;
    readonly normals: Float32Array;
    readonly tangents: Float32Array | null;
    readonly indices: Uint32Array;
    /** Changes when indices or counts do */
    readonly indexRevision: number;
}

/** A blade is a segment from tip to back that moves from station to station. */
export interface CutOptions {
    tips: readonly Vec3Like[];
    backs: readonly Vec3Like[];
    /** Goes on with the stroke before */
    continues?: boolean;
    refine?: number;
    innerSubmesh?: number;
}
export type RefineOptions = Options<T.RefineDesc>;
export type FractureOptions = Options<Omit<T.Fracture, 'zoneCount'>> & { zones?: readonly Options<T.Zone>[] };
export interface DebugDrawing {
    /** 6 per line */
    lines: Float32Array;
    /** 0xRRGGBBAA, 1 per line */
    lineColours: Uint32Array;
    /** 3 per point */
    points: Float32Array;
    pointSizes: Float32Array;
    pointColours: Uint32Array;
}

export function writeMaterial(core: Core, at: number, material: MaterialOptions): void {
    if (typeof material === 'string') {
        core.c.lim_material_preset(at, valueOf('lim_preset', 'material', material));
        return;
    }
    const { preset, ...rest } = material;
    if (preset !== undefined) {
        core.c.lim_material_preset(at, valueOf('lim_preset', 'preset', preset));
    }
    core.heap.write('lim_material', at, rest);
}

export class Body extends Handle {
    /** Whatever you like; not saved. */
    user: unknown = undefined;

    get valid(): boolean { return this.is(this.c.lim_body_is_valid); }
    destroy(): void { this.ok(this.c.lim_body_destroy); }

    // ---- motion

    /** The body as a descriptor: pose, velocities, layer and so on. O(nodes) */
    get state(): BodyState { return this.core.ask('lim_body_desc', (out, s) => this.c.lim_body_get(this.world.pointer, this.id(s), out)); }
    /** Mass, momentum, energies, bounds. O(nodes) + O(vertices) */
    get motion(): T.BodyMotion { return this.core.ask('lim_body_motion', (out, s) => this.c.lim_body_get_motion(this.world.pointer, this.id(s), out)); }
    /** Back to the rest shape where it was made */
    reset(): void { this.ok(this.c.lim_body_reset); }
    wake(): void { this.ok(this.c.lim_body_wake); }
    teleport(position: Vec3Like, orientation: QuatLike = [0, 0, 0, 1]): void {
        this.ok((world, id, s) => this.c.lim_body_teleport(world, id, this.core.point(s, position), this.core.quat(s, orientation)));
    }
    setVelocity(velocity: Vec3Like, angularVelocity: Vec3Like = [0, 0, 0]): void {
        this.ok((world, id, s) => this.c.lim_body_set_velocity(world, id, this.core.vec3(s, velocity), this.core.vec3(s, angularVelocity)));
    }
    /** Newton seconds at the place of the surface nearest to `point` */
    applyImpulse(point: Vec3Like, impulse: Vec3Like): void {
        this.ok((world, id, s) => this.c.lim_body_apply_impulse(world, id, this.core.point(s, point), this.core.vec3(s, impulse)));
    }
    setGravityScale(scale: number): void { this.ok((world, id) => this.c.lim_body_set_gravity_scale(world, id, scale)); }
    setEnabled(enabled: boolean): void { this.ok((world, id) => this.c.lim_body_set_enabled(world, id, enabled)); }
    setLayer(layer: number, mask: number): void { this.ok((world, id) => this.c.lim_body_set_layer(world, id, layer, mask)); }
    /** Positions and velocities of the nodes, 3 each, in the order of `model().nodes()` */
    nodes(): { positions: Float64Array; velocities: Float32Array } {
        const { heap } = this.core;
        const count = this.nodeCount;
        return heap.scope((s) => {
            const positions = s.take(24 * count), velocities = s.take(12 * count);
            this.core.check(this.c.lim_body_get_nodes(this.world.pointer, this.id(s), positions, velocities, count));
            return { positions: heap.f64(positions, 3 * count).slice(), velocities: heap.f32(velocities, 3 * count).slice() };
        });
    }
    setNodes(positions: Numbers | null, velocities: Numbers | null = null): void {
        const count = (positions ?? velocities)?.length ?? 0;
        this.ok((world, id, s) => this.c.lim_body_set_nodes(world, id, positions ? s.doubles(positions) : 0, velocities ? s.floats(velocities) : 0, Math.floor(count / 3)));
    }

    // ---- material

    get material(): T.Material { return this.core.ask('lim_material', (out, s) => this.c.lim_body_get_material(this.world.pointer, this.id(s), out)); }
    /** What is not given stays as it is. */
    setMaterial(material: MaterialOptions): void {
        this.ok((world, id, s) => {
            const at = s.struct('lim_material');
            this.core.check(this.c.lim_body_get_material(world, id, at));
            writeMaterial(this.core, at, material);
            return this.c.lim_body_set_material(world, id, at);
        });
    }
    /** What was asked of the stiffness and what the step gives */
    get limits(): T.BodyLimits { return this.core.ask('lim_body_limits', (out, s) => this.c.lim_body_get_limits(this.world.pointer, this.id(s), out)); }
    /** A factor of the modulus per node; null: back to the model's */
    setStiffness(factors: Numbers | null): void {
        this.ok((world, id, s) => this.c.lim_body_set_stiffness(world, id, factors ? s.floats(factors) : 0, factors?.length ?? 0));
    }
    setZones(zones: readonly Options<T.Zone>[]): void {
        this.ok((world, id, s) => this.c.lim_body_set_zones(world, id, this.core.zones(s, zones), zones.length));
    }
    stiffness(): Float32Array {
        return this.perNode((world, id, out, count) => this.c.lim_body_get_stiffness(world, id, out, count));
    }

    // ---- surface

    skin(): SkinView {
        const { heap } = this.core;
        return heap.scope((s) => {
            const at = s.struct('lim_skin_view');
            this.core.check(this.c.lim_body_get_skin(this.world.pointer, this.id(s), at));
            const { vertexCount, triangleCount, origin, indexRevision } = heap.read<T.SkinView>('lim_skin_view', at);
            const pointer = (field: string) => heap.pointer('lim_skin_view', at, field);
            const positions = pointer('positions'), normals = pointer('normals'), tangents = pointer('tangents'), indices = pointer('indices');
            return {
                vertexCount, triangleCount, origin, indexRevision,
                get positions() { return heap.f32(positions, 3 * vertexCount); },
                get normals() { return heap.f32(normals, 3 * vertexCount); },
                get tangents() { return tangents === 0 ? null : heap.f32(tangents, 4 * vertexCount); },
                get indices() { return heap.u32(indices, 3 * triangleCount); },
            };
        });
    }
    /** Copies positions (3 per vertex, relative to `origin`) and normals: the way to draw a body. */
    copySkin(positions: Float32Array | null, normals: Float32Array | null = null, origin: Vec3Like = [0, 0, 0]): void {
        const count = (positions ?? normals)?.length ?? 0;
        if (normals && positions) {
            expect('normals', normals, positions.length);
        }
        this.ok((world, id, s) => {
            const p = positions ? s.take(4 * count) : 0, n = normals ? s.take(4 * count) : 0;
            const result = this.c.lim_body_write_skin(world, id, this.core.point(s, origin), p, 12, n, 12, Math.floor(count / 3));
            if (result === 0) {
                positions?.set(this.core.heap.f32(p, count));
                normals?.set(this.core.heap.f32(n, count));
            }
            return result;
        });
    }
    /** Wrinkles and bulges from `limber train`, as the bytes of its file; null takes them off. */
    setTrainedDetail(bytes: Uint8Array | null): void {
        this.ok((world, id, s) => this.c.lim_body_set_trained_detail(world, id, bytes ? s.bytes(bytes) : 0, bytes?.length ?? 0));
    }
    /** For skinning on a GPU: 12 floats per node, the rows of a 3x4 matrix */
    copyNodeTransforms(target: Float32Array, origin: Vec3Like = [0, 0, 0]): void {
        this.ok((world, id, s) => {
            const out = s.take(4 * target.length);
            const result = this.c.lim_body_write_node_transforms(world, id, this.core.point(s, origin), out, Math.floor(target.length / 12));
            if (result === 0) {
                target.set(this.core.heap.f32(out, target.length));
            }
            return result;
        });
    }
    closestPoint(point: Vec3Like): Hit {
        return this.world.hit((out, s) => this.c.lim_body_closest_point(this.world.pointer, this.id(s), this.core.point(s, point), out))!;
    }
    /** Elastic strain per vertex of the skin, for colours */
    strain(): Float32Array { return this.perVertex(this.c.lim_body_get_strain); }
    /** Plastic strain per vertex of the skin */
    plasticStrain(): Float32Array { return this.perVertex(this.c.lim_body_get_plastic); }
    /** Elastic strain, plastic strain and stress (pascal) per node */
    nodeStrain(): { strain: Float32Array; plastic: Float32Array; stress: Float32Array } {
        const { heap } = this.core;
        const count = this.nodeCount;
        return heap.scope((s) => {
            const [strain, plastic, stress] = [s.take(4 * count), s.take(4 * count), s.take(4 * count)];
            this.core.check(this.c.lim_body_get_node_strain(this.world.pointer, this.id(s), strain, plastic, stress, count));
            return { strain: heap.f32(strain, count).slice(), plastic: heap.f32(plastic, count).slice(), stress: heap.f32(stress, count).slice() };
        });
    }
    debugDraw(flags: readonly T.DebugFlags[], origin: Vec3Like = [0, 0, 0], regionNode = -1): DebugDrawing {
        const { heap } = this.core;
        const bits = flags.reduce((all, flag) => all | valueOf('lim_debug_flags', 'flags', flag), 0);
        return heap.scope((s) => {
            const counts = s.integers([0, 0]);
            const draw = (lines: number, lineCount: number, points: number, pointCount: number) => this.core.check(
                this.c.lim_body_debug_draw(this.world.pointer, this.id(s), bits, regionNode, this.core.point(s, origin), lines, lineCount, counts, points, pointCount, counts + 4));
            draw(0, 0, 0, 0);
            const lineCount = heap.integerAt(counts), pointCount = heap.integerAt(counts + 4);
            const lines = s.struct('lim_debug_line', lineCount), points = s.struct('lim_debug_point', pointCount);
            draw(lines, lineCount, points, pointCount);
            const out: DebugDrawing = {
                lines: new Float32Array(6 * lineCount), lineColours: new Uint32Array(lineCount),
                points: new Float32Array(3 * pointCount), pointSizes: new Float32Array(pointCount), pointColours: new Uint32Array(pointCount),
            };
            const take = (struct: 'lim_debug_line' | 'lim_debug_point', from: number, field: string, per: number, target: Float32Array | Uint32Array, count: number) => {
                const stride = sizeOf(struct) / 4, first = heap.offsetOf(struct, field) / 4;
                const all = target instanceof Float32Array ? heap.f32(from, stride * count) : heap.u32(from, stride * count);
                for (let i = 0; i < count; ++i) {
                    for (let k = 0; k < per; ++k) {
                        target[per * i + k] = all[stride * i + first + k]!;
                    }
                }
            };
            take('lim_debug_line', lines, 'a', 6, out.lines, lineCount); // b follows a
            take('lim_debug_line', lines, 'rgba', 1, out.lineColours, lineCount);
            take('lim_debug_point', points, 'at', 3, out.points, pointCount);
            take('lim_debug_point', points, 'size', 1, out.pointSizes, pointCount);
            take('lim_debug_point', points, 'rgba', 1, out.pointColours, pointCount);
            return out;
        });
    }

    // ---- edits

    /** The model as it is now, with all edits; yours to dispose of */
    model(): Model { return new Model(this.core, this.core.make((out, s) => this.c.lim_body_get_model(this.world.pointer, this.id(s), out))); }
    cut(options: CutOptions): T.EditReport {
        const { tips, backs, ...rest } = options;
        expect('backs', backs, tips.length);
        return this.core.ask('lim_edit_report', (out, s) => {
            const desc = s.struct('lim_cut_desc');
            this.c.lim_cut_desc_default(desc);
            this.core.heap.write('lim_cut_desc', desc, { ...rest, count: tips.length });
            this.core.heap.setPointer('lim_cut_desc', desc, 'tips', this.core.points(s, tips));
            this.core.heap.setPointer('lim_cut_desc', desc, 'backs', this.core.points(s, backs));
            return this.c.lim_body_cut(this.world.pointer, this.id(s), desc, out);
        });
    }
    /** Where a cut with `continues` goes on; null when there is no stroke */
    get stroke(): { tip: T.Vec3; back: T.Vec3 } | null {
        const { heap } = this.core;
        return heap.scope((s) => {
            const tip = s.struct('lim_point'), back = s.struct('lim_point');
            const is = this.c.lim_body_get_stroke(this.world.pointer, this.id(s), tip, back);
            return is ? { tip: heap.read<T.Vec3>('lim_point', tip), back: heap.read<T.Vec3>('lim_point', back) } : null;
        });
    }
    /** Pieces that have come off become bodies of their own, which are returned. */
    split(): Body[] {
        const { heap } = this.core;
        return heap.scope((s) => {
            const counted = s.integers([0]);
            this.core.check(this.c.lim_body_split(this.world.pointer, this.id(s), 0, 0, counted));
            const count = heap.integerAt(counted);
            const ids = s.take(8 * count + 8);
            if (count > 0) {
                this.core.check(this.c.lim_body_split(this.world.pointer, this.id(s), ids, count, counted));
            }
            return Array.from(heap.u32(ids, 2 * count)).flatMap((index, i, all) => (i % 2 ? [] : [this.world.bodyOf({ index, generation: all[i + 1]! })!]));
        });
    }
    /** Of a body that was split off: where it came from, and for each vertex that body's vertex */
    get origin(): { from: Body | null; vertices: Int32Array } | null {
        const { heap } = this.core;
        return heap.scope((s) => {
            const from = s.integers([0, 0]), vertices = s.integers([0]), count = s.integers([0]);
            this.core.check(this.c.lim_body_get_origin(this.world.pointer, this.id(s), from, vertices, count));
            const [index, generation] = heap.u32(from, 2);
            return generation === 0 ? null : {
                from: this.world.bodyOf({ index: index!, generation: generation! }),
                vertices: heap.i32(heap.pointerAt(vertices), heap.integerAt(count)).slice(),
            };
        });
    }
    refine(options: RefineOptions): T.EditReport { return this.resample(this.c.lim_body_refine, options); }
    coarsen(options: RefineOptions): T.EditReport { return this.resample(this.c.lim_body_coarsen, options); }
    /** Tears from now on where it is strained too far; null: it does not. */
    setFracture(fracture: FractureOptions | null): void {
        this.ok((world, id, s) => {
            if (fracture === null) {
                return this.c.lim_body_set_fracture(world, id, 0);
            }
            const { zones = [], ...rest } = fracture;
            const at = s.struct('lim_fracture');
            this.c.lim_fracture_default(at);
            this.core.heap.write('lim_fracture', at, { ...rest, zoneCount: zones.length });
            this.core.heap.setPointer('lim_fracture', at, 'zones', zones.length === 0 ? 0 : this.core.zones(s, zones));
            return this.c.lim_body_set_fracture(world, id, at);
        });
    }
    /** What it wishes of its cells while it runs; null: they stay. */
    setDetail(detail: Options<T.Detail> | null): void {
        this.ok((world, id, s) => {
            const at = s.struct('lim_detail');
            this.c.lim_detail_default(at);
            this.core.heap.write('lim_detail', at, detail ?? {});
            return this.c.lim_body_set_detail(world, id, detail === null ? 0 : at);
        });
    }

    // ---- inside

    /** The drawing list of nodes has a point for each: its size is asked for, and nothing drawn. */
    private get nodeCount(): number {
        return this.core.heap.scope((s) => {
            const counts = s.integers([0, 0]);
            const flag = valueOf('lim_debug_flags', 'flags', 'nodes');
            this.core.check(this.c.lim_body_debug_draw(this.world.pointer, this.id(s), flag, -1, this.core.point(s, [0, 0, 0]), 0, 0, counts, 0, 0, counts + 4));
            return this.core.heap.integerAt(counts + 4);
        });
    }
    private perNode(call: (world: number, id: number, out: number, count: number) => number): Float32Array {
        return this.array(this.nodeCount, call);
    }
    private perVertex(call: (world: number, id: number, out: number, count: number) => number): Float32Array {
        return this.array(this.skin().vertexCount, call);
    }
    private array(count: number, call: (world: number, id: number, out: number, count: number) => number): Float32Array {
        return this.core.heap.scope((s: Scratch) => {
            const out = s.take(4 * count);
            this.core.check(call(this.world.pointer, this.id(s), out, count));
            return this.core.heap.f32(out, count).slice();
        });
    }
    private resample(call: (world: number, id: number, desc: number, out: number) => number, options: RefineOptions): T.EditReport {
        return this.core.ask('lim_edit_report', (out, s) => {
            const desc = s.struct('lim_refine_desc');
            this.c.lim_refine_desc_default(desc);
            this.core.heap.write('lim_refine_desc', desc, options);
            return call(this.world.pointer, this.id(s), desc, out);
        });
    }
}

export function bodyDesc(world: World, s: Scratch, model: Model, options: BodyOptions): number {
    const { material, ...rest } = options;
    const { core } = world;
    const desc = s.struct('lim_body_desc');
    core.c.lim_body_desc_default(desc);
    core.heap.write('lim_body_desc', desc, rest);
    core.heap.setPointer('lim_body_desc', desc, 'model', model.pointer);
    if (material !== undefined) {
        writeMaterial(core, desc + core.heap.offsetOf('lim_body_desc', 'material'), material);
    }
    return desc;
}
