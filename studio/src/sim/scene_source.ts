// SPDX-License-Identifier: MIT
// From a start to a scene: the JSON of a built-in one, of a file, or of a mesh that was dropped, with the
// page's parameters in it. What runs is what can be saved as a scene file.
import type { Limber, Mesh, Scene } from 'limber';
import type { Start } from '../protocol';

type Json = Record<string, unknown>;
export interface Source { scene: Scene; json: Json; meshes: Record<string, Mesh>; }

const LEFT_OUT = ['beta', 'alpha', 'dampingEvery'];

/** What `limber run FILE` does with a mesh, as JSON. */
function dropped(limber: Limber, name: string, mesh: Mesh): Json {
    const scene = limber.dropScene(mesh, { name: name.replace(/\.[^.]*$/, '') });
    const { name: title, duration, restAfter } = scene.info;
    const [body] = scene.bodies();
    scene.dispose();
    const { position, rotation, material } = body!;
    const half = Math.hypot(rotation.x, rotation.y, rotation.z);
    const values = Object.entries(material).filter(([k, v]) => typeof v === 'number' && Number.isFinite(v) && !LEFT_OUT.includes(k));
    return {
        limber: 1, name: title, about: `${name} falls from half its height onto the ground.`, duration, rest_after: restAfter,
        bodies: [{
            name: title, mesh: name, nodes: body!.nodes, scale: body!.scale, up: body!.up, anchor: body!.anchor, region_width: body!.regionWidth, widen: body!.widen,
            position: [position.x, position.y, position.z],
            rotation: { axis: half > 0 ? [rotation.x, rotation.y, rotation.z] : [0, 1, 0], degrees: (360 / Math.PI) * Math.atan2(half, rotation.w) },
            material: Object.fromEntries(values.map(([k, v]) => [k.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), v])),
        }],
    };
}

function withParams(json: Json, start: Start): Json {
    const { kind, nodes, coarsen, regionWidth, substeps } = start.params;
    const bodies = (json['bodies'] as Json[]).map((body) => {
        const out = { ...body };
        if (kind !== undefined && kind !== (body['kind'] ?? 'octree')) {
            out['kind'] = kind;
            for (const key of ['regions', 'clusters', 'coarsen', 'cells_across', 'detail', 'region_width']) {
                delete out[key];
            }
        }
        if (nodes !== undefined) {
            delete out['cell'];
            out['nodes'] = nodes;
        }
        if (coarsen !== undefined) {
            out['coarsen'] = coarsen;
        }
        if (regionWidth !== undefined) {
            Object.assign(out, { region_width: regionWidth, widen: false });
        }
        return out;
    });
    return { ...json, ...(substeps === undefined ? {} : { substeps }), bodies };
}

export function sourceOf(limber: Limber, start: Start): Source {
    const meshes: Record<string, Mesh> = {};
    if (start.mesh) {
        try {
            meshes[start.mesh.name] = limber.parseMesh(start.mesh.bytes, start.mesh.name);
        } catch (error) {
            throw new Error((error as Error).message.replace('(memory)', start.mesh.name));
        }
    }
    const text = start.json ?? (start.mesh ? null : limber.sceneText(start.scene));
    const plain = text === null ? dropped(limber, start.mesh!.name, meshes[start.mesh!.name]!) : text;
    // A text is read by the library first, which says what is wrong and where.
    if (typeof plain === 'string') {
        limber.parseScene(plain, `${start.scene}.json`).dispose();
    }
    const json = withParams(typeof plain === 'string' ? (JSON.parse(plain) as Json) : plain, start);
    return { scene: limber.parseScene(json, `${start.scene}.json`), json, meshes };
}
