// SPDX-License-Identifier: MIT
// The studio itself: which scene runs, which hand is chosen, and what happens when the worker tells something.
import * as THREE from 'three';
import { catalogOf, type Entry } from './catalog';
import { checksum, decode, encode, linkedOf, type Linked } from './files/link';
import { Recorder } from './files/recorder';
import { save } from './files/save';
import { texturesOf } from './files/textures';
import { Hands } from './hands/all';
import type { Table } from './hands/hand';
import { cutMiddle } from './hands/knife';
import { Pointers } from './hands/pointers';
import { byId, button, el } from './page/dom';
import { Dock, type HandName } from './page/dock';
import { DropZone, FORMATS } from './page/drop_zone';
import { ForceCurve } from './page/force_curve';
import { Gallery } from './page/gallery';
import { listenToKeys, makeHelp } from './page/help';
import { Hud } from './page/hud';
import type { Messages } from './page/messages';
import { Panel } from './page/panel';
import type { Frame, Logged, Params, Report, ShapeMessage, Start, Started, View } from './protocol';
import { Simulation, type Listener } from './simulation';
import { Bodies } from './view/bodies';
import { Colliders } from './view/colliders';
import { surroundings } from './view/flesh';
import { Overlays } from './view/overlays';
import { Props } from './view/props';
import { Stage } from './view/stage';

const FIRST = 'creature';
const RANGES = { none: 0, strain: 0.1, plastic: 0.15, stiffness: 4 };

export class Studio implements Listener {
    readonly stage: Stage;
    readonly bodies = new Bodies();
    readonly props = new Props();
    readonly sim = new Simulation(this);
    lastReport: Report | null = null;
    current: Started | null = null;
    private readonly colliders = new Colliders();
    private readonly overlays = new Overlays();
    private readonly recorder = new Recorder();
    private readonly hud = new Hud();
    private readonly force = new ForceCurve();
    private readonly dock: Dock;
    private readonly gallery: Gallery;
    private readonly panel: Panel;
    private readonly help = makeHelp();
    private readonly drop: DropZone;
    private readonly hands: Hands;
    private readonly pointers: Pointers;
    private source: Start = { scene: FIRST, params: {} };
    private view: View = { values: 'none', nodes: false, cells: false, graph: false, contacts: false, region: null };
    private regionOn = false;
    private clip: THREE.Plane | null = null;
    private size = 0.12;
    private keepView = false;
    private slow = false;
    private waitingFor: Linked | null = null;
    private expected = '';
    private last = performance.now();
    private fallback: Start | null = null;
    private readonly cursor = { x: innerWidth / 2, y: innerHeight / 2 };
    hand: HandName = 'grab';

