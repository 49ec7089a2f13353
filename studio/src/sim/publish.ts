// SPDX-License-Identifier: MIT
// What the page is shown of a session: skins, tools, overlays, numbers. Asking changes nothing that moves.
import type { Body, DebugFlags } from 'limber';
import type { BodyFrame, ColliderShape, Frame, Lines, MaterialState, Points, Report, ShapeMessage, Started, Tool, Triple, View } from '../protocol';
import { shapeOf, type Look } from './looks';
import type { Session } from './session';

const triple = (v: { x: number; y: number; z: number }): Triple => [v.x, v.y, v.z];

/** Shapes of bodies that are new or were edited since they were sent. */
export function changedShapes(session: Session): ShapeMessage[] {
    session.lookAgain();
    return [...session.looks.values()].filter((look) => look.body.skin().indexRevision !== look.revision).map(shapeOf);
}

/** A factor per vertex from one per node, by the weights of the skin. */
function onSkin(body: Body, perNode: Float32Array): Float32Array {
    const model = body.model();
    const { nodes, weights, vertexCount } = model.skinning();
    model.dispose();
    const out = new Float32Array(vertexCount);
    for (let v = 0; v < vertexCount; ++v) {
        let sum = 0, all = 0;
        for (let k = 8 * v; k < 8 * v + 8; ++k) {
            if (nodes[k]! >= 0 && weights[k] !== 0) {
                sum += weights[k]! * Math.log2(perNode[nodes[k]!]!);
                all += weights[k]!;
            }
        }
        out[v] = all === 0 ? 0 : sum / all;
    }
    return out;
}

function valuesOf(body: Body, values: View['values']): Float32Array | null {
    switch (values) {
    case 'strain': return body.strain();
    case 'plastic': return body.plasticStrain();
    case 'stiffness': return onSkin(body, body.stiffness());
    default: return null;
    }
}

function skinOf(look: Look, view: View): BodyFrame {
    const take = () => {
        const spare = look.spare.pop();
        return spare?.length === 3 * look.vertices ? spare : new Float32Array(3 * look.vertices);
    };
    const positions = take(), normals = take();
    look.body.copySkin(positions, normals);
    return { key: look.key, positions, normals, values: valuesOf(look.body, view.values) };
}

function drawn(session: Session, flags: DebugFlags[]): { lines: Lines; points: Points } {
    const all = [...session.looks.values()].map((look) => look.body.debugDraw(flags));
    return joined(all);
}

function joined(all: ReturnType<Body['debugDraw']>[]): { lines: Lines; points: Points } {
    const join = <A extends Float32Array | Uint32Array>(parts: A[], make: (n: number) => A): A => {
        const out = make(parts.reduce((n, p) => n + p.length, 0));
        let at = 0;
        for (const part of parts) {
            out.set(part, at);
            at += part.length;
        }
        return out;
    };
    const floats = (n: number) => new Float32Array(n), words = (n: number) => new Uint32Array(n);
    return {
        lines: { positions: join(all.map((d) => d.lines), floats), colours: join(all.map((d) => d.lineColours), words) },
        points: { positions: join(all.map((d) => d.points), floats), sizes: join(all.map((d) => d.pointSizes), floats), colours: join(all.map((d) => d.pointColours), words) },
    };
}

function regionAt(session: Session, at: NonNullable<View['region']>): Frame['region'] {
    const body = session.looks.get(at.body)?.body;
    if (body === undefined) {
        return null;
    }
    const { positions } = body.nodes();
    let nearest = 0, least = Infinity;
    for (let i = 0; i < positions.length; i += 3) {
        const d = (positions[i]! - at.at[0]) ** 2 + (positions[i + 1]! - at.at[1]) ** 2 + (positions[i + 2]! - at.at[2]) ** 2;
        if (d < least) {
            [nearest, least] = [i / 3, d];
        }
    }
    return joined([body.debugDraw(['region'], [0, 0, 0], nearest)]);
}

function toolsOf(session: Session): Tool[] {
    const empty = { shape: 'sphere', size: [0, 0, 0], position: [0, 0, 0], rotation: [0, 0, 0, 1], driven: false, from: [0, 0, 0], to: [0, 0, 0], forward: [0, 0, 0], id: -1 } satisfies Omit<Tool, 'kind'>;
    const tools: Tool[] = session.ended ? [] : session.run.tools().map((t) => ({
        kind: t.kind, shape: t.shape, size: triple(t.size), position: triple(t.position), rotation: [t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w], driven: t.driven,
        from: triple(t.from), to: triple(t.to), forward: triple(t.forward), id: -1,
    }));
    for (const { grab, to } of session.hands.grabs.values()) {
        if (grab.valid) {
            tools.push({ ...empty, kind: 'grab', from: triple(grab.point), to });
        }
    }
    for (const [id, { pin, at, radius }] of session.hands.pins) {
        if (pin.valid) {
            tools.push({ ...empty, kind: 'pin', position: at, size: [radius, 0, 0], id });
        }
    }
    return tools;
}

