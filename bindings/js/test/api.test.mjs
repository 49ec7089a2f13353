// SPDX-License-Identifier: MIT
// The interface where it can go wrong: errors, callbacks that throw, memory that grows, what was disposed of.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { init, LimberError } from '../dist/index.js';
import * as slim from '../dist/slim.js';
import { TETRAHEDRON } from './kit.mjs';

const limber = await init();
const cube = limber.createModel(limber.boxMesh([1, 1, 1]), { cellSize: 0.25 });
const bits = (text) => new Uint8Array(readFileSync(new URL(text, import.meta.url)));

test('the module comes as nothing, bytes, a module, a URL, text or a promise', async () => {
    const file = new URL('../dist/limber.wasm', import.meta.url);
    const bytes = bits('../dist/limber.wasm');
    for (const wasm of [undefined, bytes, bytes.buffer, new WebAssembly.Module(bytes), file, file.href, Promise.resolve(file),
        new Response(bytes, { headers: { 'content-type': 'application/wasm' } })]) {
        assert.equal((await init({ wasm })).version, limber.version);
    }
    assert.equal((await slim.init()).version, limber.version);
    await assert.rejects(init({ wasm: new URL('nothing.wasm', file) }), /ENOENT/);
    await assert.rejects(init({ wasm: new Response('', { status: 404 }) }), /404/);
    await assert.rejects(init({ wasm: new Uint8Array(8) }), WebAssembly.CompileError);
});

test('instances do not share anything', async () => {
    const other = await init();
    const world = other.createWorld();
    for (let i = 0; i < 3; ++i) {
        world.step();
    }
    assert.equal(world.report.tick, 3);
    assert.throws(() => limber.createWorld().createBody(cube, { model: 1 }), TypeError);
});

test('defaults are those of the headers', () => {
    const world = limber.createWorld();
    assert.equal(world.gravity.y, Math.fround(-9.81));
    const material = limber.material();
    assert.deepEqual([material.density, material.young, material.viscosity, material.dampingEvery, material.goal], [1000, 30e3, 100, 1, 'rigid']);
    const state = world.createBody(cube).state;
    assert.deepEqual([state.layer, state.mask, state.enabled, state.scale, state.selfContact], [1, 0xffffffff, true, 1, false]);
    assert.deepEqual(state.orientation, { x: 0, y: 0, z: 0, w: 1 });
});

test('places are objects or arrays', () => {
    const world = limber.createWorld();
    const a = world.createBody(cube, { position: [1, 2, 3] }), b = world.createBody(cube, { position: { x: 1, y: 2, z: 3 } });
    const c = world.createBody(cube, { position: new Float64Array([1, 2, 3]) });
    assert.deepEqual(a.motion.centre, b.motion.centre);
    assert.deepEqual(a.motion.centre, c.motion.centre);
    world.gravity = { x: 1, y: 2, z: 3 };
    assert.deepEqual(world.gravity, { x: 1, y: 2, z: 3 });
});