    constructor(canvas: HTMLCanvasElement, private readonly messages: Messages) {
        this.stage = new Stage(canvas);
        this.stage.scene.add(this.bodies.group, this.colliders.group, this.props.group, this.overlays.group);
        const table: Table = { stage: this.stage, bodies: this.bodies, props: this.props, sim: this.sim, radius: () => this.size * this.stage.size, say: (text) => this.messages.say(text) };
        this.hands = new Hands(table, () => this.force.begin(), () => this.messages.say('All cells here are as small as this model has them. Built with two levels above the finest, it starts with larger ones.', { offer: { label: 'Build with 2 levels', action: () => this.rebuild({ ...this.source.params, coarsen: 2 }) } }));
        this.pointers = new Pointers(table, this.hands.get('grab'));
        this.pointers.touched = () => byId('welcome').classList.add('gone');
        const toggleRunning = () => this.setRunning(!this.sim.running), step = () => this.step(), undo = () => this.sim.undo(), reset = () => this.reset();
        const toggleSlow = () => this.setSlow(!this.slow), choose = (hand: HandName) => this.choose(hand);
        this.dock = new Dock({ choose, toggleRunning, step, toggleSlow, undo, reset, sized: (size) => (this.size = size) });
        this.gallery = new Gallery((entry) => this.open(entry.start), () => this.drop.choose());
        this.drop = new DropZone((file) => void this.openFile(file));
        this.panel = new Panel({
            material: (change) => this.sim.act(['material', change]),
            gravity: (x, y, z) => this.sim.act(['gravity', x, y, z]),
            wind: (speed, degrees, gust) => this.sim.act(['wind', Math.round(1e4 * speed * Math.cos((degrees * Math.PI) / 180)) / 1e4, 0, Math.round(1e4 * speed * Math.sin((degrees * Math.PI) / 180)) / 1e4, gust, 1.2]),
            speed: (speed) => this.sim.setSpeed(speed),
            rebuild: (params) => this.rebuild(params),
            view: (view) => this.look(view),
            save: (what) => void save(what, this),
        }, byId('panel'));
        byId('app').append(el('div', { id: 'left' }, this.hud.root, this.hud.scale, this.force.root), this.dock.root, this.gallery.root, this.help);
        const togglePanel = () => {
            document.body.classList.toggle('panel-open');
            this.cover();
        };
        const share = () => void this.share();
        byId('actions').append(
            el('button', { type: 'button', class: 'wide', id: 'scenes', onclick: () => this.gallery.show(this.source.scene) }, button('scenes', '', () => {}).firstChild!, 'Scenes'),
            button('open', 'Open a mesh of yours (M)', () => this.drop.choose(), { id: 'open' }), button('share', 'Copy a link to this state (L)', share, { id: 'share' }),
            button('help', 'Keys (?)', () => this.help.showModal(), { id: 'keys' }), button('panel', 'Controls (C)', togglePanel, { id: 'controls' }));
        if (innerWidth > 900) {
            togglePanel();
        }
        new ResizeObserver(() => this.cover()).observe(document.body);
        this.cover();
        for (const dialog of [this.gallery.root, this.help]) {
            dialog.addEventListener('close', () => canvas.focus({ preventScroll: true }));
        }
        listenToKeys({
            choose, toggleRunning, step, toggleSlow, undo, reset, share, scenes: () => this.gallery.show(this.source.scene), file: () => this.drop.choose(), panel: togglePanel, numbers: () => this.hud.toggle(),
            help: () => this.help.showModal(), orbit: (x, y) => this.orbit(x, y), zoom: (by) => this.zoom(by), frame: () => this.current && this.stage.suit(this.current, false),
            cycleColours: () => this.panel.setView({ values: ({ none: 'strain', strain: 'plastic', plastic: 'stiffness', stiffness: 'none' } as const)[this.panel.view.values] }),
            overlay: (name) => this.panel.setView({ [name]: !this.panel.view[name] }), cutMiddle: () => cutMiddle(table),
        });
        canvas.addEventListener('webglcontextlost', (event) => {
            event.preventDefault();
            this.messages.fatal('The picture is gone', 'The browser has taken the graphics memory away. The simulation is kept; the picture comes back when the browser gives it memory again.', { label: 'Load the page again', action: () => location.reload() });
        });
        canvas.addEventListener('webglcontextrestored', () => this.messages.clearFatal());
        let looked = 0;
        canvas.addEventListener('pointermove', (event) => {
            [this.cursor.x, this.cursor.y] = [event.clientX, event.clientY];
            if (this.regionOn && performance.now() - looked > 80) {
                looked = performance.now();
                this.lookAtRegion();
            }
        });
        document.addEventListener('visibilitychange', () => this.sim.setPaused(document.hidden));
        window.addEventListener('hashchange', () => void this.openAddress());
        this.choose('grab');
        this.dock.time({ running: true, slow: false, undos: 0 });
        const quality = /quality=(\d)/.exec(location.search);
        if (quality) {
            this.stage.fixed = true;
            this.stage.setQuality(Number(quality[1]));
        }
        this.stage.renderer.setAnimationLoop(() => this.draw());
        void this.openAddress();
    }

    // ---- scenes

