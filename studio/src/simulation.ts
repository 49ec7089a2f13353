// SPDX-License-Identifier: MIT
// The page's end of the simulation: sends what hands do, hears what happened.
import type { Act, Frame, FromWorker, Logged, Report, SessionState, ShapeMessage, Start, Started, ToWorker, View } from './protocol';

type Message<T extends FromWorker['type']> = Extract<FromWorker, { type: T }>;
export interface Listener {
    ready(message: Message<'ready'>): void;
    building(done: number, stage: string): void;
    started(message: Started): void;
    shapes(shapes: ShapeMessage[]): void;
    /** Returns memory that the worker may use again */
    frame(frame: Frame): ArrayBuffer[];
    report(report: Report): void;
    said(message: Message<'said'>): void;
    edited(message: Message<'edited'>): void;
    replayed(hash: string): void;
    failed(text: string): void;
}

export class Simulation {
    running = true;
    speed = 1;
    private readonly worker = new Worker(new URL('./sim/worker.ts', import.meta.url), { type: 'module' });
    private readonly waiting = new Map<number, (value: unknown) => void>();
    private newest: Frame | null = null;
    private asked = 0;

    constructor(private readonly listener: Listener) {
        this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.hear(event.data);
        this.worker.onerror = (event) => listener.failed(event.message || 'The simulation could not be loaded.');
    }

    start(start: Start, replay?: { log: Logged[]; steps: number; fast: boolean }): void {
        this.running = true;
        this.newest = null;
        this.send({ type: 'start', start, ...(replay ? { replay } : {}) });
        this.go();
    }
    act(act: Act, undo = false): void { this.send({ type: 'act', act, undo }); }
    view(view: View): void { this.send({ type: 'view', view }); }
    setRunning(running: boolean): void {
        this.running = running;
        this.go();
    }
    /** While nobody looks, time stands still. */
    setPaused(paused: boolean): void { this.send({ type: 'go', running: this.running && !paused, speed: this.speed }); }
    setSpeed(speed: number): void {
        this.speed = speed;
        this.go();
    }
    step(): void {
        this.running = false;
        this.send({ type: 'step' });
    }
    reset(): void { this.send({ type: 'reset' }); }
    undo(): void { this.send({ type: 'undo' }); }
    hurry(): void { this.send({ type: 'hurry' }); }
    state(): Promise<SessionState | null> { return this.ask('state') as Promise<SessionState | null>; }
    file(): Promise<object | null> { return this.ask('file') as Promise<object | null>; }

    /** The newest frame, once. The next one comes when this was drawn. */
    take(): void {
        const frame = this.newest;
        this.newest = null;
        if (frame) {
            const buffers = this.listener.frame(frame);
            this.worker.postMessage({ type: 'shown', buffers } satisfies ToWorker, buffers);
        }
    }

    private go(): void { this.send({ type: 'go', running: this.running, speed: this.speed }); }
    private send(message: ToWorker): void { this.worker.postMessage(message); }
    private ask(type: 'state' | 'file'): Promise<unknown> {
        const id = ++this.asked;
        this.send({ type, id });
        return new Promise((resolve) => this.waiting.set(id, resolve));
    }

    private hear(message: FromWorker): void {
        const { listener } = this;
        switch (message.type) {
        case 'ready': listener.ready(message); break;
        case 'building': listener.building(message.done, message.stage); break;
        case 'started': listener.started(message); break;
        case 'shapes': listener.shapes(message.shapes); break;
        case 'frame': this.newest = message; break;
        case 'report': listener.report(message); break;
        case 'said': listener.said(message); break;
        case 'edited': listener.edited(message); break;
        case 'pinned': break;
        case 'replayed':
            this.running = false;
            listener.replayed(message.hash);
            break;
        case 'answer':
            this.waiting.get(message.id)?.(message.value);
            this.waiting.delete(message.id);
            break;
        }
    }
}
