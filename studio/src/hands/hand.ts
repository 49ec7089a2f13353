// SPDX-License-Identifier: MIT
// What a hand is, and what it works with.
import * as THREE from 'three';
import type { Simulation } from '../simulation';
import type { Bodies, BodyHit } from '../view/bodies';
import type { Props } from '../view/props';
import type { Stage } from '../view/stage';

export interface Table { stage: Stage; bodies: Bodies; props: Props; sim: Simulation; radius: () => number; say: (text: string) => void; }
export interface Touch { id: number; x: number; y: number; ray: THREE.Raycaster; hit: BodyHit | null; shift: boolean; }

export interface Hand {
    /** Takes the touch, or leaves it to the camera. */
    down(touch: Touch): boolean;
    move(touch: Touch): void;
    up(touch: Touch): void;
    /** A second finger comes: whether the first may go to the camera with it */
    cancel?(): boolean;
    /** Over the body without a button */
    hover?(touch: Touch | null): void;
    wheel?(by: number): boolean;
    /** Once per frame */
    tick?(seconds: number): void;
    edited?(changed: boolean): void;
    leave?(): void;
}

/** Short numbers, so that links are: a hundredth of a millimetre in a body of a metre. */
export function round(x: number): number {
    return Math.round(x * 1e5) / 1e5;
}
export const rounded = (v: THREE.Vector3): [number, number, number] => [round(v.x), round(v.y), round(v.z)];

/** The plane through a point that looks at the camera */
export function facing(camera: THREE.Camera, point: THREE.Vector3): THREE.Plane {
    return new THREE.Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()).negate(), point);
}