    open(start: Start, replay?: { log: Logged[]; steps: number; fast: boolean }, expected = ''): void {
        if (this.current) {
            this.fallback = this.source;
        }
        this.source = start;
        this.expected = expected;
        this.lastReport = null;
        this.hands.get(this.hand).leave?.();
        this.sim.start(start, replay);
        this.messages.building(0, 'building');
    }
    private rebuild(params: Params): void {
        this.keepView = true;
        this.open({ ...this.source, params });
    }
    reset(): void {
        this.hands.get(this.hand).leave?.();
        this.recorder.clear();
        this.sim.reset();
        this.setRunning(true);
    }

    async openFile(file: File): Promise<void> {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const ending = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
        byId('welcome').classList.add('gone');
        if (ending === 'json') {
            this.open({ scene: file.name.slice(0, -5), json: new TextDecoder().decode(bytes), params: {} });
        } else if (FORMATS.includes(ending)) {
            const linked = this.waitingFor;
            const mesh = { name: file.name, bytes };
            if (linked?.mesh && linked.mesh.size === bytes.length && linked.mesh.sum === checksum(bytes)) {
                this.replay(linked, { name: linked.mesh.name, bytes });
            } else {
                this.open({ scene: file.name, mesh, params: {} });
            }
        } else {
            this.messages.say(`${file.name}: not a mesh that can be read here. There are OBJ, PLY, STL, OFF, glTF and GLB, and scene files (JSON).`, { level: 'error' });
        }
    }

    private async openAddress(): Promise<void> {
        const [, key, value = ''] = /^#(state|scene)=(.*)$/.exec(location.hash) ?? [];
        if (key === 'state') {
            try {
                const linked = await decode(value);
                if (linked.mesh) {
                    this.waitingFor = linked;
                    this.messages.say(`This link needs the file ${linked.mesh.name} (${linked.mesh.size.toLocaleString('en')} bytes): drop it here, or open it.`, { offer: { label: 'Open it', action: () => this.drop.choose() } });
                    this.open({ scene: FIRST, params: {} });
                } else {
                    this.replay(linked);
                }
            } catch (error) {
                this.messages.say((error as Error).message, { level: 'error' });
                this.open({ scene: FIRST, params: {} });
            }
        } else {
            this.open({ scene: key === 'scene' ? decodeURIComponent(value) : FIRST, params: {} });
        }
    }
    private replay(linked: Linked, mesh?: { name: string; bytes: Uint8Array }): void {
        this.waitingFor = null;
        this.open({ ...linked.start, ...(mesh ? { mesh } : {}) }, { log: linked.log, steps: linked.steps, fast: false }, linked.hash);
        this.messages.say(`Playing ${(linked.steps * (this.current?.dt ?? 1 / 60)).toFixed(1)} seconds of this link.`, { offer: { label: 'To its end', action: () => this.sim.hurry() } });
    }
    async share(): Promise<string> {
        const state = await this.sim.state();
        if (!state) {
            return '';
        }
        const link = `${location.href.split('#')[0]}#state=${await encode(linkedOf(state))}`;
        history.replaceState(null, '', link);
        const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
        this.messages.say(`${copied ? 'Copied a link' : 'The address is now a link'} to step ${state.steps}, state ${state.hash}.${state.start.mesh ? ` Whoever opens it needs ${state.start.mesh.name} too.` : ''}`);
        return link;
    }

    // ---- time and hands

    setRunning(running: boolean): void {
        this.sim.setRunning(running);
        this.dock.time({ running, slow: this.slow, undos: this.lastReport?.undos ?? 0 });
    }
    private step(): void {
        this.sim.step();
        this.dock.time({ running: false, slow: this.slow, undos: this.lastReport?.undos ?? 0 });
    }
    private setSlow(slow: boolean): void {
        this.slow = slow;
        this.sim.setSpeed(slow ? 0.2 : 1);
        this.panel.slow(slow ? 0.2 : 1);
        this.dock.time({ running: this.sim.running, slow, undos: this.lastReport?.undos ?? 0 });
    }
    choose(hand: HandName): void {
        const before = this.hand;
        this.hand = hand;
        this.pointers.choose(this.hands.get(hand));
        this.dock.choose(hand);
        this.stage.canvas.dataset['hand'] = hand;
        this.force.root.hidden ||= hand !== 'press';
        // A brush shows what it paints.
        if ((hand === 'paint') !== (before === 'paint')) {
            this.panel.setView({ values: hand === 'paint' ? 'stiffness' : 'none' });
        }
        if ((hand === 'refine') !== (before === 'refine')) {
            this.panel.setView({ nodes: hand === 'refine' });
        }
    }

