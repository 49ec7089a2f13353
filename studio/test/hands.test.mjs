// SPDX-License-Identifier: MIT
// Hands on the page, in Chromium: each does what it says, undo and reset go back, and a link ends in the same hash.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import validator from 'gltf-validator';
import { closeAll, drag, notes, openBrowser, openPage, openScene, place, report, reported, started, still, until } from './kit.mjs';

let browser;
const folder = mkdtempSync(join(tmpdir(), 'limber-studio-'));
before(async () => (browser = await openBrowser()));
afterEach(closeAll);
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
});

const centreOf = (page) => page.evaluate(() => window.studio.bodies.box.getCenter(window.studio.stage.camera.position.clone()).toArray());

test('grabbing moves the body; undo and reset go back to the same hash', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube');
    await page.evaluate(() => { window.studio.setRunning(false); window.studio.sim.reset(); });
    const start = await still(page);
    await page.evaluate(() => window.studio.setRunning(true));
    await until(page, 0.3);
    const earlier = await centreOf(page), at = await place(page);
    const held = await drag(page, [at.x, at.y], [at.x + 40, at.y - 150]);
    await page.waitForFunction((y) => window.studio.bodies.box.getCenter(window.studio.stage.camera.position.clone()).y > y + 0.05, earlier[1]);
    await held.end();
    await reported(page, '(r) => r.undos === 1');
    await page.keyboard.press('z');
    await reported(page, '(r) => r.undos === 0 && r.actions === 0');
    await page.evaluate(() => { window.studio.setRunning(false); window.studio.sim.reset(); });
    const again = await still(page);
    assert.equal(again.step, 0);
    assert.equal(again.hash, start.hash);
    assert.deepEqual(complaints, []);
    await close();
});

test('a stroke of the knife cuts, and undo mends', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube');
    await until(page, 0.3);
    const revision = () => page.evaluate(() => [...window.studio.bodies.all.values()].reduce((n, b) => n + b.shape.indices.length, 0));
    const earlier = await revision();
    await page.keyboard.press('k');
    const { x, y, r } = await place(page);
    await (await drag(page, [x - 1.3 * r, y - 10], [x + 1.3 * r, y + 20], { steps: 24 })).end();
    await reported(page, '(r) => r.pieces >= 2');
    await page.waitForFunction((n) => [...window.studio.bodies.all.values()].reduce((m, b) => m + b.shape.indices.length, 0) > n, earlier);
    assert.ok(await page.evaluate(() => [...window.studio.bodies.all.values()].every((b) => b.shape.outer < b.shape.indices.length)), 'each piece has faces of the cut');
    assert.match((await notes(page)).join(), /bodies now/);
    await page.keyboard.press('z');
    await reported(page, '(r) => r.pieces === 1');
    await page.waitForFunction((n) => [...window.studio.bodies.all.values()].reduce((m, b) => m + b.shape.indices.length, 0) === n, earlier);
    await page.keyboard.press('x'); // through the middle, by key
    await reported(page, '(r) => r.pieces >= 2');
    assert.deepEqual(complaints, []);
    await close();
});

test('the force on the probe rises while it presses', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube');
    await until(page, 0.3);
    await page.keyboard.press('p');
    const { x, y } = await place(page);
    await page.mouse.move(x, y - 20);
    await page.mouse.down();
    const forces = () => page.evaluate(() => window.studio.force.samples.map((s) => s.force));
    await page.waitForFunction(() => window.studio.force.samples.length > 4);
    const early = (await forces()).slice(0, 3);
    await page.waitForFunction((f) => window.studio.force.samples.at(-1).force > f + 5, Math.max(...early), { timeout: 20_000 });
    assert.ok(await page.locator('#force').isVisible());
    assert.match(await page.locator('#force b').innerText(), /\d N$/);
    await page.mouse.up();
    await page.waitForFunction(() => !window.studio.props.probe.visible);
    assert.deepEqual(complaints, []);
    await close();
});

test('brushes change stiffness and node counts; pins hold and let go', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube');
    await page.evaluate(() => window.studio.rebuild({ coarsen: 2 }));
    await page.waitForFunction(() => window.studio.current.coarsen === 2);
    await until(page, 0.3);
    const { x, y } = await place(page);
    await page.keyboard.press('s');
    await page.waitForFunction(() => [...window.studio.bodies.all.values()][0].mesh.geometry.getAttribute('value').array.every((v) => Math.abs(v) < 0.01));
    await (await drag(page, [x, y], [x + 15, y + 10], { steps: 5, wait: 60 })).end();
    await page.waitForFunction(() => [...window.studio.bodies.all.values()][0].mesh.geometry.getAttribute('value').array.some((v) => v > 0.3));
    const painted = await still(page);
    assert.ok(painted.actions > 0);
    await page.keyboard.press('r');
    await page.evaluate(() => window.studio.setRunning(true));
    const { nodes } = await report(page);
    await (await drag(page, [x, y], [x + 20, y], { steps: 3, wait: 150 })).end();
    await reported(page, '(r, n) => r.stages.nodes > n', nodes);
    await page.keyboard.press('n');
    await page.mouse.click(x, y);
    await page.waitForFunction(() => window.studio.props.tools.children.some((t) => t.userData.id === 0));
    const pin = await page.evaluate(() => {
        const { props, stage } = window.studio;
        const p = props.tools.children.find((t) => t.userData.id === 0).children[0].position.clone().project(stage.camera);
        return [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight];
    });
    await page.mouse.click(...pin);
    await page.waitForFunction(() => window.studio.props.tools.children.length === 0);
    assert.deepEqual(complaints, []);
    await close();
});

