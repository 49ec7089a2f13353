// SPDX-License-Identifier: MIT
// What bodies look like: triangles in runs by submesh, faces of cuts apart, colours of skin and inside.
import type { Body, SceneRun } from 'limber';
import type { ShapeMessage, Triple } from '../protocol';

const PALE: Triple = [0.95, 0.9, 0.84];
const PALETTE: Triple[] = [[0.85, 0.25, 0.12], [0.15, 0.4, 0.75], [0.9, 0.65, 0.15], [0.15, 0.55, 0.25], [0.75, 0.3, 0.6], [0.1, 0.55, 0.6]];

export interface Look {
    body: Body;
    key: number;
    name: string;
    colour: Triple | null;
    inner: Triple;
    own: number; // submeshes before any cut
    from: number;
    revision: number;
    vertices: number;
    triangles: number;
    size: number;
    /** Room that comes back from the page */
    spare: Float32Array[];
}

const triple = (v: { x: number; y: number; z: number }): Triple => [v.x, v.y, v.z];

/** Where nothing is known of the inside it is that of the skin, and a little paler. */
function insideOf(colour: Triple | null, colours: Float32Array | null): Triple {
    let base = colour ?? PALETTE[0]!;
    if (colour === null && colours !== null && colours.length > 0) {
        const sum: Triple = [0, 0, 0];
        colours.forEach((c, i) => { if (i % 4 < 3) sum[i % 4]! += c; });
        base = sum.map((s) => (4 * s) / colours.length) as Triple;
    }
    return base.map((c, i) => c + 0.22 * (PALE[i]! - c)) as Triple;
}

/** All bodies of the world; those that are new get a look, pieces that of what they came from. */
export function looksOf(run: SceneRun, known: Map<number, Look>): Map<number, Look> {
    const named = new Map(run.bodies().map((entry) => [entry.body, entry]));
    const looks = new Map<number, Look>();
    for (const body of run.world.bodies()) {
        const old = known.get(body.index);
        if (old?.body === body) {
            looks.set(body.index, old);
            continue;
        }
        const entry = named.get(body);
        const origin = entry === undefined || entry.from >= 0 ? body.origin : null;
        const parent = origin?.from ? looks.get(origin.from.index) ?? known.get(origin.from.index) : undefined;
        const fresh: Look = { body, key: body.index, name: entry?.name ?? 'piece', colour: null, inner: PALE, own: 0, from: -1, revision: -1, vertices: 0, triangles: 0, size: 0, spare: [] };
        if (parent) {
            Object.assign(fresh, { name: entry?.name ?? `${parent.name.split('/')[0]}/${body.index}`, colour: parent.colour, inner: parent.inner, own: parent.own, from: parent.key, size: parent.size });
        } else if (entry?.hasColour) {
            fresh.colour = triple(entry.colour);
        }
        if (!parent && entry?.hasInnerColour) {
            fresh.inner = triple(entry.innerColour);
            fresh.from = -2; // its inside is known: shapeOf leaves it
        }
        looks.set(body.index, fresh);
    }
    return looks;
}

export function shapeOf(look: Look): ShapeMessage {
    const model = look.body.model();
    const surface = model.surface();
    model.dispose();
    if (look.own === 0) { // not a piece, seen for the first time
        look.own = surface.submeshCount;
        if (look.from !== -2) {
            look.inner = insideOf(look.colour, surface.colours);
        }
        look.from = -1;
        if (look.colour === null && surface.colours === null) {
            look.colour = PALETTE[look.key % PALETTE.length]!;
        }
        const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
        surface.positions.forEach((x, i) => {
            lower[i % 3] = Math.min(lower[i % 3]!, x);
            upper[i % 3] = Math.max(upper[i % 3]!, x);
        });
        look.size = Math.max(...upper.map((u, i) => u - lower[i]!));
    }
    const order = Array.from(surface.submeshes.keys()).sort((a, b) => surface.submeshes[a]! - surface.submeshes[b]! || a - b);
    const indices = new Uint32Array(surface.indices.length);
    const runs: ShapeMessage['runs'] = [];
    let outer = 0;
    order.forEach((triangle, at) => {
        indices.set(surface.indices.subarray(3 * triangle, 3 * triangle + 3), 3 * at);
        const submesh = surface.submeshes[triangle]!;
        if (submesh < look.own) {
            outer = 3 * (at + 1);
            const last = runs.at(-1);
            if (last?.[2] === submesh) {
                last[1] += 3;
            } else {
                runs.push([3 * at, 3, submesh]);
            }
        }
    });
    look.vertices = surface.vertexCount;
    look.triangles = surface.triangleCount;
    look.revision = look.body.skin().indexRevision;
    const colours = look.colour === null && surface.colours !== null ? new Float32Array(3 * surface.vertexCount) : null;
    colours?.forEach((_, i) => (colours[i] = surface.colours![4 * Math.floor(i / 3) + (i % 3)]!));
    return {
        key: look.key, name: look.name, indices, outer, runs, vertexCount: surface.vertexCount, rest: Float32Array.from(surface.positions),
        colours, uvs: surface.uvs, colour: look.colour, inner: look.inner, from: look.from, size: look.size,
    };
}