    // ---- what is seen

    private cover(): void {
        const wide = innerWidth > 720, open = document.body.classList.contains('panel-open');
        this.stage.cover(open && wide ? 310 : 0, wide ? 64 : 96, open && !wide ? 0.52 * innerHeight : wide ? 96 : 124);
    }

    private look(change: Partial<View> & { pattern?: boolean }): void {
        const { pattern, ...view } = change;
        this.view = { ...this.view, ...view };
        this.regionOn = this.panel?.view.region ?? false;
        if (!this.regionOn) {
            this.view.region = null;
        } else {
            this.lookAtRegion();
        }
        surroundings.uPattern.value = pattern ? 1 : 0;
        surroundings.uRamp.value = ['none', 'strain', 'plastic', 'stiffness'].indexOf(this.view.values);
        surroundings.uRange.value = RANGES[this.view.values];
        this.hud.colours(this.view.values);
        this.openUp();
        this.sim.view(this.view);
    }
    /** Cells are seen where the body is cut open towards the camera; nodes and links through its skin. */
    private openUp(): void {
        this.clip = null;
        if (this.view.cells && !this.bodies.box.isEmpty()) {
            const away = this.stage.camera.getWorldDirection(new THREE.Vector3()).setY(0).normalize();
            const middle = this.bodies.all.size === 1 ? this.bodies.box.getCenter(new THREE.Vector3()) : this.stage.controls.target.clone();
            this.clip = new THREE.Plane().setFromNormalAndCoplanarPoint(away, middle);
        }
        this.bodies.show({ clip: this.clip, thin: this.view.nodes || this.view.graph || this.regionOn });
    }
    private lookAtRegion(): void {
        let hit = this.bodies.pick(this.stage.ray(this.cursor.x, this.cursor.y));
        if (!hit && !this.view.region && !this.bodies.box.isEmpty()) { // until the cursor comes
            const { camera } = this.stage;
            hit = this.bodies.pick(new THREE.Raycaster(camera.position, this.bodies.box.getCenter(new THREE.Vector3()).sub(camera.position).normalize(), 0, Infinity));
        }
        if (hit) {
            this.view.region = { body: hit.key, at: hit.point.toArray() };
            this.sim.view(this.view);
        }
    }
    private orbit(x: number, y: number): void {
        const { camera, controls } = this.stage;
        const way = new THREE.Spherical().setFromVector3(camera.position.clone().sub(controls.target));
        way.theta += 0.1 * x;
        way.phi = THREE.MathUtils.clamp(way.phi + 0.1 * y, 0.05, Math.PI * 0.93);
        camera.position.setFromSpherical(way).add(controls.target);
    }
    private zoom(by: number): void {
        const { camera, controls } = this.stage;
        camera.position.sub(controls.target).multiplyScalar(by > 0 ? 0.88 : 1.136).add(controls.target);
    }

    private draw(): void {
        const now = performance.now(), seconds = (now - this.last) / 1000;
        this.last = now;
        this.hud.framed(seconds);
        const between = (1000 * (this.current?.dt ?? 0)) / this.sim.speed;
        this.bodies.glideTime = this.sim.running && between > 25 ? between : 0;
        this.sim.take();
        if (this.bodies.glideTime > 0) {
            this.bodies.glide(now);
        }
        this.hands.get(this.hand).tick?.(Math.min(seconds, 0.1));
        const { stage } = this;
        this.overlays.scale(stage.canvas.height / (2 * Math.tan(THREE.MathUtils.degToRad(stage.camera.fov / 2))));
        stage.render(this.bodies.box);
        stage.adapt(1000 * seconds, now);
    }