test('what is refused is an exception with the library\'s text, and changes nothing', () => {
    const world = limber.createWorld();
    const body = world.createBody(cube);
    const before = world.hash();
    const refused = [
        [() => world.step(-1), 'LIM_ERROR_ARGUMENT', /lim_world_step.*dt/],
        [() => world.createBody(cube, { scale: -1 }), 'LIM_ERROR_ARGUMENT', /scale/],
        [() => limber.createModel(null, {}), 'LIM_ERROR_ARGUMENT', /mesh/],
        [() => limber.createMesh({ positions: [0, 0, 0], indices: [0, 0, 0] }), 'LIM_ERROR_MESH', /./],
        [() => limber.createMesh({ ...TETRAHEDRON, indices: [0, 1, 9] }), 'LIM_ERROR_ARGUMENT', /vertex 9 of 4/],
        [() => limber.loadWorld(new Uint8Array(40)), 'LIM_ERROR_FORMAT', /./],
        [() => limber.loadModel(cube.save().subarray(0, 999)), 'LIM_ERROR_FORMAT', /./],
        [() => world.createPin(body, { shape: 'sphere', size: [0.1, 0, 0], position: [9, 9, 9] }), 'LIM_ERROR_ARGUMENT', /lim_pin_create/],
        [() => limber.parseScene('{ "limber": 1, "nmae": "x" }', 'typo.json'), 'LIM_ERROR_FORMAT', /typo\.json:1:.*nmae/],
        [() => limber.modelMesh('dog'), 'LIM_ERROR_ARGUMENT', /dog|model/],
        [() => body.setNodes(new Float64Array(6)), 'LIM_ERROR_ARGUMENT', /node_count/],
        [() => body.copySkin(new Float32Array(3)), 'LIM_ERROR_ARGUMENT', /vertex_count/],
    ];
    for (const [call, code, words] of refused) {
        assert.throws(call, (e) => e instanceof LimberError && e.code === code && words.test(e.message), String(call));
    }
    const wrong = [
        [() => world.createBody(cube, { material: 'jelyl' }), TypeError, /jelly, rubber/],
        [() => world.createBody(cube, { materail: 'jelly' }), TypeError, /'materail' is not one of .*material/],
        [() => world.createBody(cube, { position: [1, 2] }), TypeError, /position.z/],
        [() => world.createBody(cube, { scale: '1' }), TypeError, /'scale' takes a number/],
        [() => world.createCollider({ shape: 'plan' }), TypeError, /plane, sphere/],
        [() => limber.createModel(limber.boxMesh([1, 1, 1]), { vertexSize: [1] }), RangeError, /vertexSize/],
        [() => limber.createMesh({ positions: [0, 0], indices: [0, 0, 0] }), RangeError, /positions/],
        [() => limber.scene('dog'), RangeError, /creature/],
    ];
    for (const [call, type, words] of wrong) {
        assert.throws(call, (e) => e instanceof type && words.test(e.message), String(call));
    }
    assert.equal(world.hash(), before);
});

test('an id that is stale is refused, and a new body in its place is another object', () => {
    const world = limber.createWorld();
    const body = world.createBody(cube);
    body.user = 'first';
    assert.equal(world.bodies()[0], body);
    body.destroy();
    assert.ok(!body.valid);
    assert.throws(() => body.motion, { code: 'LIM_ERROR_ID' });
    const next = world.createBody(cube);
    assert.equal(next.index, body.index);
    assert.notEqual(next, body);
    assert.equal(world.bodies()[0], next);
    assert.equal(next.user, undefined);
});

test('exceptions in callbacks come out of the call, and nothing is left behind', () => {
    const mesh = limber.boxMesh([1, 1, 1]);
    const oops = new Error('oops');
    for (const hook of ['progress', 'sizeAt', 'widthAt']) {
        assert.throws(() => limber.createModel(mesh, { cellSize: 0.25, coarsen: 1, [hook]: () => { throw oops; } }), (e) => e === oops, hook);
    }
    assert.throws(() => limber.createModel(mesh, { cellSize: 0.25, progress: () => false }), { code: 'LIM_ERROR_CANCELLED' });
    const stages = new Set();
    limber.createModel(mesh, { cellSize: 0.25, progress: (done, stage) => { assert.ok(done >= 0 && done <= 1); stages.add(stage); } }).dispose();
    assert.ok(stages.size > 1);
    limber.createModel(mesh, { cellSize: 0.25 }).dispose(); // the hooks are gone
});

