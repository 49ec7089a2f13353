// SPDX-License-Identifier: MIT
// shots.mjs thumbs [SCENE...]: the pictures of the gallery, public/thumbs, and
// shots.mjs shots [NAME...]: the page with each scene, overlay and window, in shots/ (to be looked at),
// from the page as it is built in dist/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, openPage, pause, started, until } from './browser.mjs';
import { here } from './serve.mjs';

const [what = 'shots', ...names] = process.argv.slice(2);
const only = (name) => names.length === 0 || names.includes(name);

/** The moment of a scene that says most, seconds */
const MOMENT = {
    creature: 0.42, duck: 0.5, block: 1.1, hand: 1.9, liver: 1.3, flower: 1.5, infant: 1.6, bar: 0.45, bars: 1.5, hand_stiffness: 1, loaf: 1.6, liver_cut: 2.6, finger: 1.7, torn_sheet: 1.6, biscuit: 1.1, torn_duck: 1.2,
    pile: 1.4, hand_ball: 1.4, balls: 1.2, press: 1, chain: 0.7, penguins: 1.2, pachinko: 1.6, terrain: 1.4, bowl: 1.5, fold: 0.7, clay: 1.4, pegs: 0.8, flowers: 1, fly_by: 1.2, flattened_duck: 0.2, figure: 0.7, figure_shell: 0.7,
};
const moment = (name) => MOMENT[name] ?? 0.5;
const browser = await openBrowser();

/** Opens a scene of the gallery by its name, kinds of body too. */
async function open(page, name) {
    await page.waitForSelector(`.thumb[data-scene="${name}"]`, { state: 'attached' });
    const before = await page.evaluate(() => window.studio.current);
    await page.evaluate((n) => document.querySelector(`.thumb[data-scene="${n}"]`).click(), name);
    await page.waitForFunction((b) => window.studio.current !== null && JSON.stringify(window.studio.current) !== b, JSON.stringify(before));
    await started(page, name);
}

/** The simulation runs to the moment as fast as it can, and stands still there. */
async function run(page, name, time, params = {}) {
    await open(page, name);
    await page.evaluate(([t, more]) => window.studio.sim.state().then(({ start, log }) => window.studio.open({ ...start, params: { ...start.params, ...more } }, { log, steps: Math.round(t / window.studio.current.dt), fast: true })), [time, params]);
    await page.waitForFunction((t) => window.studio.lastReport && !window.studio.lastReport.running && Math.abs(window.studio.lastReport.time - t) < 0.03, time, { timeout: 300_000 });
    await page.waitForTimeout(150);
}

async function thumbs() {
    mkdirSync(join(here, 'public/thumbs'), { recursive: true });
    const { page, close } = await openPage(browser, { path: '?quality=0', width: 192, height: 128, deviceScaleFactor: 2 });
    await started(page);
    await page.addStyleTag({ content: '#app > :not(#stage) { display: none !important }' });
    const all = await page.evaluate(() => [...document.querySelectorAll('.thumb')].map((t) => t.dataset.scene));
    for (const name of all.filter(only)) {
        await run(page, name, moment(name));
        await page.evaluate(() => {
            window.studio.stage.cover(0, 0, 0);
            const { stage, bodies, current } = window.studio;
            stage.suit(current, false);
            const { camera, controls } = stage;
            const centre = bodies.box.getCenter(camera.position.clone()), radius = bodies.box.getSize(camera.position.clone()).length() / 2;
            const way = camera.position.clone().sub(controls.target), far = way.length();
            controls.target.lerp(centre, 0.8);
            camera.position.copy(controls.target).addScaledVector(way, Math.min(1, (1.12 * radius) / Math.sin((camera.fov * Math.PI) / 360) / far));
        });
        await page.waitForTimeout(200);
        await page.screenshot({ path: join(here, 'public/thumbs', `${name}.jpg`), type: 'jpeg', quality: 74, timeout: 120_000 });
        console.log(name);
    }
    await close();
}

const set = (change) => (page) => page.evaluate((c) => window.studio.panel.setView(c), change);
const middle = (page) => page.evaluate(() => {
    const { bodies, stage } = window.studio;
    const p = bodies.box.getCenter(stage.camera.position.clone()).project(stage.camera);
    return [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight];
});
const go = (page) => page.evaluate(() => window.studio.setRunning(true));

/** From a moment on what a hand would do, to another moment; acts may begin with steps after the first one. */
async function act(page, from, to, acts, fast = true) {
    await page.evaluate(async ([f, t, text, quick]) => {
        const { bodies, stage, current, sim } = window.studio;
        const { camera } = stage;
        const middle = bodies.box.getCenter(camera.position.clone());
        const hit = bodies.pick(stage.ray(...(() => { const p = middle.project(camera); return [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight]; })()));
        const step = Math.round(f / current.dt);
        const list = new Function(`return (${text})`)()({ key: [...bodies.all.keys()][0], radius: 0.11 * stage.size, hit: { point: hit.point.toArray(), normal: hit.normal.toArray() } });
        const log = list.map((one) => (typeof one[0] === 'number' ? [step + one[0], ...one.slice(1)] : [step, ...one]));
        const { start } = await sim.state();
        window.studio.keepView = true;
        window.studio.open(start, { log, steps: Math.round(t / current.dt), fast: quick });
    }, [from, to, String(acts), fast]);
    await page.waitForFunction((t) => window.studio.lastReport && !window.studio.lastReport.running && Math.abs(window.studio.lastReport.time - t) < 0.03, to, { timeout: 300_000 });
    await page.waitForTimeout(200);
}

