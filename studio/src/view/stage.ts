// SPDX-License-Identifier: MIT
// The place where everything stands: renderer, lights, camera, and how good a picture this machine can pay.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Started, Triple } from '../protocol';
import { BODIES_LAYER, Ground, HORIZON, makeBackdrop } from './ground';
import { surroundings } from './flesh';

/** Pixels per pixel of the page, edge of the shadow's map, whether darkness under bodies is drawn */
const QUALITIES = [
    { ratio: 2, shadow: 2048, contact: true },
    { ratio: 1.25, shadow: 1024, contact: true },
    { ratio: 1, shadow: 1024, contact: true },
    { ratio: 0.75, shadow: 512, contact: false },
    { ratio: 0.5, shadow: 512, contact: false },
];

export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(36, 1, 0.01, 200);
    readonly renderer: THREE.WebGLRenderer;
    readonly controls: OrbitControls;
    readonly ground = new Ground();
    /** Of the scene at its start; lengths of everything that is drawn beside it */
    size = 1;
    quality = 0;
    /** Fixed by the link, for pictures */
    fixed = false;
    private readonly key = new THREE.DirectionalLight('#fff3e2', 3.1);
    private readonly fill = new THREE.DirectionalLight('#f1f1f2', 0.95);
    private readonly rim = new THREE.DirectionalLight('#d5e2f5', 1.1);
    private covered = { right: 0, top: 0, bottom: 0 };
    private slow = 0;
    private moved = 0;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.toneMapping = THREE.NeutralToneMapping;
        this.renderer.toneMappingExposure = 1.12;
        this.renderer.localClippingEnabled = true;
        this.renderer.setClearColor(HORIZON);
        this.controls = new OrbitControls(this.camera, canvas);
        Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, rotateSpeed: 0.8, zoomSpeed: 0.9, zoomToCursor: true, maxPolarAngle: Math.PI * 0.93, keyPanSpeed: 20 });
        this.camera.layers.enable(BODIES_LAYER);
        const sky = new THREE.HemisphereLight('#dce6f5', '#a39a92', 1.15);
        for (const light of [this.key, this.fill, this.rim]) {
            this.scene.add(light, light.target);
        }
        sky.layers.enableAll();
        this.key.castShadow = true;
        this.key.shadow.camera.layers.enableAll();
        this.key.shadow.radius = 5;
        this.key.shadow.bias = -0.0004;
        this.scene.add(makeBackdrop(), this.ground.mesh, sky);
        this.setQuality(0);
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
        this.resize();
    }

    resize(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, QUALITIES[this.quality]!.ratio));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(height, 1);
        const { right, bottom, top } = this.covered;
        this.camera.setViewOffset(width, Math.max(height, 1), right / 2, (bottom - top) / 2, width, Math.max(height, 1));
    }

    /** What of the window is behind controls: the picture's middle is in the middle of the rest. */
    cover(right: number, top: number, bottom: number): void {
        this.covered = { right, top, bottom };
        this.resize();
    }

    /** Width over height of what is not covered */
    private get open(): number {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
        return Math.max(width - this.covered.right, 1) / Math.max(height - this.covered.top - this.covered.bottom, 1);
    }

    setQuality(quality: number): void {
        this.quality = Math.min(Math.max(quality, 0), QUALITIES.length - 1);
        const { shadow } = QUALITIES[this.quality]!;
        if (this.key.shadow.mapSize.x !== shadow) {
            this.key.shadow.mapSize.set(shadow, shadow);
            this.key.shadow.map?.dispose();
            this.key.shadow.map = null;
        }
        this.resize();
    }

    /** Camera, lights and ground for a scene. */
    suit(started: Started, keepView: boolean): void {
        const lower = new THREE.Vector3(...started.lower), upper = new THREE.Vector3(...started.upper);
        const extent = upper.clone().sub(lower);
        this.size = Math.max(extent.x, extent.y, extent.z, 1e-3);
        const fallen = lower.clone();
        if (started.ground !== null) {
            fallen.y = Math.min(lower.y, started.ground);
        }
        const radius = 0.5 * upper.distanceTo(fallen);
        if (!keepView) {
            if (started.camera) {
                const { eye, target, up, fov } = started.camera;
                this.camera.up.set(up.x, up.y, up.z);
                this.camera.position.set(eye.x, eye.y, eye.z);
                this.controls.target.set(target.x, target.y, target.z);
                // A scene's picture is wider than it is high: a tall window goes back for the width.
                this.camera.fov = THREE.MathUtils.radToDeg(fov);
                const { clientHeight: height } = this.canvas.parentElement!;
                const free = height / Math.max(height - this.covered.top - this.covered.bottom, 1);
                const back = Math.max(1, 1.2 / this.open) * (1 + 0.4 * (free - 1));
                this.camera.position.sub(this.controls.target).multiplyScalar(back).add(this.controls.target);
            } else {
                this.camera.up.set(0, 1, 0);
                this.camera.fov = 34;
                const middle = fallen.clone().add(upper).multiplyScalar(0.5);
                const narrow = Math.min(1, this.open);
                const distance = (1.12 * radius) / Math.sin(THREE.MathUtils.degToRad(17)) / narrow;
                this.controls.target.copy(middle);
                this.camera.position.set(0.42, 0.26, 0.87).normalize().multiplyScalar(distance).add(middle);
            }
        }
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.controls.minDistance = this.size * 0.05;
        this.controls.maxDistance = distance * 6;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.ground.suit(started.ground, Math.max(this.size, 0.4 * distance));
        surroundings.uGround.value = started.ground ?? -1e6;
        surroundings.uScale.value = this.size;
        this.placeLights(started.lower, started.upper);
    }

    /** Key from the left above the viewer, fill from the right, rim from behind. */
    private placeLights(lower: Triple, upper: Triple): void {
        const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0).setY(0).normalize();
        const toward = new THREE.Vector3().crossVectors(right, new THREE.Vector3(0, 1, 0));
        const centre = new THREE.Vector3(...lower).add(new THREE.Vector3(...upper)).multiplyScalar(0.5);
        const ways: [THREE.DirectionalLight, number, number, number][] = [[this.key, -0.78, 0.95, 0.36], [this.fill, 0.9, 0.25, 0.6], [this.rim, 0.55, 0.45, -0.9]];
        for (const [light, r, u, t] of ways) {
            light.userData['way'] = right.clone().multiplyScalar(r).addScaledVector(toward, t).add(new THREE.Vector3(0, u, 0)).normalize();
            light.target.position.copy(centre);
            light.position.copy(centre).addScaledVector(light.userData['way'] as THREE.Vector3, 4 * this.size);
        }
    }

    /** The shadow's map covers what is in the box, and where its shadow falls. */
    private fitShadow(box: THREE.Box3): void {
        if (box.isEmpty()) {
            return;
        }
        const sphere = box.getBoundingSphere(new THREE.Sphere());
        const camera = this.key.shadow.camera;
        const r = sphere.radius * 1.15 + 0.1 * this.size;
        this.key.target.position.copy(sphere.center);
        this.key.position.copy(sphere.center).addScaledVector(this.key.userData['way'] as THREE.Vector3, r * 3);
        Object.assign(camera, { left: -r, right: r, top: r, bottom: -r, near: r * 0.5, far: r * 8 });
        this.key.shadow.normalBias = r * 0.008 * Math.sqrt(2048 / this.key.shadow.mapSize.x) * 1.6;
        this.key.shadow.bias = -0.0006 * (2048 / this.key.shadow.mapSize.x);
        camera.updateProjectionMatrix();
    }

    render(box: THREE.Box3): void {
        this.controls.update();
        this.fitShadow(box);
        if (QUALITIES[this.quality]!.contact) {
            this.ground.drawContact(this.renderer, this.scene, box);
        }
        this.renderer.render(this.scene, this.camera);
    }

    /** Frames that take long cost pixels, until they do not. */
    adapt(frameTime: number, now: number): void {
        if (this.fixed || document.hidden || now - this.moved < 400) {
            return;
        }
        this.slow = frameTime > 38 ? this.slow + 1 : Math.max(0, this.slow - 1);
        if (this.slow > 8 && this.quality < QUALITIES.length - 1) {
            this.slow = 0;
            this.moved = now;
            this.setQuality(this.quality + 1);
        }
    }

    /** A point of the page as a ray */
    ray(x: number, y: number): THREE.Raycaster {
        const rect = this.canvas.getBoundingClientRect();
        const ray = new THREE.Raycaster();
        ray.layers.enable(BODIES_LAYER);
        ray.setFromCamera(new THREE.Vector2((2 * (x - rect.left)) / rect.width - 1, 1 - (2 * (y - rect.top)) / rect.height), this.camera);
        return ray;
    }
}
