// SPDX-License-Identifier: MIT
// The example for node does what it says, and the one with three.js is short.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { here } from './kit.mjs';

test('drop.mjs', () => {
    const said = execFileSync(process.execPath, [join(here, 'examples/drop.mjs')], { encoding: 'utf8', cwd: here, stdio: ['ignore', 'pipe', 'ignore'] });
    assert.match(said, /[\d.]+ kg rest at 0\.\d+ m/);
    assert.match(said, /cut into [2-9] pieces with \d+ new triangles/);
});

test('three.html has under 60 lines', () => {
    const script = /<script type="module">\n([\s\S]*)<\/script>/.exec(readFileSync(join(here, 'examples/three.html'), 'utf8'))[1];
    assert.ok(script.trim().split('\n').length < 60);
});