const near = (page, share) => page.evaluate((s) => {
    const { stage, bodies } = window.studio;
    const { camera, controls } = stage;
    const centre = bodies.box.getCenter(camera.position.clone());
    camera.position.sub(controls.target).multiplyScalar(s);
    controls.target.copy(centre);
    camera.position.add(centre);
}, share);

/** name: [scene, seconds, what is done then, window] */
const SHOTS = {
    start: ['creature', 0.42],
    strain: ['liver', 1.3, set({ values: 'strain' })],
    plastic: ['clay', 3.2, set({ values: 'plastic' })],
    nodes: ['creature', 0.6, set({ nodes: true })],
    cells: ['creature', 2, async (page) => {
        await run(page, 'creature', 0.36, { coarsen: 3, nodes: 2500 });
        await set({ cells: true })(page);
    }],
    graph: ['hand', 1.2, set({ graph: true })],
    region: ['duck', 0.9, set({ region: true })],
    contacts: ['pile', 1.8, set({ contacts: true, nodes: false })],
    checker: ['hand', 1.9, set({ pattern: true })],
    knife: ['creature', 1.2, async (page) => {
        await near(page, 0.84);
        await act(page, 1.2, 1.62, ({ key }) => {
            const n = [0.83, 0.22, 0.51], along = [0.523, 0, -0.852], down = [n[1] * along[2], n[2] * along[0] - n[0] * along[2], -n[1] * along[0]];
            const at = (u, v) => [0, 1, 2].map((k) => [0.02, 0.45, 0][k] + u * along[k] + v * down[k]);
            const stations = [-1, 0, 1].flatMap((v) => [...at(1.2, v), ...at(-1.2, v)]);
            return [['cut', [key], 0, stations], ['split', ...n, 0.55]];
        });
        await page.evaluate(() => { window.studio.choose('knife'); document.querySelectorAll('.note').forEach((e) => e.remove()); });
    }],
    press: ['creature', 1.6, async (page) => {
        await page.evaluate(() => window.studio.choose('press'));
        await near(page, 0.8);
        await act(page, 1.6, 3.2, ({ key, hit, radius }) => {
            void key;
            const at = (depth) => hit.point.map((x, k) => x + hit.normal[k] * (radius * 1.03 - depth));
            return [['press', radius, ...at(0)], ...Array.from({ length: 90 }, (_, i) => [i, 'probe', ...at(Math.min(0.0025 * i, 0.13))])];
        }, false);
        await page.evaluate(() => document.querySelectorAll('.note').forEach((e) => e.remove()));
    }],
    paint: ['duck', 1.6, async (page) => {
        await page.evaluate(() => window.studio.choose('paint'));
        await act(page, 1.6, 1.7, ({ key, hit }) => Array.from({ length: 9 }, (_, i) => ['paint', key, hit.point[0] - 0.1 + 0.02 * i, hit.point[1], hit.point[2], 0.2, 1.4]));
        await page.evaluate(() => document.querySelectorAll('.note').forEach((e) => e.remove()));
    }],
    gallery: ['creature', 2, async (page) => {
        await page.keyboard.press('o');
        await page.waitForTimeout(600);
    }],
    help: ['creature', 2, (page) => page.keyboard.press('?')],
    numbers: ['pile', 2, (page) => page.keyboard.press('i')],
    drop: ['creature', 2, (page) => page.evaluate(() => (document.getElementById('drop').hidden = false))],
    error: ['creature', 2, (page) => page.evaluate(() => window.studio.openFile(new File(['v 0 0\nf 1 1 1'], 'broken.obj'))).then(() => page.waitForSelector('.note.error'))],
    phone: ['creature', 0.5, async () => {}, { width: 390, height: 780, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
    phone_panel: ['duck', 0.9, (page) => page.locator('#controls').tap(), { width: 390, height: 780, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
    phone_gallery: ['duck', 0.9, (page) => page.locator('#scenes').tap(), { width: 390, height: 780, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
    phone_press: ['liver', 1.2, (page) => page.locator('button[data-hand=press]').tap(), { width: 390, height: 780, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
};

async function shots() {
    mkdirSync(join(here, 'shots'), { recursive: true });
    const { page, close } = await openPage(browser, { path: '?quality=0', width: 1280, height: 800 });
    await started(page);
    const scenes = await page.evaluate(() => [...document.querySelectorAll('.thumb')].map((t) => t.dataset.scene));
    await close();
    const wanted = [...Object.keys(SHOTS), ...scenes.map((s) => `scene_${s}`)].filter(only);
    for (const name of wanted) {
        const [scene, time, then = async () => {}, window = { width: 1280, height: 800 }] = SHOTS[name] ?? [name.slice(6), moment(name.slice(6))];
        const { page: one, complaints, close: end } = await openPage(browser, { path: '?quality=1', reducedMotion: 'reduce', ...window });
        try {
            await started(one);
            if (name !== 'start' && name !== 'phone') {
                await one.evaluate(() => document.getElementById('welcome').classList.add('gone'));
            }
            await run(one, scene, time);
            await one.evaluate(() => document.querySelectorAll('.note').forEach((n) => n.remove()));
            await then(one);
            await one.waitForTimeout(500);
            await one.screenshot({ path: join(here, 'shots', `${name}.png`), timeout: 120_000 });
            console.log(name, complaints.join(' '));
        } catch (error) {
            console.log(name, String(error).split('\n')[0], complaints.join(' '));
            process.exitCode = 1;
        }
        await end();
    }
}

await (what === 'thumbs' ? thumbs() : shots());
await browser.close();
