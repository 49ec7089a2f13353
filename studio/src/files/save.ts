// SPDX-License-Identifier: MIT
// Downloads: the mesh, an animation, a picture, the scene.
import type { Studio } from '../studio';
import { glbOf, type Moving } from './glb';
import { objOf } from './obj';

function offer(blob: Blob, name: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Bodies as they are shown */
function now(studio: Studio): Moving[] {
    return studio.moving.shapes.flatMap(({ shape, frame }) => (frame ? [{ shape, moments: [frame] }] : []));
}

export async function save(what: 'glb' | 'obj' | 'animation' | 'picture' | 'scene', studio: Studio): Promise<void> {
    const name = studio.opened.scene.replace(/\.[^.]*$/, '');
    const { recorder, shapes } = studio.moving;
    const fromBottom = !/\.gl(b|tf)$/i.test(studio.opened.mesh?.name ?? '');
    switch (what) {
    case 'glb': return offer(glbOf(now(studio), 1, fromBottom), `${name}.glb`);
    case 'obj': return offer(objOf(now(studio)), `${name}.obj`);
    case 'animation': return offer(glbOf(recorder.moving(shapes.map((s) => s.shape)), recorder.secondsPerMoment, fromBottom), `${name}_animation.glb`);
    case 'picture': {
        studio.redraw(); // what was drawn is only there until the frame ends
        studio.stage.canvas.toBlob((blob) => blob && offer(blob, `${name}.png`), 'image/png');
        return;
    }
    case 'scene': return offer(new Blob([JSON.stringify(await studio.sim.file(), null, 2)], { type: 'application/json' }), `${name}.json`);
    }
}
