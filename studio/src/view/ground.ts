// SPDX-License-Identifier: MIT
// Backdrop and ground: soft squares that fade into the horizon, and the darkness under bodies, which is
// drawn from below: how high each place is above the ground, blurred.
import * as THREE from 'three';

export const HORIZON = new THREE.Color('#edf0f3').convertSRGBToLinear();
const ZENITH = new THREE.Color('#c1cfdc').convertSRGBToLinear();
export const BODIES_LAYER = 1;

export function makeBackdrop(): THREE.Mesh {
    const material = new THREE.ShaderMaterial({
        side: THREE.BackSide, depthWrite: false, depthTest: false, toneMapped: false,
        uniforms: { horizon: { value: HORIZON }, zenith: { value: ZENITH } },
        vertexShader: 'varying vec3 way; void main() { way = position; vec4 p = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0); gl_Position = p.xyww; }',
        fragmentShader: `uniform vec3 horizon, zenith; varying vec3 way;
            void main() { float y = normalize(way).y; gl_FragColor = vec4(mix(horizon, zenith, smoothstep(0.0, 0.75, y)), 1.0); 
            #include <colorspace_fragment>
            }`,
    });
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 16), material);
    mesh.frustumCulled = false;
    mesh.renderOrder = -10;
    return mesh;
}

