// SPDX-License-Identifier: MIT
// What skin and the faces of cuts look like: three's standard material, and on top of it light that
// scatters under the surface, a reflection of the sky, darkness near the ground, colours of a measure,
// and patterns that stick to the material.
import * as THREE from 'three';

/** Shared by all: set once per frame */
export const surroundings = {
    uGround: { value: -1e6 },
    uScale: { value: 1 },
    uRamp: { value: 0 },
    uRange: { value: 0.1 },
    uPattern: { value: 0 },
    uGlow: { value: 1 },
};

const VERTEX_HEAD = /* glsl */ `
attribute float value;
attribute vec3 rest;
varying float vValue;
varying vec3 vRest;
varying vec3 vWorld;
`;
const FRAGMENT_HEAD = /* glsl */ `
uniform float uGround, uScale, uRamp, uRange, uPattern, uGlow, uInner;
varying float vValue;
varying vec3 vRest;
varying vec3 vWorld;

float cellNoise(vec3 p) {
    p = fract(p * vec3(0.1031, 0.1030, 0.0973));
    p += dot(p, p.yxz + 33.33);
    return fract((p.x + p.y) * p.z);
}
float smoothNoise(vec3 p) {
    vec3 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(cellNoise(i), cellNoise(i + vec3(1, 0, 0)), f.x), mix(cellNoise(i + vec3(0, 1, 0)), cellNoise(i + vec3(1, 1, 0)), f.x), f.y),
               mix(mix(cellNoise(i + vec3(0, 0, 1)), cellNoise(i + vec3(1, 0, 1)), f.x), mix(cellNoise(i + vec3(0, 1, 1)), cellNoise(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}
vec3 ramp(float t) {
    vec3 low = vec3(0.10, 0.25, 0.70), middle = vec3(0.85, 0.85, 0.80), high = vec3(0.75, 0.08, 0.05); // strain
    if (uRamp > 1.5) { low = vec3(0.62, 0.62, 0.60); middle = vec3(0.85, 0.38, 0.06); high = vec3(0.36, 0.02, 0.05); } // plastic
    if (uRamp > 2.5) { low = vec3(0.08, 0.45, 0.42); middle = vec3(0.88, 0.86, 0.80); high = vec3(0.45, 0.10, 0.38); t = t * 0.5 + 0.5 * uRange; } // factors
    float s = clamp(t / uRange, 0.0, 2.0) * (uRamp > 2.5 ? 2.0 : 1.0);
    return s < 1.0 ? mix(low, middle, s) : mix(middle, high, min(s - 1.0, 1.0));
}
vec3 skyLight(vec3 d) {
    vec3 c = mix(vec3(0.36, 0.34, 0.33), vec3(0.78, 0.82, 0.88), smoothstep(-0.25, 0.12, d.y));
    c = mix(c, vec3(0.55, 0.64, 0.76), smoothstep(0.2, 0.9, d.y));
    float box = smoothstep(0.72, 0.80, dot(d, normalize(vec3(-0.55, 0.75, 0.35)))); // a soft box beside the camera
    return c + vec3(1.9, 1.8, 1.65) * box;
}
`;
const COLOUR = /* glsl */ `
#include <color_fragment>
if (uInner > 0.5) {
    vec3 q = vRest / uScale;
    float grain = smoothNoise(q * 9.0 + 3.0 * smoothNoise(q * 5.0));
    float fine = smoothNoise(q * 70.0);
    diffuseColor.rgb *= 0.86 + 0.26 * smoothstep(0.25, 0.8, grain) + 0.10 * (fine - 0.5);
}
if (uPattern > 0.5) {
    vec3 q = vRest / uScale * 14.0;
    vec3 w = fwidth(q) * 1.5 + 1e-4;
    vec3 i = 2.0 * (abs(fract((q - 0.5 * w) * 0.5) - 0.5) - abs(fract((q + 0.5 * w) * 0.5) - 0.5)) / w;
    diffuseColor.rgb *= 0.78 + 0.22 * i.x * i.y * i.z;
}
if (uRamp > 0.5) {
    diffuseColor.rgb = ramp(vValue);
}
`;
const LIGHT = /* glsl */ `
#include <lights_fragment_end>
{
    vec3 key = directionalLights[0].direction;
    vec3 keyColour = directionalLights[0].color;
    float facing = dot(normal, key);
    float wrapped = clamp((facing + 0.6) / 1.6, 0.0, 1.0);
    vec3 deep = diffuseColor.rgb * mix(vec3(1.0), diffuseColor.rgb * 1.6, 0.6) * vec3(1.12, 0.94, 0.88);
    reflectedLight.indirectDiffuse += uGlow * deep * keyColour * (wrapped * wrapped - max(facing, 0.0) * 0.62) * 0.115; // bleeds over the edge of light
    float nv = clamp(dot(normal, geometryViewDir), 0.0, 1.0);
    float behind = pow(clamp(dot(-geometryViewDir, key), 0.0, 1.0), 2.0) * pow(1.0 - nv, 2.0);
    reflectedLight.indirectDiffuse += uGlow * deep * keyColour * behind * 0.5; // through thin rims
    vec3 up = inverseTransformDirection(normal, viewMatrix);
    float height = (vWorld.y - uGround) / uScale;
    float open = mix(1.0, smoothstep(-0.02, 0.34, height) * 0.75 + 0.25, clamp(0.62 - 0.62 * up.y, 0.0, 1.0));
    reflectedLight.indirectDiffuse *= open;
    vec3 mirrored = inverseTransformDirection(reflect(-geometryViewDir, normal), viewMatrix);
    float fresnel = 0.035 + 0.6 * pow(1.0 - nv, 5.0);
    reflectedLight.indirectSpecular += skyLight(mirrored) * fresnel * (1.0 - 0.75 * material.roughness) * open;
}
`;

export interface FleshOptions { inner?: boolean; map?: THREE.Texture | null; vertexColours?: boolean; colour?: THREE.Color; }

export function fleshMaterial({ inner = false, map = null, vertexColours = false, colour = new THREE.Color(1, 1, 1) }: FleshOptions): THREE.MeshStandardMaterial {
    const material = new THREE.MeshStandardMaterial({ color: colour, roughness: inner ? 0.48 : 0.4, metalness: 0, vertexColors: vertexColours, map, side: THREE.DoubleSide, shadowSide: THREE.DoubleSide });
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, surroundings, { uInner: { value: inner ? 1 : 0 } });
        shader.vertexShader = VERTEX_HEAD + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\nvValue = value; vRest = rest; vWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;');
        shader.fragmentShader = FRAGMENT_HEAD + shader.fragmentShader.replace('#include <color_fragment>', COLOUR).replace('#include <lights_fragment_end>', LIGHT);
    };
    material.customProgramCacheKey = () => 'flesh';
    return material;
}