    // ---- what the worker tells

    ready(message: Parameters<Listener['ready']>[0]): void {
        this.gallery.fill(catalogOf(message.scenes, message.kinds));
        this.panel.choices(message.kinds, message.presets);
    }
    building(done: number, stage: string): void { this.messages.building(done, stage); }
    started(message: Started): void {
        this.messages.building(null);
        this.bodies.clear();
        this.recorder.clear();
        this.current = message;
        this.fallback = null;
        const { mesh } = this.source;
        if (mesh) {
            const start = this.source;
            void texturesOf(mesh.bytes).then((textures) => {
                if (textures.some((t) => t !== null) && this.source === start) {
                    this.bodies.textures = (submesh) => textures[submesh] ?? null;
                    [...this.bodies.all.values()].forEach((v) => this.bodies.shape(v.shape));
                }
            });
        }
        this.stage.suit(message, this.keepView);
        this.keepView = false;
        this.colliders.set(message.colliders);
        this.panel.started(message, this.source.params);
        this.force.root.hidden = true;
        if (this.hand === 'press') {
            this.force.begin();
        }
        const title = message.name.replaceAll('_', ' ');
        byId('title').textContent = title[0]!.toUpperCase() + title.slice(1);
        byId('about').textContent = message.about;
        this.stage.canvas.setAttribute('aria-label', `${message.name}: ${message.about}`);
        this.look({});
        this.setRunning(true);
    }
    shapes(shapes: ShapeMessage[]): void {
        shapes.forEach((shape) => this.bodies.shape(shape));
        this.recorder.clear();
    }
    frame(frame: Frame): ArrayBuffer[] {
        const spare = this.bodies.frame(frame);
        this.colliders.move(frame.poses);
        this.props.frame(frame, this.stage.size, this.bodies.box);
        this.overlays.frame(frame, this.clip);
        this.recorder.add(frame);
        if (frame.probe) {
            this.force.add(frame.time, frame.probe.felt, frame.probe.depth);
        }
        return spare;
    }
    report(report: Report): void {
        this.lastReport = report;
        this.hud.report(report, this.current?.substeps ?? 1);
        this.panel.report(report);
        this.dock.time({ running: this.sim.running, slow: this.slow, undos: report.undos });
    }
    said(message: Parameters<Listener['said']>[0]): void {
        this.messages.say(message.text.replace(/^lim_\w+: /, ''), { level: message.level });
        if (message.where === 'act') {
            this.hands.get(this.hand).edited?.(true);
        }
        if (message.where === 'start') {
            this.messages.building(null);
            const back = this.fallback;
            this.fallback = null;
            if (back) {
                this.keepView = true;
                this.open(back); // the page lives on with what it had
            } else if (this.source.scene !== FIRST) {
                this.open({ scene: FIRST, params: {} });
            }
        }
    }
    edited(message: Parameters<Listener['edited']>[0]): void {
        this.hands.get(this.hand).edited?.(message.changed);
        if (message.act === 'split' && message.changed) {
            this.messages.say(`${message.pieces} bodies now.`);
        }
    }
    replayed(hash: string): void {
        this.setRunning(false);
        if (this.expected === '') {
            return;
        }
        this.messages.say(hash === this.expected ? `The link has been played: state ${hash}, the same as where it was made.` : `The link has been played, but ends in state ${hash}, not in ${this.expected}: it was made with another version.`, { level: hash === this.expected ? 'note' : 'error' });
    }
    failed(text: string): void { this.messages.fatal('The simulation has stopped', text, { label: 'Load the page again', action: () => location.reload() }); }

    /** For the page's files */
    get moving() { return { recorder: this.recorder, shapes: [...this.bodies.all.values()] }; }
    get opened(): Entry['start'] { return this.source; }
    redraw(): void { this.stage.render(this.bodies.box); }
}
