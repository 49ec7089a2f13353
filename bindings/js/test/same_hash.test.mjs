// SPDX-License-Identifier: MIT
// The module and the native tool (8 floats at a time where the machine has AVX2) come to the same bits.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { init } from '../dist/index.js';
import { tool } from './kit.mjs';

const limber = await init();
const run = promisify(execFile);

// Every kind of body, contact, cuts, tears, plastic flow, links, wind, detail; a moment of each is enough.
const SCENES = { creature: 0.6, hand: 0.2, flower: 0.2, liver_cut: 0.5, torn_sheet: 0.15, clay: 0.15, chain: 0.2, fly_by: 0.15, bars: 0.2, pegs: 0.1 };

test('scenes', { skip: tool === undefined && 'no native tool is built' }, async (t) => {
    for (const [name, seconds] of Object.entries(SCENES)) {
        await t.test(name, async () => {
            const native = run(tool, ['run', name, '--seconds', String(seconds), '--quiet', '--json'], { maxBuffer: 1 << 26 });
            const scene = limber.scene(name), ours = scene.start();
            const { hash, steps } = JSON.parse((await native).stdout);
            while (ours.steps < steps) {
                ours.step();
            }
            assert.ok(steps > 3);
            assert.equal(ours.world.hash().toString(16).padStart(16, '0'), hash);
            ours.dispose();
            scene.dispose();
        });
    }
});
