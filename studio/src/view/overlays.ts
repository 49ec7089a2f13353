// SPDX-License-Identifier: MIT
// The inside as the library tells it: nodes, cells cut open, the graph, a region, contacts.
import * as THREE from 'three';
import type { Frame, Lines, Points } from '../protocol';

const POINT_VERTEX = `attribute float size; attribute vec4 tint; varying vec4 vTint; uniform float uPixels, uShare;
    void main() { vTint = tint; vec4 p = modelViewMatrix * vec4(position, 1.0); gl_Position = projectionMatrix * p; gl_PointSize = clamp(uShare * size * uPixels / -p.z, 2.0, 64.0); }`;
const POINT_FRAGMENT = `varying vec4 vTint;
    void main() { vec2 q = 2.0 * gl_PointCoord - 1.0; float r = dot(q, q); if (r > 1.0) discard;
      vec3 n = vec3(q.x, -q.y, sqrt(1.0 - r)); float light = 0.55 + 0.55 * max(dot(n, normalize(vec3(-0.5, 0.7, 0.5))), 0.0);
      gl_FragColor = vec4(vTint.rgb * light, 1.0);
      #include <colorspace_fragment>
    }`;

/** By size: the finest cells, twice as large, and so on */
const LEVELS = ['#e0693f', '#efb13f', '#57b39f', '#4a86c8', '#7a5fb5'].map((c) => new THREE.Color(c));
const GRAPH = new THREE.Color('#27566b');
const levelOf = (size: number, least: number) => LEVELS[Math.min(LEVELS.length - 1, Math.max(0, Math.round(Math.log2(size / least))))]!;

function linear(rgba: Uint32Array, per: number): Float32Array {
    const out = new Float32Array(4 * per * rgba.length);
    const colour = new THREE.Color();
    rgba.forEach((c, i) => {
        colour.setRGB((c >>> 24) / 255, ((c >>> 16) & 255) / 255, ((c >>> 8) & 255) / 255, THREE.SRGBColorSpace);
        for (let k = 0; k < per; ++k) {
            out.set([colour.r, colour.g, colour.b, 1], 4 * (per * i + k));
        }
    });
    return out;
}

export class Overlays {
    readonly group = new THREE.Group();
    private readonly pointMaterial = new THREE.ShaderMaterial({ vertexShader: POINT_VERTEX, fragmentShader: POINT_FRAGMENT, uniforms: { uPixels: { value: 500 }, uShare: { value: 0.42 } } });
    private readonly nodes = new THREE.Points(new THREE.BufferGeometry(), this.pointMaterial);
    private readonly members = new THREE.Points(new THREE.BufferGeometry(), this.pointMaterial);
    private readonly graph = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: GRAPH, transparent: true, opacity: 0.4 }));
    private readonly contacts = this.lines(1, false);
    private readonly sums = this.lines(0.9, true);
    private readonly cellMaterial = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
    private readonly edgeMaterial = new THREE.LineBasicMaterial({ color: '#1c2329', transparent: true, opacity: 0.35 });
    private cells: THREE.InstancedMesh | null = null;
    private readonly edges = new THREE.LineSegments(new THREE.BufferGeometry(), this.edgeMaterial);

    constructor() {
        this.group.add(this.nodes, this.members, this.graph, this.contacts, this.sums, this.edges);
        this.group.traverse((o) => (o.frustumCulled = false));
        this.members.renderOrder = this.sums.renderOrder = 2;
    }

    private lines(opacity: number, depthTest: boolean): THREE.LineSegments {
        return new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity, depthTest }));
    }

    /** Pixels per metre at a metre's distance */
    scale(pixels: number): void { this.pointMaterial.uniforms['uPixels']!.value = pixels; }

    frame(frame: Frame, clip: THREE.Plane | null): void {
        this.setPoints(this.nodes, frame.nodes, true);
        this.setPoints(this.members, frame.region?.points ?? null);
        this.setLines(this.graph, frame.graph);
        this.setLines(this.contacts, frame.contacts);
        this.setLines(this.sums, frame.region?.lines ?? null);
        this.setCells(frame.cells, clip);
    }

    private setPoints(target: THREE.Points, points: Points | null, bySize = false): void {
        target.visible = points !== null;
        if (points) {
            const least = points.sizes.reduce((a, b) => Math.min(a, b), Infinity);
            const tint = linear(points.colours, 1);
            if (bySize) {
                points.sizes.forEach((size, i) => levelOf(size, least).toArray(tint, 4 * i));
            }
            target.geometry.dispose();
            target.geometry = new THREE.BufferGeometry()
                .setAttribute('position', new THREE.BufferAttribute(points.positions, 3))
                .setAttribute('size', new THREE.BufferAttribute(points.sizes, 1))
                .setAttribute('tint', new THREE.BufferAttribute(tint, 4));
        }
    }

    private setLines(target: THREE.LineSegments, lines: Lines | null): void {
        target.visible = lines !== null;
        if (lines) {
            target.geometry.dispose();
            target.geometry = new THREE.BufferGeometry()
                .setAttribute('position', new THREE.BufferAttribute(lines.positions, 3))
                .setAttribute('color', new THREE.BufferAttribute(linear(lines.colours, 2), 4));
        }
    }

    /** Twelve lines per cell; the first three are its edges from one corner. Cells before the plane are left out whole. */
    private setCells(lines: Lines | null, clip: THREE.Plane | null): void {
        this.edges.visible = lines !== null;
        if (this.cells) {
            this.group.remove(this.cells);
            this.cells.geometry.dispose();
            this.cells.dispose();
            this.cells = null;
        }
        if (!lines) {
            return;
        }
        const { positions: p } = lines;
        const all = p.length / 72;
        const behind: number[] = [];
        const at = new THREE.Vector3(), edge = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
        const read = (cell: number) => {
            at.fromArray(p, 72 * cell);
            edge.forEach((e, k) => e.fromArray(p, 72 * cell + 6 * k + 3).sub(at));
        };
        for (let i = 0; i < all; ++i) {
            read(i);
            const middle = edge.reduce((m, e) => m.addScaledVector(e, 0.5), at.clone());
            if (!clip || clip.distanceToPoint(middle) > 0) {
                behind.push(i);
            }
        }
        const box = new THREE.BoxGeometry(1, 1, 1).translate(0.5, 0.5, 0.5);
        const mesh = new THREE.InstancedMesh(box, this.cellMaterial, behind.length);
        let least = Infinity;
        for (let i = 0; i < all; ++i) {
            read(i);
            least = Math.min(least, edge[0]!.length());
        }
        const matrix = new THREE.Matrix4(), outline = new Float32Array(72 * behind.length);
        behind.forEach((cell, i) => {
            read(cell);
            matrix.makeBasis(edge[0]!, edge[1]!, edge[2]!).setPosition(at);
            mesh.setMatrixAt(i, matrix);
            mesh.setColorAt(i, levelOf(edge[0]!.length(), 1.2 * least)); // cells are deformed
            outline.set(p.subarray(72 * cell, 72 * cell + 72), 72 * i);
        });
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        this.cells = mesh;
        this.group.add(mesh);
        this.edges.geometry.dispose();
        this.edges.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(outline, 3));
    }
}