export class Ground {
    readonly mesh: THREE.Mesh;
    private readonly uniforms = { uSquare: { value: 0.5 }, uReach: { value: 12 }, uHorizon: { value: HORIZON }, uContact: { value: null as THREE.Texture | null }, uArea: { value: new THREE.Vector4(0, 0, 1, 1) }, uDark: { value: 0.75 } };
    private readonly from = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    private readonly flat = new THREE.Camera();
    private readonly targets = [0, 1].map(() => new THREE.WebGLRenderTarget(256, 256, { depthBuffer: true, type: THREE.HalfFloatType }));
    private readonly depth = new THREE.ShaderMaterial({
        side: THREE.DoubleSide, blending: THREE.CustomBlending, blendEquation: THREE.MaxEquation, blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor, depthTest: false, depthWrite: false,
        uniforms: { uGround: { value: 0 }, uHigh: { value: 1 } },
        vertexShader: 'varying float vHeight; void main() { vec4 w = modelMatrix * vec4(position, 1.0); vHeight = w.y; gl_Position = projectionMatrix * viewMatrix * w; }',
        fragmentShader: 'uniform float uGround, uHigh; varying float vHeight; void main() { float h = clamp(1.0 - (vHeight - uGround) / uHigh, 0.0, 1.0); gl_FragColor = vec4(h * h, 0.0, 0.0, 1.0); }',
    });
    private readonly blur = new THREE.ShaderMaterial({
        depthTest: false, uniforms: { tDark: { value: null as THREE.Texture | null }, uStep: { value: new THREE.Vector2() } },
        vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
        fragmentShader: `uniform sampler2D tDark; uniform vec2 uStep; varying vec2 at;
            void main() { float sum = 0.0, all = 0.0; for (int i = -8; i <= 8; ++i) { float w = exp(-float(i * i) / 26.0); sum += w * texture2D(tDark, at + float(i) * uStep).r; all += w; } gl_FragColor = vec4(sum / all); }`,
    });
    private readonly quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.blur);

    constructor() {
        const material = new THREE.MeshStandardMaterial({ color: '#d3d4d5', roughness: 0.85 });
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.uniforms);
            shader.vertexShader = `varying vec3 vWorld;\n${shader.vertexShader}`.replace('#include <begin_vertex>', '#include <begin_vertex>\nvWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;');
            shader.fragmentShader = `uniform float uSquare, uReach, uDark; uniform vec3 uHorizon; uniform vec4 uArea; uniform sampler2D uContact; varying vec3 vWorld;\n${shader.fragmentShader}`
                .replace('#include <color_fragment>', `#include <color_fragment>
                    { vec2 q = vWorld.xz / uSquare; vec2 w = fwidth(q) * 1.6 + 1e-4;
                      vec2 i = 2.0 * (abs(fract((q - 0.5 * w) * 0.5) - 0.5) - abs(fract((q + 0.5 * w) * 0.5) - 0.5)) / w;
                      float fade = exp(-dot(w, w) * 6.0);
                      diffuseColor.rgb *= 0.955 + 0.045 * i.x * i.y * fade; }`)
                .replace('#include <opaque_fragment>', `
                    { vec2 at = (vWorld.xz - uArea.xy) / uArea.zw + 0.5;
                      vec2 edge = smoothstep(vec2(0.0), vec2(0.06), at) * smoothstep(vec2(0.0), vec2(0.06), 1.0 - at);
                      float dark = texture2D(uContact, at).r * edge.x * edge.y;
                      outgoingLight *= 1.0 - uDark * dark; }
                    float away = length(vWorld - cameraPosition);
                    float gone = smoothstep(0.25, 1.0, away / uReach);
                    #include <opaque_fragment>`)
                .replace('#include <colorspace_fragment>', 'gl_FragColor.rgb = mix(gl_FragColor.rgb, uHorizon, gone);\n#include <colorspace_fragment>');
        };
        this.mesh = new THREE.Mesh(new THREE.CircleGeometry(1, 96).rotateX(-Math.PI / 2), material);
        this.mesh.receiveShadow = true;
        this.quad.frustumCulled = false;
        this.from.layers.set(BODIES_LAYER);
    }

    /** For a scene of this size: squares, and how far it reaches. */
    suit(height: number | null, size: number): void {
        this.mesh.visible = height !== null;
        this.mesh.position.y = height ?? 0;
        const reach = 16 * size;
        this.mesh.scale.setScalar(reach * 1.5);
        this.uniforms.uReach.value = reach;
        this.uniforms.uSquare.value = 10 ** Math.round(Math.log10(size * 0.5)) * 0.5;
    }

    /** The darkness under what is in the box. */
    drawContact(renderer: THREE.WebGLRenderer, scene: THREE.Scene, box: THREE.Box3): void {
        if (!this.mesh.visible || box.isEmpty()) {
            this.uniforms.uDark.value = 0;
            return;
        }
        const size = box.getSize(new THREE.Vector3()), centre = box.getCenter(new THREE.Vector3());
        const y = this.mesh.position.y, high = 0.28 * Math.min(Math.max(size.x, size.y, size.z), 3 * Math.min(size.x, size.y + size.z, size.z + size.x));
        const width = size.x + 2 * high, depth = size.z + 2 * high;
        Object.assign(this.from, { left: -width / 2, right: width / 2, top: depth / 2, bottom: -depth / 2, near: 0, far: high + 0.2 * size.y });
        this.from.position.set(centre.x, y - 0.1 * size.y, centre.z);
        this.from.up.set(0, 0, 1);
        this.from.lookAt(centre.x, y + 1, centre.z);
        this.from.updateProjectionMatrix();
        this.from.updateMatrixWorld();
        this.depth.uniforms['uGround']!.value = y;
        this.depth.uniforms['uHigh']!.value = high;
        const [a, b] = this.targets as [THREE.WebGLRenderTarget, THREE.WebGLRenderTarget];
        const shadows = renderer.shadowMap.autoUpdate, colour = renderer.getClearColor(new THREE.Color()), alpha = renderer.getClearAlpha();
        renderer.shadowMap.autoUpdate = false;
        renderer.setClearColor(0, 0);
        scene.overrideMaterial = this.depth;
        renderer.setRenderTarget(a);
        renderer.clear();
        renderer.render(scene, this.from);
        scene.overrideMaterial = null;
        for (const [source, target, x, z] of [[a, b, 1 / 256, 0], [b, a, 0, 1 / 256]] as const) {
            this.blur.uniforms['tDark']!.value = source.texture;
            (this.blur.uniforms['uStep']!.value as THREE.Vector2).set(x, z).multiplyScalar(1.4);
            renderer.setRenderTarget(target);
            renderer.render(this.quad, this.flat);
        }
        renderer.setRenderTarget(null);
        renderer.setClearColor(colour, alpha);
        renderer.shadowMap.autoUpdate = shadows;
        this.uniforms.uContact.value = a.texture;
        this.uniforms.uDark.value = 0.6;
        this.uniforms.uArea.value.set(centre.x, centre.z, width, depth);
    }
}
