// SPDX-License-Identifier: MIT
// bench.mjs LIMBER [JOLT]: the step as WebAssembly in node beside the native one (one worker, AVX2 where
// the machine has it): what `limber bench step` and `limber bench creature` measure, built again through
// the package, in turns with them. Of each the least step, and both hashes. LIMBER is the command line
// tool, JOLT a folder where the npm package jolt-physics is installed: its soft cube falls beside ours.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { init } from '../dist/index.js';

const [tool, jolt] = process.argv.slice(2);
const ROUNDS = 4, STEPS = 200, RATIO = 1.8;
const limber = await init();

const hex = (hash) => hash.toString(16).padStart(16, '0');

function native(kind, nodes) {
    const size = nodes ? ['--nodes', String(nodes)] : [];
    const [row] = JSON.parse(execFileSync(tool, ['bench', kind, ...size, '--steps', String(STEPS), '--json'], { encoding: 'utf8' })).rows;
    return { ms: 1e-6 * row.workers[0].ns_per_node_least * row.nodes, hash: row.hash, nodes: row.nodes };
}

function steps(world, count, dt, reads) {
    let least = Infinity;
    for (let i = 0; i < count; ++i) {
        world.step(dt);
        reads?.skin();
        least = Math.min(least, world.report.total);
    }
    return 1e3 * least;
}

// A cube of one size of cells that hangs by its top, a substep at a time (cli/bench_step.c).
function cube(nodes) {
    const cell = 1 / 32, edge = Math.round(Math.cbrt(nodes)) * cell;
    const model = limber.createModel(limber.boxMesh([edge, edge, edge]), { cellSize: cell, regionWidth: 1 });
    const world = limber.createWorld({ substeps: 1, sleep: false });
    const body = world.createBody(model, { material: { young: 10e3 } });
    const { bounds, centre, cellSize } = model.info;
    const wide = bounds.upper.x - bounds.lower.x + (bounds.upper.z - bounds.lower.z);
    world.createPin(body, { shape: 'box', size: [wide, cellSize, wide], position: [0, bounds.upper.y - centre.y, 0] });
    steps(world, 100, 1 / 240);
    return { ms: steps(world, STEPS, 1 / 240), hash: hex(world.hash()), world };
}

// The creature of 3,000 nodes at rest on the ground, drawn after every step.
function creature() {
    const model = limber.createModel(limber.modelMesh('creature'), { nodeCount: 3000 });
    const world = limber.createWorld({ sleep: false });
    world.createCollider();
    const { bounds, centre } = model.info;
    const material = { young: 90e3, viscosity: 1000, dampingTime: Math.fround(0.2), friction: Math.fround(0.9) };
    const body = world.createBody(model, { material, position: [0, centre.y - bounds.lower.y + 0.002, 0] });
    steps(world, 240, 1 / 60, body);
    return { ms: steps(world, STEPS, 1 / 60, body), hash: hex(world.hash()), world };
}

console.log(`${'scene'.padEnd(26)} ${'nodes'.padStart(6)} ${'native'.padStart(9)} ${'wasm'.padStart(9)}  wasm / native  hash`);
for (const [name, kind, size, ours] of [['cube that hangs', 'step', 1000, cube], ['cube that hangs', 'step', 10648, cube], ['creature on the ground', 'creature', 0, creature]]) {
    const best = { native: Infinity, wasm: Infinity }, hashes = new Set();
    let nodes = 0;
    for (let round = 0; round < ROUNDS; ++round) {
        const n = native(kind, size), w = ours(size);
        best.native = Math.min(best.native, n.ms);
        best.wasm = Math.min(best.wasm, w.ms);
        hashes.add(n.hash).add(w.hash);
        nodes = n.nodes;
        w.world.dispose();
    }
    const ratio = best.wasm / best.native;
    console.log(`${name.padEnd(26)} ${String(nodes).padStart(6)} ${best.native.toFixed(3).padStart(6)} ms ${best.wasm.toFixed(3).padStart(6)} ms  ${ratio.toFixed(2)}${ratio > RATIO ? ` (more than ${RATIO})` : ''}  ${[...hashes].join(' ')}${hashes.size === 1 ? ', the same' : ', DIFFERENT'}`);
    if (hashes.size > 1) {
        process.exitCode = 1;
    }
}