test('a link replays to the same hash', async () => {
    const { page, close } = await openScene(browser, 'cube');
    await page.evaluate(() => window.studio.panel.actions.material({ young: 20000 }));
    await until(page, 0.3);
    const { x, y, r } = await place(page);
    const held = await drag(page, [x, y], [x + 50, y - 60]);
    await held.end();
    await page.evaluate(() => window.studio.panel.actions.gravity(1, -8, 0));
    await page.keyboard.press('k');
    await (await drag(page, [x - 1.4 * r, y - 30], [x + 1.4 * r, y - 10], { steps: 20 })).end();
    await reported(page, '(r) => r.pieces >= 2');
    const end = await still(page);
    const link = await page.evaluate(() => window.studio.share());
    const parts = new URL(link);
    await close();
    const other = await openPage(browser, { path: parts.search + parts.hash });
    await other.page.waitForFunction(() => window.studio?.sim);
    await started(other.page);
    await other.page.getByRole('button', { name: 'To its end' }).click();
    await reported(other.page, '(r, s) => r.step === s && !r.running && !r.replaying', end.step);
    const replayed = await report(other.page);
    assert.equal(replayed.hash, end.hash);
    assert.match((await notes(other.page)).join(), /the same as where it was made/);
    assert.ok(replayed.actions > 10);
    assert.deepEqual(other.complaints, []);
    await other.close();
});

test('a bad file shows its message and the page lives on; a good one falls, and comes out as a valid GLB', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube');
    const give = (name, text) => page.evaluate(([n, t]) => window.studio.openFile(new File([t], n)), [name, text]);
    await give('broken.obj', 'v 0 0\nf 1 1 1');
    await page.getByRole('alert').filter({ hasText: 'broken.obj:1' }).waitFor();
    await started(page, 'cube');
    await give('picture.bmp', 'x');
    await page.getByRole('alert').filter({ hasText: 'not a mesh' }).waitFor();
    await give('broken.json', '{"limber": 1, "bodys": []}');
    await page.getByRole('alert').filter({ hasText: 'did you mean "bodies"' }).waitFor();
    await started(page, 'cube');
    const { step } = await report(page);
    await reported(page, '(r, s) => r.step > s', step);
    const corners = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [0, 1, 1]];
    const sides = [[1, 4, 3, 2], [5, 6, 7, 8], [1, 2, 6, 5], [2, 3, 7, 6], [3, 4, 8, 7], [4, 1, 5, 8]];
    await give('brick.obj', [...corners.map((c) => `v ${c.join(' ')}`), ...sides.map((s) => `f ${s.join(' ')}`)].join('\n'));
    await started(page, 'brick');
    await until(page, 0.6);
    await page.keyboard.press('x');
    await reported(page, '(r) => r.pieces >= 2');
    await page.waitForFunction(() => window.studio.moving.recorder.seconds > 0.5);
    for (const [label, name] of [['Mesh as it is now (GLB)', 'brick.glb'], ['The last seconds (GLB animation)', 'brick_animation.glb']]) {
        const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate((l) => window.studio.panel.gui.controllersRecursive().find((c) => c._name === l).getValue().call(), label)]);
        assert.equal(download.suggestedFilename(), name);
        const path = join(folder, name);
        await download.saveAs(path);
        const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
        assert.deepEqual(issues.messages.filter((m) => m.severity < 2), [], name);
        assert.equal(info.animationCount, name === 'brick.glb' ? 0 : 1);
    }
    const [scene] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => window.studio.panel.actions.save('scene'))]);
    const file = join(folder, 'scene.json');
    await scene.saveAs(file);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).bodies[0].mesh, 'brick.obj');
    const [picture] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => window.studio.panel.actions.save('picture'))]);
    await picture.saveAs(join(folder, 'picture.png'));
    assert.ok(readFileSync(join(folder, 'picture.png')).length > 10_000);
    assert.deepEqual(complaints, []);
    await close();
});

