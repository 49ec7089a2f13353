// SPDX-License-Identifier: MIT
// Controls that say what they mean, with units. What needs a new model starts the scene again.
import GUI, { type Controller } from 'lil-gui';
import type { Kind, Preset } from 'limber';
import type { MaterialChange, Params, Report, Started, View } from '../protocol';

export interface PanelActions {
    material(change: MaterialChange): void;
    gravity(x: number, y: number, z: number): void;
    wind(speed: number, degrees: number, gust: number): void;
    speed(speed: number): void;
    rebuild(params: Params): void;
    view(view: Partial<View> & { pattern?: boolean }): void;
    save(what: 'glb' | 'obj' | 'animation' | 'picture' | 'scene'): void;
}

/** A slider over powers of ten for a value in its unit */
const logarithm = (value: number) => Math.log10(Math.max(value, 1e-9));

export class Panel {
    readonly gui: GUI;
    readonly view = { values: 'none' as View['values'], nodes: false, cells: false, graph: false, region: false, contacts: false, pattern: false };
    private readonly material = { preset: '' as Preset | '', young: 4, got: '', density: 1000, viscosity: 2, dampingTime: 0.5, volume: 0, yield: 0, creep: 20, maxStrain: 0.5, friction: 0.5, restitution: 0, pressure: 0 };
    private readonly world = { gravity: 9.81, tilt: 0, wind: 0, direction: 0, gust: 0.4, speed: 1 };
    private readonly model = { kind: 'octree' as Kind, nodes: 1000, coarsen: 0, regionWidth: 1, substeps: 4, rebuild: () => this.actions.rebuild(this.params()) };
    private readonly kind: Controller;
    private readonly preset: Controller;
    private readonly young: Controller;
    private readonly viscosity: Controller;
    private before: Params = {};
    private busyUntil = 0;

    constructor(private readonly actions: PanelActions, container: HTMLElement) {
        this.gui = new GUI({ container, title: 'Controls', width: 300 });
        const changed = <K extends keyof MaterialChange>(key: K) => (value: MaterialChange[K]) => this.change({ [key]: value });
        const material = this.gui.addFolder('Material');
        this.preset = material.add(this.material, 'preset', ['']).name('preset').onChange((preset: Preset | '') => preset && this.change({ preset }));
        this.young = material.add(this.material, 'young', 2, 7, 0.01).name('modulus').onChange((v: number) => this.change({ young: 10 ** v }));
        material.add(this.material, 'got').name('\u2003got').disable();
        material.add(this.material, 'density', 50, 3000, 10).name('density, kg/m\u00b3').onChange(changed('density'));
        this.viscosity = material.add(this.material, 'viscosity', 0, 5, 0.01).name('viscosity').onChange((v: number) => this.change({ viscosity: v <= 0 ? 0 : 10 ** v }));
        material.add(this.material, 'dampingTime', 0, 5, 0.01).name('damping time, s').onChange(changed('dampingTime'));
        material.add(this.material, 'volume', 0, 1, 0.01).name('keeps volume').onChange(changed('volume'));
        material.add(this.material, 'pressure', -5000, 20000, 50).name('pressure, Pa').onChange(changed('pressure'));
        material.add(this.material, 'yield', 0, 0.6, 0.005).name('yield strain').onChange(changed('yield'));
        material.add(this.material, 'creep', 0, 60, 0.5).name('creep, 1/s').onChange(changed('creep'));
        material.add(this.material, 'maxStrain', 0, 3, 0.05).name('most flow').onChange(changed('maxStrain'));
        material.add(this.material, 'friction', 0, 2, 0.01).name('friction').onChange(changed('friction'));
        material.add(this.material, 'restitution', 0, 1, 0.01).name('bounce').onChange(changed('restitution'));
        [this.young, this.viscosity].forEach((c) => c.domElement.classList.add('no-number')); // their names say the value
        const world = this.gui.addFolder('World').close();
        const gravity = () => actions.gravity(this.world.gravity * Math.round(1e4 * Math.sin((this.world.tilt * Math.PI) / 180)) / 1e4, -this.world.gravity * Math.round(1e4 * Math.cos((this.world.tilt * Math.PI) / 180)) / 1e4, 0);
        world.add(this.world, 'gravity', -5, 25, 0.01).name('gravity, m/s\u00b2').onChange(gravity);
        world.add(this.world, 'tilt', -90, 90, 1).name('tilt, degrees').onChange(gravity);
        const wind = () => actions.wind(this.world.wind, this.world.direction, this.world.gust);
        world.add(this.world, 'wind', 0, 40, 0.1).name('wind, m/s').onChange(wind);
        world.add(this.world, 'direction', -180, 180, 5).name('wind from, degrees').onChange(wind);
        world.add(this.world, 'gust', 0, 2, 0.05).name('gusts').onChange(wind);
        world.add(this.world, 'speed', { 'real time': 1, 'half': 0.5, '1 : 5': 0.2, '1 : 20': 0.05, 'double': 2 }).name('speed').onChange((s: number) => actions.speed(s));
        const view = this.gui.addFolder('View');
        view.add(this.view, 'values', { 'as it is': 'none', 'strain': 'strain', 'plastic strain': 'plastic', 'stiffness': 'stiffness' }).name('colours').onChange(() => this.look());
        for (const [key, label] of Object.entries({ nodes: 'nodes by size', cells: 'cells, cut open', graph: 'graph', region: 'region at the cursor', contacts: 'contacts', pattern: 'checker' })) {
            view.add(this.view, key as 'nodes').name(label).onChange(() => this.look());
        }
        const model = this.gui.addFolder('Model').close();
        this.kind = model.add(this.model, 'kind', ['octree']).name('kind').onFinishChange(() => this.model.rebuild());
        model.add(this.model, 'nodes', 50, 20000, 50).name('nodes');
        model.add(this.model, 'coarsen', 0, 4, 1).name('levels above the finest');
        model.add(this.model, 'regionWidth', 0.5, 8, 0.25).name('region width, cells');
        model.add(this.model, 'substeps', 1, 32, 1).name('substeps');
        model.add(this.model, 'rebuild').name('Build again');
        const save = this.gui.addFolder('Save').close();
        for (const [what, label] of Object.entries({ glb: 'Mesh as it is now (GLB)', obj: 'Mesh as it is now (OBJ)', animation: 'The last seconds (GLB animation)', picture: 'Picture (PNG)', scene: 'Scene file (JSON)' })) {
            save.add({ save: () => actions.save(what as 'glb') }, 'save').name(label);
        }
    }

