// SPDX-License-Identifier: MIT
// Every scene of the gallery starts, moves and is drawn without a complaint; and what the page takes to come.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { here } from '../tools/serve.mjs';
import { openBrowser, openPage, reported, started } from './kit.mjs';

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

test('every scene has a picture, starts and moves without a complaint', async (t) => {
    const { page, complaints, close } = await openPage(browser, { path: '?quality=4', width: 480, height: 320 });
    await started(page);
    const names = await page.evaluate(() => [...document.querySelectorAll('.thumb')].map((b) => b.dataset.scene));
    const known = await page.evaluate(() => window.studio.panel.kind._names);
    assert.ok(names.length > 30);
    assert.ok(known.every((kind) => names.includes(`duck_${kind}`)), `a scene for each kind of ${known}`);
    for (const name of names) {
        await t.test(name, async () => {
            assert.ok(existsSync(join(here, 'public/thumbs', `${name}.jpg`)), 'no picture: ./x studio thumbs');
            await page.evaluate((n) => document.querySelector(`.thumb[data-scene="${n}"]`).click(), name);
            await page.waitForFunction((n) => window.studio.current.name === n, name);
            await started(page, name);
            const first = await page.evaluate(() => { window.studio.lastReport = null; return [...window.studio.bodies.all.values()].map((b) => b.frame?.positions.filter((_, k) => k % 53 === 0)); });
            await reported(page, '(r) => r.step >= 8', null, 120_000);
            await page.waitForFunction((f) => [...window.studio.bodies.all.values()].some((one, i) => f[i] && one.frame?.positions.filter((_, k) => k % 53 === 0).some((x, k) => x !== f[i][k])), first.map((one) => one && Object.values(one)));
            assert.deepEqual(complaints, []);
        });
    }
    await close();
});

test('the folder needs no network', () => {
    const html = readFileSync(join(here, 'dist/index.html'), 'utf8');
    assert.ok(!/(src|href)="https?:/.test(html));
    const lock = JSON.parse(readFileSync(join(here, 'package-lock.json'), 'utf8'));
    for (const [name, entry] of Object.entries(lock.packages)) {
        assert.ok(entry.resolved === undefined || entry.link, name);
    }
});

test('how long it takes', async (t) => {
    const { page, close } = await openPage(browser, { path: '?quality=4#scene=hand', width: 480, height: 320 });
    await started(page, 'hand');
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
    t.diagnostic(`first paint after ${Math.round(paint)} ms`);
    const ring = (n) => Array.from({ length: n }, (_, i) => i);
    const [across, along] = [100, 100]; // 20,000 triangles: a ring
    const lines = ring(along).flatMap((i) => ring(across).map((j) => {
        const a = (2 * Math.PI * i) / along, b = (2 * Math.PI * j) / across, r = 1 + 0.35 * Math.cos(b);
        return `v ${(r * Math.cos(a)).toFixed(5)} ${(0.35 * Math.sin(b)).toFixed(5)} ${(r * Math.sin(a)).toFixed(5)}`;
    }));
    const at = (i, j) => 1 + (i % along) * across + (j % across);
    lines.push(...ring(along).flatMap((i) => ring(across).flatMap((j) => [`f ${at(i, j)} ${at(i, j + 1)} ${at(i + 1, j + 1)}`, `f ${at(i, j)} ${at(i + 1, j + 1)} ${at(i + 1, j)}`])));
    const taken = await page.evaluate((text) => {
        const earlier = performance.now();
        window.studio.lastReport = null;
        window.studio.openFile(new File([text], 'ring.obj'));
        return new Promise((resolve) => {
            const look = () => (window.studio.current.name === 'ring' && [...window.studio.bodies.all.values()][0]?.frame ? resolve(performance.now() - earlier) : requestAnimationFrame(look));
            look();
        });
    }, lines.join('\n'));
    t.diagnostic(`a mesh of 20,000 triangles moves ${Math.round(taken)} ms after it was dropped`);
    await page.evaluate(() => window.studio.open({ scene: 'press', params: { nodes: 1000 } }));
    await started(page, 'press');
    await reported(page, '(r) => r.step > 60 && r.stages.bodiesAwake > 0');
    t.diagnostic(`a step of ${await page.evaluate(() => window.studio.lastReport.stages.nodes)} nodes in contact takes ${(await page.evaluate(() => window.studio.lastReport.stepTime)).toFixed(2)} ms`);
    assert.ok(paint > 0 && taken > 0);
    await close();
});
