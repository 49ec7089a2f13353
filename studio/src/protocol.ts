// SPDX-License-Identifier: MIT
// What the page and the simulation in its worker say to each other.
import type { BodyLimits, Camera, Kind, Preset, Shape, StepReport, Vec3 } from 'limber';

export type Triple = [number, number, number];

/** What a session begins with; together with its log it ends in the same hash everywhere. */
export interface Start {
    /** Of a built-in scene; else what `json` describes, or the file that was dropped */
    scene: string;
    json?: string;
    mesh?: { name: string; bytes: Uint8Array };
    params: Params;
}
/** What a scene is built with in place of its own values */
export interface Params {
    kind?: Kind;
    nodes?: number;
    coarsen?: number;
    regionWidth?: number;
    substeps?: number;
}

export interface MaterialChange {
    preset?: Preset;
    density?: number; young?: number; viscosity?: number; dampingTime?: number; friction?: number; restitution?: number;
    volume?: number; pressure?: number; yield?: number; creep?: number; maxStrain?: number;
}
export type MaterialState = Required<Omit<MaterialChange, 'preset'>>;

/** An action of a hand: numbers and names only, so that a link can carry it. Bodies are keys. */
export type Act =
    | ['grab', number, number, number, number, number] // id, body, point
    | ['pull', number, number, number, number] // id, where to
    | ['drop', number]
    | ['press', number, number, number, number] // radius, where its centre starts
    | ['probe', number, number, number] // where its centre goes
    | ['lift']
    | ['cut', number[], number, number[]] // bodies, goes on, 6 numbers per station: tip, back
    | ['split', number, number, number, number] // a direction to part into, and how fast
    | ['paint', number, number, number, number, number, number] // body, point, radius, factor
    | ['refine' | 'coarsen', number, number, number, number, number] // body, point, radius
    | ['pin', number, number, number, number, number] // body, point, radius
    | ['unpin', number]
    | ['material', MaterialChange]
    | ['gravity', number, number, number]
    | ['wind', number, number, number, number, number]; // velocity, gust, density
export type Logged = [step: number, ...act: Act];

export interface View {
    /** Colours of the skin by a measure */
    values: 'none' | 'strain' | 'plastic' | 'stiffness';
    nodes: boolean; cells: boolean; graph: boolean; contacts: boolean;
    /** Show the region of the node nearest to it */
    region: { body: number; at: Triple } | null;
}

export type ToWorker =
    | { type: 'start'; start: Start; replay?: { log: Logged[]; steps: number; fast: boolean } }
    | { type: 'act'; act: Act; undo: boolean }
    | { type: 'go'; running: boolean; speed: number }
    | { type: 'step' } | { type: 'reset' } | { type: 'undo' } | { type: 'hurry' }
    | { type: 'view'; view: View }
    | { type: 'shown'; buffers: ArrayBuffer[] }
    | { type: 'state'; id: number } | { type: 'file'; id: number };

export interface ShapeMessage {
    key: number;
    name: string;
    /** Triangles of the skin, then those of the faces of cuts */
    indices: Uint32Array;
    outer: number;
    /** First index and submesh of each run of triangles in the first part */
    runs: [first: number, count: number, submesh: number][];
    vertexCount: number;
    /** At rest, metres: for patterns that stick to the material */
    rest: Float32Array;
    colours: Float32Array | null;
    uvs: Float32Array | null;
    colour: Triple | null;
    inner: Triple;
    /** Of a piece: the body that it came from */
    from: number;
    /** The longest side at rest, metres */
    size: number;
}
export interface BodyFrame {
    key: number;
    positions: Float32Array;
    normals: Float32Array;
    values: Float32Array | null;
}
export interface ColliderShape {
    shape: Shape;
    size: Triple;
    points: Float32Array | null; indices: Uint32Array | null; heights: Float32Array | null;
    columns: number; rows: number;
    colour: Triple | null;
    ground: boolean;
}
export interface Tool {
    kind: 'pin' | 'grab' | 'blade';
    shape: Shape; size: Triple; position: Triple; rotation: [number, number, number, number]; driven: boolean;
    from: Triple; to: Triple; forward: Triple;
    /** Of a pin of the page: its id; else -1 */
    id: number;
}
export interface Lines { positions: Float32Array; colours: Uint32Array; }
export interface Points { positions: Float32Array; sizes: Float32Array; colours: Uint32Array; }
export interface Frame {
    type: 'frame';
    step: number;
    time: number;
    bodies: BodyFrame[];
    keys: number[];
    /** 7 per collider: position, orientation */
    poses: Float32Array;
    tools: Tool[];
    /** `felt`: seconds and newton of each step since the last frame */
    probe: { position: Triple; radius: number; depth: number; felt: [time: number, force: number][] } | null;
    nodes: Points | null; cells: Lines | null; graph: Lines | null; contacts: Lines | null; region: { points: Points; lines: Lines } | null;
}
export interface Report {
    type: 'report';
    step: number; time: number; hash: string;
    stages: StepReport;
    regions: number; vertices: number; triangles: number; pieces: number;
    /** Milliseconds that a step takes, and simulated seconds per second */
    stepTime: number; pace: number;
    ended: boolean;
    limits: BodyLimits | null;
    material: MaterialState | null;
    gravity: Vec3;
    running: boolean; undos: number; actions: number; replaying: boolean;
    memory: number;
}
export interface Started {
    type: 'started';
    name: string; about: string; dt: number; substeps: number;
    camera: Camera | null;
    colliders: ColliderShape[];
    lower: Triple; upper: Triple;
    ground: number | null;
    kind: Kind; nodes: number; coarsen: number; regionWidth: number; cell: number;
    buildTime: number;
}
export interface SessionState { start: Start; log: Logged[]; steps: number; hash: string; }
export type FromWorker =
    | { type: 'ready'; version: string; kinds: Kind[]; presets: Preset[]; scenes: { name: string; about: string }[] }
    | { type: 'building'; done: number; stage: string }
    | Started | Frame | Report
    | { type: 'shapes'; shapes: ShapeMessage[] }
    | { type: 'said'; text: string; level: 'error' | 'note'; where: 'start' | 'act' | 'step' }
    | { type: 'edited'; act: Act[0]; seconds: number; pieces: number; nodes: number; before: number; changed: boolean }
    | { type: 'replayed'; hash: string }
    | { type: 'pinned'; id: number }
    | { type: 'answer'; id: number; value: unknown };
