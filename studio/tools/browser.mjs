// SPDX-License-Identifier: MIT
// Debian's Chromium, and the page in it.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';

const CHROMIUM = process.env.LIMBER_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export async function openBrowser() {
    const { server, address } = await serve();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--force-color-profile=srgb'] });
    return { browser, address, close: async () => { await browser.close(); server.close(); } };
}

/** A page that keeps what it complains of. */
export async function openPage({ browser, address }, { path = '', width = 1280, height = 800, ...context } = {}) {
    const made = await browser.newContext({ viewport: { width, height }, ...context });
    await made.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await made.newPage();
    const complaints = [];
    page.on('console', (m) => (m.type() === 'error' || m.type() === 'warning') && complaints.push(`${m.type()}: ${m.text()}`));
    page.on('pageerror', (e) => complaints.push(String(e)));
    await page.goto(address + path);
    return { page, complaints, close: () => made.close() };
}

export const started = (page, name) => page.waitForFunction((n) => window.studio?.current && (!n || window.studio.current.name === n) && window.studio.lastReport?.step > 0 && [...window.studio.bodies.all.values()].some((b) => b.frame), name, { timeout: 60_000 });
/** Simulated time reaches so many seconds. */
export const until = (page, time) => page.waitForFunction((t) => window.studio.sim.state().then((s) => s !== null && s.steps * window.studio.current.dt >= t), time, { timeout: 120_000 });
export const pause = async (page) => {
    await page.evaluate(() => window.studio.setRunning(false));
    await page.waitForFunction(() => window.studio.lastReport && !window.studio.lastReport.running);
};