test('sizeAt and widthAt are asked', () => {
    const mesh = limber.boxMesh([1, 1, 1]);
    const plain = limber.createModel(mesh, { cellSize: 1 / 16, coarsen: 3, cellsAcross: 0 });
    const fine = limber.createModel(mesh, { cellSize: 1 / 16, coarsen: 3, cellsAcross: 0, sizeAt: (at) => (at.x > 0.6 ? 1 / 16 : 0) });
    assert.ok(fine.info.nodes > plain.info.nodes);
    const wide = limber.createModel(mesh, { cellSize: 1 / 8, widthAt: () => 0.25 });
    assert.ok(wide.info.membersPerRegion > limber.createModel(mesh, { cellSize: 1 / 8 }).info.membersPerRegion);
});

test('the log', async () => {
    const lines = [];
    const own = await init({ log: (level, text) => { lines.push([level, text]); throw new Error('a log that throws'); } });
    assert.throws(() => own.createWorld({ substeps: 999 }));
    assert.ok(lines.some(([level, text]) => level === 'error' && /substeps/.test(text)));
});

test('memory that grows leaves views and objects whole', () => {
    const world = limber.createWorld();
    const body = world.createBody(cube, { position: [0, 1, 0] });
    world.step();
    const skin = body.skin(), before = skin.positions.slice();
    const size = limber.memoryBytes;
    const large = limber.createModel(limber.boxMesh([1, 1, 1], [8, 8, 8]), { cellSize: 1 / 48 });
    assert.ok(limber.memoryBytes > size);
    assert.deepEqual(skin.positions, before);
    assert.equal(skin.indices.length, 3 * skin.triangleCount);
    world.step();
    large.dispose();
});

test('what is disposed of gives its memory back', () => {
    const use = () => {
        const mesh = limber.createMesh(TETRAHEDRON), model = limber.createModel(mesh, { cellSize: 0.1 });
        const world = limber.createWorld();
        world.createCollider();
        const body = world.createBody(model, { position: [0, 0.4, 0] });
        for (let i = 0; i < 5; ++i) {
            world.step();
        }
        body.cut({ tips: [[0, -1, 1], [0, -1, -1]], backs: [[0, 2, 1], [0, 2, -1]] });
        body.split();
        const snapshot = world.snapshot(), saved = limber.loadWorld(world.save());
        const scene = limber.dropScene(mesh, { nodes: 50 }), run = scene.start();
        assert.throws(() => limber.parseMesh('nonsense', 'stl'));
        for (const owned of [mesh, model, snapshot, saved, world, run, scene]) {
            owned.dispose();
            owned.dispose(); // twice does nothing
            assert.ok(owned.disposed);
            assert.throws(() => owned.pointer, { code: 'DISPOSED' });
        }
        assert.throws(() => body.motion, { code: 'DISPOSED' });
    };
    for (let i = 0; i < 5; ++i) {
        use();
    }
    const size = limber.memoryBytes;
    for (let i = 0; i < 40; ++i) {
        use();
    }
    assert.equal(limber.memoryBytes, size);
});

test('the end of a using block disposes', () => {
    const world = limber.createWorld();
    world[Symbol.dispose]();
    assert.ok(world.disposed);
});

test('a skin as copies and as views, relative to a place of one\'s own', () => {
    const world = limber.createWorld({ gravity: [0, 0, 0] });
    const body = world.createBody(cube, { position: [10, 20, 30] });
    const skin = body.skin(), n = 3 * skin.vertexCount;
    const world0 = new Float32Array(n), near = new Float32Array(n), normals = new Float32Array(n);
    body.copySkin(world0, normals);
    body.copySkin(near, null, [10, 20, 30]);
    for (let i = 0; i < n; ++i) {
        const o = [skin.origin.x, skin.origin.y, skin.origin.z][i % 3];
        assert.ok(Math.abs(world0[i] - (skin.positions[i] + o)) < 1e-5);
        assert.ok(Math.abs(near[i]) <= 0.5 + 1e-5);
        assert.equal(normals[i], skin.normals[i]);
    }
    const moved = new Float32Array(12 * body.nodes().velocities.length / 3);
    body.copyNodeTransforms(moved);
    assert.ok(Math.abs(moved[3] - 10) < 1e-4 && Math.abs(moved[0] - 1) < 1e-5);
});

