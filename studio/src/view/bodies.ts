// SPDX-License-Identifier: MIT
// Bodies as they are drawn: geometry by shape message, positions by frame.
import * as THREE from 'three';
import type { Frame, ShapeMessage } from '../protocol';
import { fleshMaterial } from './flesh';
import { BODIES_LAYER } from './ground';

interface Skin { positions: Float32Array; normals: Float32Array; }
/** `glide`: in slow motion the way from what is shown to the newest frame */
export interface BodyView { mesh: THREE.Mesh; shape: ShapeMessage; frame: Skin | null; glide: { from: Skin; shown: Skin; begun: number } | null; }
export interface BodyHit { key: number; point: THREE.Vector3; normal: THREE.Vector3; distance: number; }
export type Textures = (submesh: number) => THREE.Texture | null;

function put(geometry: THREE.BufferGeometry, { positions, normals }: Skin): void {
    for (const [name, array] of [['position', positions], ['normal', normals]] as const) {
        const attribute = geometry.getAttribute(name) as THREE.BufferAttribute;
        attribute.array = array;
        attribute.needsUpdate = true;
    }
}

export class Bodies {
    readonly group = new THREE.Group();
    readonly all = new Map<number, BodyView>();
    readonly box = new THREE.Box3();
    textures: Textures = () => null;
    private clip: THREE.Plane | null = null;
    private thin = false;
    /** Milliseconds over which a new frame is reached; 0: at once */
    glideTime = 0;

    clear(): void {
        [...this.all.keys()].forEach((key) => this.remove(key));
        this.textures = () => null;
    }

    shape(shape: ShapeMessage): void {
        const old = this.all.get(shape.key);
        this.remove(shape.key);
        const geometry = new THREE.BufferGeometry();
        geometry.setIndex(new THREE.BufferAttribute(shape.indices, 1));
        for (const name of ['position', 'normal']) {
            geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * shape.vertexCount), 3).setUsage(THREE.DynamicDrawUsage));
        }
        geometry.setAttribute('rest', new THREE.BufferAttribute(shape.rest, 3));
        geometry.setAttribute('value', new THREE.BufferAttribute(new Float32Array(shape.vertexCount), 1).setUsage(THREE.DynamicDrawUsage));
        if (shape.colours) {
            geometry.setAttribute('color', new THREE.BufferAttribute(shape.colours, 3));
        }
        if (shape.uvs) {
            geometry.setAttribute('uv', new THREE.BufferAttribute(shape.uvs, 2));
        }
        geometry.boundingSphere = new THREE.Sphere();
        const materials: THREE.MeshStandardMaterial[] = [];
        for (const [first, count, submesh] of shape.runs) {
            const map = shape.uvs ? this.textures(submesh) : null;
            geometry.addGroup(first, count, materials.length);
            materials.push(fleshMaterial({ map, vertexColours: shape.colours !== null && map === null, colour: map ? new THREE.Color(1, 1, 1) : new THREE.Color(...(shape.colour ?? [1, 1, 1])) }));
        }
        geometry.addGroup(shape.outer, shape.indices.length - shape.outer, materials.length);
        materials.push(fleshMaterial({ inner: true, colour: new THREE.Color(...shape.inner) }));
        const mesh = new THREE.Mesh(geometry, materials);
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        mesh.layers.set(BODIES_LAYER);
        mesh.userData['key'] = shape.key;
        mesh.visible = false; // until its first frame
        this.all.set(shape.key, { mesh, shape, frame: old?.shape.vertexCount === shape.vertexCount ? old.frame : null, glide: null });
        this.group.add(mesh);
        this.look();
    }

    /** Takes a frame; returns the memory of the last one. */
    frame(frame: Frame): ArrayBuffer[] {
        const spare: ArrayBuffer[] = [];
        const keys = new Set(frame.keys);
        [...this.all.keys()].filter((key) => !keys.has(key)).forEach((key) => this.remove(key));
        this.box.makeEmpty();
        for (const { key, positions, normals, values } of frame.bodies) {
            const view = this.all.get(key);
            if (view === undefined || positions.length !== 3 * view.shape.vertexCount) {
                spare.push(positions.buffer as ArrayBuffer, normals.buffer as ArrayBuffer);
                continue;
            }
            const { geometry } = view.mesh;
            if (this.glideTime > 0 && view.frame) {
                const from = view.glide?.shown ?? view.frame;
                view.glide = { from: { positions: from.positions.slice(), normals: from.normals.slice() }, shown: { positions: from.positions.slice(), normals: from.normals.slice() }, begun: performance.now() };
            } else {
                view.glide = null;
            }
            put(geometry, view.glide?.shown ?? { positions, normals });
            if (view.frame) {
                spare.push(view.frame.positions.buffer as ArrayBuffer, view.frame.normals.buffer as ArrayBuffer);
            }
            view.frame = { positions, normals };
            if (values && values.length === view.shape.vertexCount) {
                const attribute = geometry.getAttribute('value') as THREE.BufferAttribute;
                attribute.array = values;
                attribute.needsUpdate = true;
            }
            const box = new THREE.Box3().setFromArray(positions);
            box.getBoundingSphere(geometry.boundingSphere!);
            geometry.boundingBox = box;
            this.box.union(box);
            view.mesh.visible = true;
        }
        return spare;
    }

    /** Goes on towards the newest frame. */
    glide(now: number): void {
        for (const { mesh, frame, glide } of this.all.values()) {
            if (glide && frame) {
                const share = Math.min(1, (now - glide.begun) / this.glideTime);
                for (const name of ['positions', 'normals'] as const) {
                    const from = glide.from[name], to = frame[name], shown = glide.shown[name];
                    for (let i = 0; i < shown.length; ++i) {
                        shown[i] = from[i]! + share * (to[i]! - from[i]!);
                    }
                }
                put(mesh.geometry, glide.shown);
            }
        }
    }

    /** Cut open by a plane, or so thin that what is inside shows. */
    show({ clip, thin }: { clip: THREE.Plane | null; thin: boolean }): void {
        this.clip = clip;
        this.thin = thin;
        this.look();
    }

    pick(ray: THREE.Raycaster): BodyHit | null {
        ray.layers.enable(BODIES_LAYER);
        const [hit] = ray.intersectObjects([...this.all.values()].filter((v) => v.mesh.visible).map((v) => v.mesh), false);
        if (!hit?.face) {
            return null;
        }
        const normal = hit.face.normal.clone();
        return { key: hit.object.userData['key'] as number, point: hit.point, normal: normal.dot(ray.ray.direction) > 0 ? normal.negate() : normal, distance: hit.distance };
    }

    private look(): void {
        for (const { mesh } of this.all.values()) {
            mesh.castShadow = true;
            for (const material of mesh.material as THREE.MeshStandardMaterial[]) {
                material.clippingPlanes = this.clip ? [this.clip] : null;
                material.clipShadows = true;
                if (material.transparent !== this.thin) {
                    material.transparent = this.thin;
                    material.opacity = this.thin ? 0.16 : 1;
                    material.depthWrite = !this.thin;
                    material.needsUpdate = true;
                }
            }
        }
    }

    private remove(key: number): void {
        const view = this.all.get(key);
        if (view) {
            this.group.remove(view.mesh);
            view.mesh.geometry.dispose();
            (view.mesh.material as THREE.Material[]).forEach((m) => m.dispose());
            this.all.delete(key);
        }
    }
}
