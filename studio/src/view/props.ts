// SPDX-License-Identifier: MIT
// Hands and tools as they are drawn: pins, grabs, knives, bones, the probe, brushes, the way of a stroke.
import * as THREE from 'three';
import type { Frame, Tool, Triple } from '../protocol';

const solid = (colour: string, roughness = 0.4, metalness = 0) => new THREE.MeshStandardMaterial({ color: colour, roughness, metalness });
const UP = new THREE.Vector3(0, 1, 0);

/** A bar from one point to another. */
function between(mesh: THREE.Object3D, a: THREE.Vector3, b: THREE.Vector3, radius: number): void {
    const way = b.clone().sub(a), length = way.length();
    mesh.position.copy(a).addScaledVector(way, 0.5);
    mesh.quaternion.setFromUnitVectors(UP, length > 0 ? way.divideScalar(length) : UP);
    mesh.scale.set(radius, Math.max(length, 1e-6), radius);
}

export class Props {
    readonly group = new THREE.Group();
    readonly probe = new THREE.Mesh(new THREE.SphereGeometry(1, 48, 32), solid('#aeb7c1', 0.24, 0.25));
    readonly brush = new THREE.Mesh(new THREE.SphereGeometry(1, 40, 24), new THREE.MeshBasicMaterial({ color: '#0d7f86', transparent: true, opacity: 0.16, depthWrite: false }));
    private readonly tools = new THREE.Group();
    private readonly stroke = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: '#f4f7fa', transparent: true, opacity: 0.5, side: THREE.DoubleSide, depthWrite: false }));
    private readonly cylinder = new THREE.CylinderGeometry(1, 1, 1, 16);
    private readonly ball = new THREE.SphereGeometry(1, 24, 16);
    private readonly red = solid('#c8332b', 0.35);
    private readonly steel = solid('#aab2bb', 0.3, 0.7);
    private readonly wood = solid('#6d4126', 0.6);
    private readonly hand = solid('#f0a020', 0.45);
    private readonly blade = new THREE.MeshStandardMaterial({ color: '#d8dde3', roughness: 0.25, metalness: 0.6, transparent: true, opacity: 0.45, side: THREE.DoubleSide, depthWrite: false });
    private readonly bone = new THREE.MeshStandardMaterial({ color: '#efe6d2', roughness: 0.6, transparent: true, opacity: 0.35, depthWrite: false });
    private readonly collar = new THREE.MeshStandardMaterial({ color: '#6c7a88', roughness: 0.5, transparent: true, opacity: 0.28, depthWrite: false });

    constructor() {
        this.group.add(this.tools, this.probe, this.brush, this.stroke);
        this.probe.castShadow = true;
        this.probe.visible = this.brush.visible = this.stroke.visible = false;
        this.stroke.frustumCulled = false;
    }

    frame(frame: Frame, size: number, bodies: THREE.Box3): void {
        this.tools.clear();
        frame.tools.forEach((tool) => this.add(tool, size, bodies));
        this.probe.visible = frame.probe !== null;
        if (frame.probe) {
            this.probe.position.set(...frame.probe.position);
            this.probe.scale.setScalar(frame.probe.radius);
        }
    }

    /** The way of the knife so far: 6 numbers per station. */
    showStroke(stations: readonly number[]): void {
        this.stroke.visible = stations.length >= 12;
        if (this.stroke.visible) {
            const index: number[] = [];
            for (let i = 0; i + 2 < stations.length / 3; i += 2) {
                index.push(i, i + 1, i + 2, i + 1, i + 3, i + 2);
            }
            this.stroke.geometry.dispose();
            this.stroke.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(stations, 3)).setIndex(index);
        }
    }

    showBrush(at: THREE.Vector3 | null, radius: number, colour: string): void {
        this.brush.visible = at !== null;
        if (at) {
            this.brush.position.copy(at);
            this.brush.scale.setScalar(radius);
            (this.brush.material as THREE.MeshBasicMaterial).color.set(colour);
        }
    }

    /** The pin of the page that a ray meets; -1: none */
    pinAt(ray: THREE.Raycaster): number {
        const [hit] = ray.intersectObjects(this.tools.children.filter((t) => (t.userData['id'] as number) >= 0), true);
        let at: THREE.Object3D | null = hit?.object ?? null;
        while (at && at.userData['id'] === undefined) {
            at = at.parent;
        }
        return at ? (at.userData['id'] as number) : -1;
    }

    private mesh(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
        const mesh = new THREE.Mesh(geometry, material);
        mesh.castShadow = !material.transparent;
        return mesh;
    }

    private add(tool: Tool, size: number, bodies: THREE.Box3): void {
        const one = new THREE.Group();
        one.userData['id'] = tool.id;
        const vector = (t: Triple) => new THREE.Vector3(...t);
        if (tool.kind === 'grab') {
            const rod = this.mesh(this.cylinder, this.hand), knob = this.mesh(this.ball, this.hand), foot = this.mesh(this.ball, this.hand);
            between(rod, vector(tool.from), vector(tool.to), 0.005 * size);
            knob.position.copy(vector(tool.to));
            knob.scale.setScalar(0.022 * size);
            foot.position.copy(vector(tool.from));
            foot.scale.setScalar(0.012 * size);
            one.add(rod, knob, foot);
        } else if (tool.kind === 'blade') {
            one.add(...this.knife(vector(tool.from), vector(tool.to), vector(tool.forward), size));
        } else if (tool.shape === 'sphere' && !tool.driven) {
            const at = vector(tool.position), head = this.mesh(this.ball, this.red), needle = this.mesh(this.cylinder, this.steel);
            const out = at.clone().add(new THREE.Vector3(0.02, Math.max(1.15 * tool.size[0], 0.05 * size), 0.02).multiplyScalar(1.2));
            between(needle, at.clone().add(new THREE.Vector3(0, -0.5 * tool.size[0], 0)), out, 0.005 * size);
            head.position.copy(out);
            head.scale.setScalar(0.026 * size);
            one.add(head, needle);
        } else {
            const [x, y, z] = tool.size;
            if (tool.shape === 'box' && Math.abs(tool.rotation[3]) > 0.9999) { // a collar: no wider than what it holds
                const rim = 0.03 * size, box = new THREE.Box3().setFromCenterAndSize(vector(tool.position), new THREE.Vector3(2 * x, 2 * y, 2 * z)).intersect(bodies.clone().expandByScalar(rim));
                if (!box.isEmpty()) {
                    const mesh = this.mesh(new THREE.BoxGeometry(...box.getSize(new THREE.Vector3()).toArray()), this.collar);
                    box.getCenter(mesh.position);
                    one.add(mesh);
                }
                this.tools.add(one);
                return;
            }
            const shape = tool.shape === 'box' ? new THREE.BoxGeometry(2.02 * x, 2.02 * y, 2.02 * z) : tool.shape === 'capsule' ? new THREE.CapsuleGeometry(x, 2 * y, 8, 16) : new THREE.SphereGeometry(x, 24, 16);
            const mesh = this.mesh(shape, tool.shape === 'box' ? this.collar : this.bone);
            mesh.position.set(...tool.position);
            mesh.quaternion.set(...tool.rotation);
            one.add(mesh);
        }
        this.tools.add(one);
    }

    private knife(from: THREE.Vector3, to: THREE.Vector3, forward: THREE.Vector3, size: number): THREE.Object3D[] {
        const way = to.clone().sub(from).normalize(), width = 0.14 * size;
        const corners = [from, to, to.clone().addScaledVector(forward, -width), from.clone().addScaledVector(forward, -width)];
        const sheet = new THREE.BufferGeometry().setFromPoints(corners).setIndex([0, 1, 2, 0, 2, 3]);
        sheet.computeVertexNormals();
        const grip = this.mesh(this.cylinder, this.wood), start = to.clone().addScaledVector(forward, -0.5 * width);
        between(grip, start, start.clone().addScaledVector(way, 0.3 * size), 0.022 * size);
        return [this.mesh(sheet, this.blade), grip];
    }
}