    choices(kinds: readonly Kind[], presets: readonly Preset[]): void {
        this.kind.options([...kinds] as never);
        this.preset.options({ 'of the scene': '', ...Object.fromEntries(presets.map((p) => [p, p])) } as never);
    }

    started(started: Started, params: Params): void {
        Object.assign(this.model, { kind: started.kind, nodes: started.nodes, coarsen: started.coarsen, regionWidth: started.regionWidth, substeps: started.substeps });
        this.before = { kind: started.kind, nodes: started.nodes, coarsen: started.coarsen, regionWidth: started.regionWidth, substeps: started.substeps };
        this.asked = params;
        this.material.preset = '';
        this.busyUntil = 0;
        this.refresh();
    }
    private asked: Params = {};

    /** The material as it is, unless a slider is being drawn. */
    report(r: Report): void {
        if (performance.now() < this.busyUntil || !r.material || this.gui.domElement.contains(document.activeElement) && document.activeElement?.tagName === 'INPUT') {
            return;
        }
        const { young, viscosity, ...rest } = r.material;
        const short = Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, Number(v.toPrecision(3))]));
        Object.assign(this.material, short, { young: Number(logarithm(young).toFixed(2)), viscosity: viscosity > 0 ? Math.max(0, Number(logarithm(viscosity).toFixed(2))) : 0 });
        this.material.got = r.limits && r.limits.youngGot > 0 ? `${pascal(r.limits.youngGot)} (${r.limits.substepsGot} substeps)` : '\u2013';
        this.young.name(`modulus, ${pascal(young)}`);
        this.viscosity.name(`viscosity, ${viscosity.toPrecision(2).replace(/e\+?/, 'e')} Pa s`);
        this.world.gravity = Math.round(-100 * (r.gravity.y < 0 ? -1 : 1) * Math.hypot(r.gravity.x, r.gravity.y, r.gravity.z)) / -100;
        this.refresh();
    }

    setView(change: Partial<Panel['view']>): void {
        Object.assign(this.view, change);
        this.refresh();
        this.look();
    }
    slow(speed: number): void {
        this.world.speed = speed;
        this.refresh();
    }

    private refresh(): void { this.gui.controllersRecursive().forEach((c) => c.updateDisplay()); }
    private change(change: MaterialChange): void {
        this.busyUntil = performance.now() + 700;
        this.actions.material(change);
    }
    private look(): void {
        const { values, nodes, cells, graph, contacts, pattern } = this.view;
        this.actions.view({ values, nodes, cells, graph, contacts, pattern });
    }
    /** What differs from the scene's own */
    private params(): Params {
        const out: Record<string, unknown> = { ...this.asked };
        for (const key of ['kind', 'nodes', 'coarsen', 'regionWidth', 'substeps'] as const) {
            if (this.model[key] !== this.before[key]) {
                out[key] = this.model[key];
            }
        }
        return out as Params;
    }
}

function pascal(value: number): string {
    const [unit, factor] = value >= 1e6 ? ['MPa', 1e6] : value >= 1e3 ? ['kPa', 1e3] : ['Pa', 1];
    return `${Number((value / factor).toPrecision(3))} ${unit}`;
}
