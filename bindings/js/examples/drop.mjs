// SPDX-License-Identifier: MIT
// node drop.mjs [FILE]: a mesh file, or the duck, falls and comes to rest; then it is cut in two.
import { readFile } from 'node:fs/promises';
import { init } from 'limber';

const [file] = process.argv.slice(2);
const limber = await init();
const mesh = file ? limber.parseMesh(await readFile(file), file) : limber.modelMesh('duck');
const scene = limber.dropScene(mesh); // a metre long, 2,000 nodes, onto the ground
const run = scene.start({ progress: (done, stage) => void process.stderr.write(`\r${stage} ${Math.round(100 * done)} %   `) });
while (!run.done) {
    run.step();
}
const [{ body }] = run.bodies();
const { bounds, centre, mass } = body.motion;
console.log(`\n${mass.toFixed(1)} kg rest at ${centre.y.toFixed(3)} m, ${(bounds.upper.y - bounds.lower.y).toFixed(3)} m high`);

const wide = 2 + bounds.upper.x - bounds.lower.x;
const report = body.cut({
    tips: [[centre.x, -1, centre.z - wide], [centre.x, -1, centre.z + wide]],
    backs: [[centre.x, 3, centre.z - wide], [centre.x, 3, centre.z + wide]],
});
console.log(`cut into ${report.pieces} pieces with ${report.innerTriangles} new triangles in ${(1e3 * report.total).toFixed(0)} ms; state ${run.world.hash().toString(16)}`);
