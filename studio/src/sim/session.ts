// SPDX-License-Identifier: MIT
// A scene that runs, with its hands, its log and its way back. Start and log are all that the state
// depends on: replayed, they end in the same hash.
import type { Limber, RunSnapshot, SceneRun } from 'limber';
import type { Act, Logged, SessionState, Start } from '../protocol';
import { Hands, type Edited, type Held } from './hands';
import { looksOf, type Look } from './looks';
import { sourceOf, type Source } from './scene_source';

const UNDO_MOST = 40;
const LASTING = new Set<Act[0]>(['material', 'gravity', 'wind']); // parameters: a reset keeps them

interface Mark { snapshot: RunSnapshot; held: Held; step: number; log: number; ended: boolean; }

export class Session {
    readonly source: Source;
    readonly run: SceneRun;
    readonly hands: Hands;
    readonly dt: number;
    looks: Map<number, Look>;
    step = 0;
    log: Logged[] = [];
    /** The scene's own actions have failed: the world goes on without them. */
    ended = false;
    /** What the probe has felt in each step since someone asked: seconds, newton */
    felt: [number, number][] = [];
    private readonly begin: Mark;
    private marks: Mark[] = [];

    constructor(readonly limber: Limber, readonly start: Start, progress: (done: number, stage: string) => void) {
        this.source = sourceOf(limber, start);
        this.run = this.source.scene.start({ meshes: this.source.meshes, progress });
        this.dt = this.source.scene.info.dt;
        this.hands = new Hands(this.run.world);
        this.looks = looksOf(this.run, new Map());
        this.begin = this.mark();
    }

    get world() { return this.run.world; }
    get undos(): number { return this.marks.length; }

    hash(): string { return this.world.hash().toString(16).padStart(16, '0'); }

    /** One step of the scene. Returns what its actions could not do, or null. */
    advance(): string | null {
        let failed: string | null = null;
        this.hands.advance(this.dt);
        if (!this.ended) {
            try {
                this.run.step();
            } catch (error) {
                failed = error instanceof Error ? error.message : String(error);
                this.ended = true;
            }
        }
        if (this.ended) {
            this.world.step(this.dt);
        }
        ++this.step;
        if (this.hands.probe) {
            const { smoothForce: f } = this.hands.probe.collider.getLoad();
            this.felt.push([this.step * this.dt, Math.hypot(f.x, f.y, f.z)]);
        }
        return failed;
    }

    /** Does it and remembers it; of a movement within one step only the end counts. */
    act(act: Act): Edited | null {
        const done = this.hands.act(act);
        const last = this.log.at(-1);
        const again = last !== undefined && last[0] === this.step && last[1] === act[0] && (act[0] === 'probe' || LASTING.has(act[0]) && act[0] !== 'material' || act[0] === 'pull' && last[2] === act[1]);
        if (again) {
            this.log.pop();
        }
        this.log.push([this.step, ...act]);
        return done;
    }

    lookAgain(): void { this.looks = looksOf(this.run, this.looks); }

    /** What undo comes back to */
    remember(): void {
        this.marks.push(this.mark());
        if (this.marks.length > UNDO_MOST) {
            this.marks.shift()!.snapshot.dispose();
        }
    }

    /** The last mark is of something that was refused. */
    forget(): void { this.marks.pop()?.snapshot.dispose(); }

    undo(): boolean {
        const mark = this.marks.pop();
        if (mark === undefined) {
            return false;
        }
        this.goTo(mark);
        this.log.length = mark.log;
        mark.snapshot.dispose();
        return true;
    }

    /** To the start, with the parameters that were set since. */
    reset(): void {
        const lasting = this.log.filter((entry) => LASTING.has(entry[1])).map(([, ...act]) => act as Act);
        this.goTo(this.begin);
        this.log = [];
        this.marks.forEach((m) => m.snapshot.dispose());
        this.marks = [];
        lasting.forEach((act) => this.act(act));
    }

    state(): SessionState { return { start: this.start, log: this.log, steps: this.step, hash: this.hash() }; }

    dispose(): void {
        this.run.dispose();
        this.source.scene.dispose();
        Object.values(this.source.meshes).forEach((m) => m.dispose());
    }

    private mark(): Mark {
        return { snapshot: this.run.snapshot(), held: this.hands.keep(), step: this.step, log: this.log.length, ended: this.ended };
    }
    private goTo(mark: Mark): void {
        this.run.restore(mark.snapshot);
        this.hands.restore(mark.held);
        this.step = mark.step;
        this.ended = mark.ended;
        this.lookAgain();
        this.looks.forEach((look) => (look.revision = -1));
    }
}