/** A GLB of one triangle pair with a material that has a picture. */
function texturedGlb() {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
    const corners = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]), uvs = new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), faces = new Uint32Array([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]);
    const parts = [corners, uvs, faces].map((a) => Buffer.from(a.buffer)).concat(Buffer.concat([png, Buffer.alloc((4 - (png.length % 4)) % 4)]));
    let at = 0;
    const bufferViews = parts.map((p) => ({ buffer: 0, byteOffset: (at += p.length) - p.length, byteLength: p === parts[3] ? png.length : p.length }));
    const json = Buffer.from(JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], buffers: [{ byteLength: at }], bufferViews,
        meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
        materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }], textures: [{ source: 0 }], images: [{ bufferView: 3, mimeType: 'image/png' }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 1] }, { bufferView: 1, componentType: 5126, count: 4, type: 'VEC2' }, { bufferView: 2, componentType: 5125, count: 12, type: 'SCALAR' }],
    }).padEnd(0));
    const text = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 0x20)]);
    const words = (...w) => Buffer.from(Uint32Array.from(w).buffer);
    return Buffer.concat([words(0x46546c67, 2, 28 + text.length + at), words(text.length, 0x4e4f534a), text, words(at, 0x004e4942), ...parts]);
}

test('the picture of a GLB is on its skin', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube');
    await page.evaluate((bytes) => window.studio.openFile(new File([new Uint8Array(bytes)], 'picture.glb')), [...texturedGlb()]);
    await started(page, 'picture');
    await page.waitForFunction(() => [...window.studio.bodies.all.values()][0].mesh.material[0].map?.image.width === 1);
    assert.deepEqual(complaints, []);
    await close();
});

test('a drop on the page opens the file', async () => {
    const { page, close } = await openScene(browser, 'cube');
    const mesh = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n';
    writeFileSync(join(folder, 'tetra.obj'), mesh);
    const data = await page.evaluateHandle((text) => { const t = new DataTransfer(); t.items.add(new File([text], 'tetra.obj')); return t; }, mesh);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
    assert.ok(await page.locator('#drop').isVisible());
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await started(page, 'tetra');
    assert.ok(!(await page.locator('#drop').isVisible()));
    await page.locator('input[type=file]').setInputFiles(join(folder, 'tetra.obj'));
    await started(page, 'tetra');
    await close();
});

test('touch works in a window as small as a phone', async () => {
    const { page, complaints, close } = await openScene(browser, 'cube', { width: 390, height: 780, hasTouch: true, isMobile: true });
    await until(page, 0.3);
    const { x, y } = await place(page);
    const touch = await page.context().newCDPSession(page);
    const send = (type, points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
    const earlier = await centreOf(page);
    await send('touchStart', [[x, y]]);
    for (let i = 1; i <= 10; ++i) {
        await send('touchMove', [[x, y - 12 * i]]);
        await page.waitForTimeout(30);
    }
    await page.waitForFunction((y) => window.studio.bodies.box.getCenter(window.studio.stage.camera.position.clone()).y > y + 0.03, earlier[1]);
    await send('touchEnd', []);
    await page.locator('button[data-hand=knife]').tap();
    assert.equal(await page.locator('button[data-hand=knife]').getAttribute('aria-pressed'), 'true');
    const azimuth = () => page.evaluate(() => window.studio.stage.controls.getAzimuthalAngle());
    const turn = await azimuth();
    await send('touchStart', [[150, 300], [240, 300]]);
    for (let i = 1; i <= 10; ++i) {
        await send('touchMove', [[150 + 6 * i, 300], [240 + 6 * i, 300]]);
        await page.waitForTimeout(20);
    }
    await send('touchEnd', []);
    await page.waitForTimeout(200);
    assert.ok(Math.abs((await azimuth()) - turn) > 0.1, 'two fingers look around');
    await page.locator('#controls').tap();
    await page.locator('#panel .lil-root').waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `no sideways scrolling: ${wide}`);
    assert.deepEqual(complaints, []);
    await close();
});

test('keys, help, and browsers without SIMD', async () => {
    const { page, close } = await openScene(browser, 'cube');
    await page.keyboard.press('?');
    assert.ok(await page.getByRole('dialog', { name: 'Keys' }).isVisible());
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement.id === 'view');
    await page.keyboard.press(' ');
    await reported(page, '(r) => !r.running');
    const { step } = await still(page);
    await page.keyboard.press('.');
    await reported(page, '(r, s) => r.step === s + 1', step);
    await page.keyboard.press('o');
    await page.locator('.thumb[data-scene=duck]').click();
    await started(page, 'duck');
    const lost = page.locator('#fatal', { hasText: 'The picture is gone' });
    await page.evaluate(() => { window.lose = window.studio.stage.renderer.getContext().getExtension('WEBGL_lose_context'); window.lose.loseContext(); });
    await lost.waitFor();
    await page.evaluate(() => window.lose.restoreContext());
    await lost.waitFor({ state: 'hidden' });
    await close();
    const old = await openPage(browser, { path: '?no-simd' });
    await old.page.getByText('This browser is too old').waitFor();
    await old.close();
});
