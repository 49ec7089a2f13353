// SPDX-License-Identifier: MIT
// What stands in the way, as it is drawn.
import * as THREE from 'three';
import type { ColliderShape } from '../protocol';

const IRON = new THREE.Color(0.22, 0.23, 0.25);

function geometryOf(c: ColliderShape): THREE.BufferGeometry | null {
    const [x, y, z] = c.size;
    switch (c.shape) {
    case 'sphere': return new THREE.SphereGeometry(x, 48, 32);
    case 'box': return new THREE.BoxGeometry(2 * x, 2 * y, 2 * z);
    case 'capsule': return new THREE.CapsuleGeometry(x, 2 * y, 16, 32);
    case 'plane': return c.ground ? null : new THREE.PlaneGeometry(8, 8).rotateX(-Math.PI / 2);
    case 'heights': {
        const geometry = new THREE.BufferGeometry();
        const positions = new Float32Array(3 * c.columns * c.rows), indices: number[] = [];
        for (let j = 0; j < c.rows; ++j) {
            for (let i = 0; i < c.columns; ++i) {
                const at = j * c.columns + i;
                positions.set([(i - (c.columns - 1) / 2) * x, c.heights![at]!, (j - (c.rows - 1) / 2) * z], 3 * at);
                if (i + 1 < c.columns && j + 1 < c.rows) {
                    indices.push(at, at + c.columns, at + c.columns + 1, at, at + c.columns + 1, at + 1);
                }
            }
        }
        return meshOf(geometry, positions, indices);
    }
    default:
        return c.points && c.indices ? meshOf(new THREE.BufferGeometry(), c.points, c.indices).toNonIndexed() : null;
    }
}

function meshOf(geometry: THREE.BufferGeometry, positions: Float32Array, indices: ArrayLike<number>): THREE.BufferGeometry {
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    geometry.setIndex(Array.from(indices));
    geometry.computeVertexNormals();
    return geometry;
}

export class Colliders {
    readonly group = new THREE.Group();
    private meshes: (THREE.Mesh | null)[] = [];

    set(colliders: readonly ColliderShape[]): void {
        this.meshes.forEach((m) => m?.geometry.dispose());
        this.group.clear();
        this.meshes = colliders.map((collider) => {
            const geometry = geometryOf(collider);
            if (geometry === null) {
                return null;
            }
            if (collider.shape === 'hull' || collider.shape === 'mesh') {
                geometry.computeVertexNormals();
            }
            const glass = collider.shape === 'plane';
            const material = new THREE.MeshStandardMaterial({
                color: collider.colour ? new THREE.Color(...collider.colour) : IRON, roughness: 0.42, metalness: collider.colour ? 0 : 0.35, side: THREE.DoubleSide,
                transparent: glass, opacity: glass ? 0.5 : 1,
            });
            const mesh = new THREE.Mesh(geometry, material);
            mesh.castShadow = !glass;
            mesh.receiveShadow = true;
            this.group.add(mesh);
            return mesh;
        });
    }

    /** 7 numbers per collider; steep planes are panes that nobody needs to see. */
    move(poses: Float32Array): void {
        this.meshes.forEach((mesh, i) => {
            if (mesh && 7 * i + 6 < poses.length) {
                mesh.position.fromArray(poses, 7 * i);
                mesh.quaternion.fromArray(poses, 7 * i + 3);
                const up = new THREE.Vector3(0, 1, 0).applyQuaternion(mesh.quaternion);
                mesh.visible = !(mesh.geometry instanceof THREE.PlaneGeometry) || up.y > 0.5;
            }
        });
    }
}
