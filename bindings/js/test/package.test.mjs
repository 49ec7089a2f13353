// SPDX-License-Identifier: MIT
// The tarball of `npm pack`, installed in a fresh folder without a network, works from node by both entries.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { here } from './kit.mjs';

const folder = mkdtempSync(join(tmpdir(), 'limber-pack-'));
after(() => rmSync(folder, { recursive: true }));
const npm = (args, cwd) => execFileSync('npm', [...args, '--silent', '--offline', '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' });

test('npm pack, npm install, node', () => {
    const tarball = join(folder, npm(['pack', '--pack-destination', folder], here).trim());
    const files = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).split('\n');
    for (const file of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/slim.js', 'dist/limber.wasm', 'dist/generated/types.d.ts']) {
        assert.ok(files.includes(`package/${file}`), `${file} is not in the tarball`);
    }
    assert.ok(!files.some((f) => /\/(src|test|tools|node_modules)\//.test(f)));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    npm(['install', tarball], folder);
    for (const entry of ['limber', 'limber/slim']) {
        writeFileSync(join(folder, 'use.mjs'), `import { init } from '${entry}'; const l = await init(); const w = l.createWorld(); w.step(); console.log(w.report.tick);`);
        assert.equal(execFileSync(process.execPath, ['use.mjs'], { cwd: folder, encoding: 'utf8' }), '1\n');
    }
});

test('no lock file names a registry or a path', () => {
    const lock = JSON.parse(readFileSync(join(here, 'package-lock.json'), 'utf8'));
    for (const [name, entry] of Object.entries(lock.packages)) {
        assert.equal(entry.resolved, undefined, name);
    }
});
