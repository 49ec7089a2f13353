// SPDX-License-Identifier: MIT
// What the tests of the page share.
import { openPage, pause, started, until } from '../tools/browser.mjs';
export { openBrowser, openPage, pause, started, until } from '../tools/browser.mjs';

/** Of a body: where it is on the page, and how large */
export const place = (page) => page.evaluate(() => {
    const { bodies, stage } = window.studio;
    const box = bodies.box, centre = box.getCenter(stage.camera.position.clone());
    const at = (v) => { const p = v.clone().project(stage.camera); return [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight]; };
    const right = stage.camera.position.clone().setFromMatrixColumn(stage.camera.matrixWorld, 0);
    const [x, y] = at(centre);
    const radius = box.getSize(stage.camera.position.clone()).length() / 2;
    return { x, y, r: Math.abs(at(centre.addScaledVector(right, radius))[0] - x) };
});
export const report = (page) => page.evaluate(() => { const { step, hash, pieces, undos, actions } = window.studio.lastReport; return { step, hash, pieces, undos, actions, nodes: window.studio.lastReport.stages.nodes }; });
/** Waits for a report that says so. */
export const reported = (page, test, argument, timeout = 60_000) => page.waitForFunction(`((r) => r && (${test})(r, ${JSON.stringify(argument ?? null)}))(window.studio.lastReport)`, null, { timeout });
/** The report of the state that stands still now */
export async function still(page) {
    await pause(page);
    const { step } = await page.evaluate(() => window.studio.sim.state().then((s) => ({ step: s.steps })));
    await reported(page, '(r, step) => r.step === step && !r.running', step);
    return report(page);
}
export const notes = (page) => page.locator('#messages .note').allInnerTexts();
export async function drag(page, from, to, { steps = 12, wait = 20, button = 'left' } = {}) {
    await page.mouse.move(...from);
    await page.mouse.down({ button });
    for (let i = 1; i <= steps; ++i) {
        await page.mouse.move(from[0] + ((to[0] - from[0]) * i) / steps, from[1] + ((to[1] - from[1]) * i) / steps);
        await page.waitForTimeout(wait);
    }
    return { end: () => page.mouse.up({ button }) };
}
const opened = new Set();
const CUBE = {
    limber: 1, name: 'cube', about: 'A soft cube lies on the ground.', duration: 2, camera: { eye: [0.9, 0.9, 1.9], target: [0, 0.3, 0], fov: 36 },
    bodies: [{ name: 'cube', model: 'block', triangles: 1200, nodes: 500, size: 0.6, position: [0, 0, 0], material: { young: 40000, viscosity: 60, friction: 0.8 } }],
};
/** A page with a scene: 'cube' lies still from its start. `closeAll` ends pages that a failed test has left. */
export async function openScene(browser, scene, options = {}) {
    const made = await openPage(browser, { path: `?quality=4#scene=${scene === 'cube' ? 'press' : scene}`, width: 760, height: 520, ...options });
    opened.add(made);
    await started(made.page);
    if (scene === 'cube') {
        await made.page.evaluate((json) => window.studio.open({ scene: 'cube', json, params: {} }), JSON.stringify(CUBE));
    }
    await started(made.page, scene);
    return made;
}
export const closeAll = async () => {
    for (const made of opened) {
        await made.close().catch(() => {});
    }
    opened.clear();
};