test('events say what touches and what was split off', () => {
    const world = limber.createWorld();
    const ground = world.createCollider();
    const body = world.createBody(cube, { position: [0, 0.52, 0], material: { young: 100e3 } });
    const kinds = [];
    for (let i = 0; i < 90; ++i) {
        world.step();
        for (const event of world.events()) {
            kinds.push(event.kind);
            assert.equal(event.body, body);
            assert.equal(event.collider, event.kind === 'sleep' ? null : ground);
        }
    }
    assert.equal(kinds[0], 'begin');
    assert.ok(world.contacts().every((c) => c.body === body && c.other === null && c.collider === ground && c.impulse.y > 0));
    assert.ok(world.contacts().length > 0);
    body.cut({ tips: [[0, -1, 1], [0, -1, -1]], backs: [[0, 2, 1], [0, 2, -1]] });
    const [piece] = body.split();
    world.step();
    const split = world.events().find((e) => e.kind === 'piece');
    assert.equal(split.body, piece);
    assert.equal(split.other, body);
});

test('a mesh that a scene does not get', () => {
    const scene = limber.parseScene({ limber: 1, name: 'x', bodies: [{ mesh: 'gone.obj' }] });
    assert.throws(() => scene.start(), /'gone.obj'.*'meshes'/);
});

test('kinds and presets have names that models and bodies take', () => {
    assert.deepEqual(limber.kinds.slice(0, 3), ['octree', 'lattice', 'points']);
    assert.ok(limber.presets.includes('jelly'));
    for (const preset of limber.presets) {
        assert.ok(limber.material(preset).young > 0);
    }
});

test('a scene tells its bodies, and its run goes back', () => {
    const scene = limber.parseScene({
        limber: 1, duration: 2, bodies: [{ name: 'b', model: 'block', nodes: 150, size: 0.5, kind: 'lattice', position: [0, 0.2, 0], material: { density: 300 } }],
        actions: [{ type: 'impulse', at: 0.3, body: 'b', point: [0, 1, 0], impulse: [0, 0, 3] }],
    });
    const [b] = scene.bodies();
    assert.equal(b.kind, 'lattice');
    assert.equal(b.nodes, 150);
    assert.equal(b.material.density, 300);
    assert.ok(Number.isNaN(b.material.young));
    const run = scene.start(), other = scene.start();
    const start = run.snapshot(), first = run.world.hash();
    for (let i = 0; i < 30; ++i) {
        run.step();
    }
    const end = run.world.hash();
    run.restore(start);
    assert.equal(run.world.hash(), first);
    assert.equal(run.steps, 0);
    for (let i = 0; i < 30; ++i) {
        run.step();
    }
    assert.equal(run.world.hash(), end);
    assert.notEqual(first, end);
    assert.throws(() => other.restore(start), RangeError);
    run.dispose();
    assert.ok(start.disposed);
});

test('debug drawing has the nodes where they are and twelve lines per cell', () => {
    const world = limber.createWorld();
    const body = world.createBody(cube, { position: [1, 2, 3] });
    const nodes = body.nodes().positions, drawn = body.debugDraw(['nodes', 'cells'], [1, 0, 0]);
    assert.equal(drawn.points.length, nodes.length);
    assert.equal(drawn.lines.length, 6 * 12 * nodes.length / 3);
    nodes.forEach((x, i) => assert.ok(Math.abs(drawn.points[i] + (i % 3 === 0 ? 1 : 0) - x) < 1e-5));
    const side = Math.hypot(...[0, 1, 2].map((k) => drawn.lines[3 + k] - drawn.lines[k]));
    assert.ok(Math.abs(side - drawn.pointSizes[0]) < 1e-4);
    assert.ok(drawn.pointColours.every((c) => (c & 0xff) === 0xff));
    assert.ok(drawn.lineColours.every((c) => (c & 0xff) === 0xff));
});