export function frameOf(session: Session, view: View): Frame {
    const { hands } = session;
    const bodies = [...session.looks.values()].map((look) => skinOf(look, view));
    const poses = session.world.colliders().filter((c) => c !== hands.probe?.collider).flatMap((collider) => {
        const { position: p, orientation: q } = collider.get();
        return [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
    });
    let probe: Frame['probe'] = null;
    if (hands.probe) {
        const { at, first, radius } = hands.probe;
        probe = { position: at, radius, depth: Math.hypot(...at.map((x, i) => x - first[i]!)), felt: session.felt };
    }
    session.felt = [];
    return {
        type: 'frame', step: session.step, time: session.step * session.dt, bodies, keys: [...session.looks.keys()], poses: Float32Array.from(poses), tools: toolsOf(session), probe,
        nodes: view.nodes ? drawn(session, ['nodes']).points : null,
        cells: view.cells ? drawn(session, ['cells']).lines : null,
        graph: view.graph ? drawn(session, ['graph']).lines : null,
        contacts: view.contacts ? drawn(session, ['contacts']).lines : null,
        region: view.region ? regionAt(session, view.region) : null,
    };
}

export function collidersOf(session: Session): ColliderShape[] {
    const json = (session.source.json['colliders'] ?? []) as { colour?: Triple }[];
    const all = session.world.colliders();
    const extra = all.length - json.length; // the ground comes first
    return all.map((collider, i) => {
        const d = collider.get();
        return { shape: d.shape, size: triple(d.size), points: d.points, indices: d.indices, heights: d.heights, columns: d.columns, rows: d.rows, colour: json[i - extra]?.colour ?? null, ground: i < extra };
    });
}

export function startedOf(session: Session, buildTime: number): Started {
    const { info } = session.source.scene;
    const [first] = session.source.scene.bodies();
    const lower: Triple = [Infinity, Infinity, Infinity], upper: Triple = [-Infinity, -Infinity, -Infinity];
    for (const { body } of session.looks.values()) {
        const { bounds } = body.motion;
        triple(bounds.lower).forEach((x, i) => (lower[i] = Math.min(lower[i]!, x)));
        triple(bounds.upper).forEach((x, i) => (upper[i] = Math.max(upper[i]!, x)));
    }
    const [look] = session.looks.values();
    const model = look!.body.model();
    const { nodes, cellSize } = model.info;
    model.dispose();
    return {
        type: 'started', name: info.name, about: info.about, dt: info.dt, substeps: info.substeps, camera: session.source.scene.cameraAt(0),
        colliders: collidersOf(session), lower, upper, ground: info.ground ? info.groundHeight : null,
        kind: first!.kind, nodes: first!.nodes || nodes, coarsen: first!.coarsen, regionWidth: first!.regionWidth, cell: cellSize, buildTime,
    };
}

const REGIONS = new WeakMap<Body, { revision: number; regions: number }>();

export function reportOf(session: Session, clock: { stepTime: number; pace: number; running: boolean; replaying: boolean }): Report {
    let regions = 0, vertices = 0, triangles = 0;
    for (const look of session.looks.values()) {
        let known = REGIONS.get(look.body);
        if (known?.revision !== look.revision) {
            const model = look.body.model();
            known = { revision: look.revision, regions: model.info.regions };
            model.dispose();
            REGIONS.set(look.body, known);
        }
        regions += known.regions;
        vertices += look.vertices;
        triangles += look.triangles;
    }
    const [first] = session.looks.values();
    const m = first?.body.material;
    const material: MaterialState | null = m ? {
        density: m.density, young: m.young, viscosity: m.viscosity, dampingTime: m.dampingTime, friction: m.friction, restitution: m.restitution, volume: m.volume, pressure: m.pressure, yield: m.yield, creep: m.creep, maxStrain: m.maxStrain,
    } : null;
    return {
        type: 'report', step: session.step, time: session.step * session.dt, hash: session.hash(), stages: session.world.report, regions, vertices, triangles, pieces: session.looks.size,
        ...clock, ended: session.ended || session.run.done, limits: first?.body.limits ?? null, material, gravity: session.world.gravity,
        undos: session.undos, actions: session.log.length, memory: session.limber.memoryBytes,
    };
}
