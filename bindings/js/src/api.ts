// SPDX-License-Identifier: MIT
// What both entries of the package share.
/// <reference lib="esnext.disposable" preserve="true" />
export { LimberError } from './core.js';
export type { Log, Options, Progress, QuatLike, Vec3Like, Wish } from './core.js';
export { Limber } from './limber.js';
export type { DropOptions, InitOptions, WasmSource } from './limber.js';
export { Mesh, Model } from './model.js';
export type { Batches, MeshArrays, ModelNodes, ModelOptions, Skinning, Surface } from './model.js';
export { Snapshot, World } from './world.js';
export type { Contact, Hit, WorldEvent, WorldOptions } from './world.js';
export { Body } from './body.js';
export type { BodyOptions, BodyState, CutOptions, DebugDrawing, FractureOptions, MaterialOptions, RefineOptions, SkinView } from './body.js';
export { Collider, Grab, Link, Pin } from './holds.js';
export type { ColliderOptions, ColliderState, GrabOptions, LinkOptions, Load, PinOptions } from './holds.js';
export { RunSnapshot, Scene, SceneRun } from './scene.js';
export type { SceneBody, SceneBodyDesc, SceneInfo, SceneStart, SceneTool } from './scene.js';
export type {
    BodyLimits, BodyMotion, Box, Camera, DebugFlags, Detail, EditReport, EventKind, Goal, Kind, LogLevel, Material, MeshReport, ModelInfo,
    Preset, Quat, RefineDesc, Shape, SizeRegion, StepReport, Vec3, VertexSource, Wind, WorldDetail, Zone,
} from './generated/types.js';
