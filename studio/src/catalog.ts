// SPDX-License-Identifier: MIT
// Which scenes there are, in groups, and how each starts on this page. Scenes that are built into the
// package and named in no group come last; each kind of body has a scene that is made from its name.
import type { Kind } from 'limber';
import type { Params, Start } from './protocol';

export interface Entry { name: string; title: string; about: string; start: Start; }
export interface Group { title: string; entries: Entry[]; }

const GROUPS: [string, string[]][] = [
    ['Falling', ['creature', 'duck', 'block', 'figure', 'figure_shell']],
    ['Held and moved', ['hand', 'liver', 'flower', 'infant', 'bar', 'bars', 'hand_stiffness']],
    ['Cut and torn', ['loaf', 'liver_cut', 'finger', 'torn_sheet', 'biscuit', 'torn_duck']],
    ['Contact', ['pile', 'hand_ball', 'balls', 'press', 'chain', 'penguins', 'pachinko', 'terrain', 'bowl', 'fold']],
    ['Plastic', ['clay', 'pegs']],
    ['Detail', ['flowers', 'fly_by', 'flattened_duck']],
];
/** Fewer nodes than in a film: a page has one core and no time. */
const LIGHTER: Record<string, Params> = { figure: { nodes: 7000 }, figure_shell: { nodes: 5000 }, clay: { nodes: 4000 }, pegs: { nodes: 4000 } };

const titled = (name: string) => (name[0]!.toUpperCase() + name.slice(1)).replaceAll('_', ' ');

function kindScene(kind: Kind): Start {
    const json = {
        limber: 1, name: `duck_${kind}`, about: `A duck of kind ${kind} drops and comes to rest.`, duration: 6, camera: { eye: [1.3, 1.05, 2.2], target: [0, 0.42, 0], fov: 34 },
        bodies: [{ name: 'duck', model: 'duck', kind, nodes: kind === 'points' ? 400 : 1200, size: 1, position: [0, 0.35, 0], rotation: { axis: [0.3, 0.2, 1], degrees: 14 } }],
    };
    return { scene: json.name, json: JSON.stringify(json), params: {} };
}

export function catalogOf(scenes: readonly { name: string; about: string }[], kinds: readonly Kind[]): Group[] {
    const about = new Map(scenes.map((s) => [s.name, s.about]));
    const entry = (name: string): Entry => ({ name, title: titled(name), about: about.get(name)!, start: { scene: name, params: { ...LIGHTER[name] } } });
    const groups = GROUPS.map(([title, names]) => ({ title, entries: names.filter((n) => about.has(n)).map(entry) }));
    const grouped = new Set(GROUPS.flatMap(([, names]) => names));
    const rest = scenes.filter((s) => !grouped.has(s.name)).map((s) => entry(s.name));
    groups.splice(1, 0, {
        title: 'Kinds of body',
        entries: kinds.map((kind) => ({ name: `duck_${kind}`, title: titled(kind), about: `A duck of kind ${kind} drops and comes to rest.`, start: kindScene(kind) })),
    });
    return rest.length > 0 ? [...groups, { title: 'More', entries: rest }] : groups;
}
