// SPDX-License-Identifier: MIT
// The simulation's worker: keeps time, takes acts between steps, and shows the page the newest state when
// it has drawn the last one. Drawing never waits for a step, and no step for drawing.
import { init, LimberError, type Limber } from 'limber/slim';
import type { FromWorker, Logged, ToWorker, View } from '../protocol';
import { changedShapes, frameOf, reportOf, startedOf } from './publish';
import { Session } from './session';

const post = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, { transfer });
const said = (error: unknown, where: 'start' | 'act' | 'step') => post({ type: 'said', level: 'error', where, text: error instanceof Error ? error.message : String(error) });

let limber: Limber;
let session: Session | null = null;
let view: View = { values: 'none', nodes: false, cells: false, graph: false, contacts: false, region: null };
let running = false, speed = 1, drawn = true, changed = false, steps = 0;
let replay: { log: Logged[]; next: number; steps: number; fast: boolean } | null = null;
let owed = 0, last = performance.now(), reported = 0, stepTime = 0, pace = 0, paceSteps = 0, paceSince = performance.now();

const ready = init({ log: () => {} }).then((made) => {
    limber = made;
    const scenes = limber.scenes.map((name) => ({ name, about: (JSON.parse(limber.sceneText(name)) as { about?: string }).about ?? '' }));
    post({ type: 'ready', version: limber.version, kinds: limber.kinds, presets: limber.presets, scenes });
    setTimeout(tick);
}).catch((error: unknown) => said(error, 'start'));

function stepOnce(): void {
    if (!session) {
        return;
    }
    if (replay) {
        for (; replay.next < replay.log.length && replay.log[replay.next]![0] === session.step; ++replay.next) {
            const [, ...act] = replay.log[replay.next]!;
            try {
                session.act(act as never);
            } catch (error) {
                said(error, 'act');
            }
        }
        if (session.step >= replay.steps) {
            replay = null;
            running = false;
            changed = true;
            post({ type: 'replayed', hash: session.hash() });
            return;
        }
    }
    const before = performance.now();
    const failed = session.advance();
    stepTime += 0.1 * (performance.now() - before - stepTime);
    if (failed !== null) {
        post({ type: 'said', level: 'note', where: 'step', text: failed });
    }
    ++steps;
    ++paceSteps;
    changed = true;
}

/** Steps that are due by the clock; when they take longer than they last, time is dropped. */
function tick(): void {
    const now = performance.now();
    if (session && running) {
        const { dt } = session;
        const most = replay?.fast ? Infinity : Math.max(2, Math.ceil(0.034 / dt));
        owed = replay?.fast ? Infinity : Math.min(owed + ((now - last) / 1000) * speed, most * dt);
        const until = now + (replay?.fast ? 60 : 25);
        try {
            do {
                if (owed < dt - 1e-9) {
                    break;
                }
                owed -= dt;
                stepOnce();
            } while (running && performance.now() < until);
        } catch (error) {
            running = false;
            said(error, 'step');
        }
        if (!running) {
            owed = 0;
        }
    }
    last = now;
    publish(now);
    setTimeout(tick, running ? 1 : 8);
}

function publish(now: number): void {
    if (!session) {
        return;
    }
    if (changed && drawn) {
        changed = false;
        const shapes = changedShapes(session);
        if (shapes.length > 0) {
            post({ type: 'shapes', shapes });
        }
        drawn = false;
        const frame = frameOf(session, view);
        post(frame, frame.bodies.flatMap((b) => [b.positions.buffer, b.normals.buffer]) as Transferable[]);
        if (!running) {
            reported = 0;
        }
    }
    if (now - reported > 250) {
        if (now - paceSince > 900) {
            pace = (paceSteps * session.dt * 1000) / (now - paceSince);
            [paceSteps, paceSince] = [0, now];
        }
        reported = now;
        post(reportOf(session, { stepTime, pace, running, replaying: replay !== null }));
    }
}

function start(message: Extract<ToWorker, { type: 'start' }>): void {
    const old = session;
    session = null;
    old?.dispose();
    replay = message.replay ? { ...message.replay, next: 0 } : null;
    const before = performance.now();
    try {
        session = new Session(limber, message.start, (done, stage) => post({ type: 'building', done, stage }));
        post(startedOf(session, performance.now() - before));
        owed = stepTime = steps = 0;
        running = true;
        changed = true;
        drawn = true;
        reported = 0;
        last = performance.now();
    } catch (error) {
        session?.dispose();
        session = null;
        said(error, 'start');
    }
}

function act(message: Extract<ToWorker, { type: 'act' }>): void {
    if (!session) {
        return;
    }
    replay = null; // whoever takes hold goes on from here
    const remembered = message.undo && !session.hands.busy;
    try {
        if (remembered) {
            session.remember();
        }
        const done = session.act(message.act);
        if (done) {
            post({ type: 'edited', act: message.act[0], ...done });
        }
        if (message.act[0] === 'pin') {
            post({ type: 'pinned', id: session.hands.nextPin - 1 });
        }
        changed = true;
    } catch (error) {
        if (remembered) {
            session.forget();
        }
        if (!(error instanceof LimberError) && !(error instanceof RangeError)) {
            console.error(error);
        }
        said(error, 'act');
    }
}

async function onMessage(message: ToWorker): Promise<void> {
    await ready;
    switch (message.type) {
    case 'start': start(message); break;
    case 'act': act(message); break;
    case 'go':
        if (running !== message.running || speed !== message.speed) {
            last = performance.now();
            owed = 0;
            reported = 0;
        }
        running = message.running;
        speed = message.speed;
        break;
    case 'step':
        running = false;
        stepOnce();
        break;
    case 'reset':
        replay = null;
        session?.reset();
        changed = true;
        reported = 0;
        break;
    case 'undo':
        replay = null;
        session?.undo();
        changed = true;
        reported = 0;
        break;
    case 'hurry':
        if (replay) {
            replay.fast = true;
            running = true;
        }
        break;
    case 'view':
        view = message.view;
        changed = true;
        break;
    case 'shown':
        drawn = true;
        for (const look of session?.looks.values() ?? []) {
            look.spare = look.spare.filter((s) => s.length === 3 * look.vertices);
        }
        message.buffers.forEach((buffer) => {
            const look = [...(session?.looks.values() ?? [])].find((l) => 12 * l.vertices === buffer.byteLength && l.spare.length < 4);
            look?.spare.push(new Float32Array(buffer));
        });
        break;
    case 'state': post({ type: 'answer', id: message.id, value: session?.state() ?? null }); break;
    case 'file': post({ type: 'answer', id: message.id, value: session?.source.json ?? null }); break;
    }
}
self.onmessage = (event: MessageEvent<ToWorker>) => void onMessage(event.data);
