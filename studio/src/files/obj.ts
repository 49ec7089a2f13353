// SPDX-License-Identifier: MIT
// Wavefront OBJ: the surface as it is, with colours behind the coordinates where there are any.
import type { Moving } from './glb';

export function objOf(bodies: readonly Moving[]): Blob {
    const lines: string[] = ['# Limber studio'];
    let base = 1;
    const number = (x: number) => Number(x.toPrecision(7)).toString();
    for (const { shape, moments: [now] } of bodies) {
        lines.push(`o ${shape.name}`);
        for (let v = 0; v < shape.vertexCount; ++v) {
            const at = Array.from(now!.positions.subarray(3 * v, 3 * v + 3), number);
            const colour = shape.colours ? Array.from(shape.colours.subarray(3 * v, 3 * v + 3), number) : [];
            lines.push(`v ${[...at, ...colour].join(' ')}`);
        }
        for (let v = 0; v < shape.vertexCount; ++v) {
            lines.push(`vn ${Array.from(now!.normals.subarray(3 * v, 3 * v + 3), number).join(' ')}`);
        }
        for (let i = 0; i < shape.indices.length; i += 3) {
            if (i === 0 || i === shape.outer) {
                lines.push(`g ${i === 0 && shape.outer > 0 ? 'skin' : 'inside'}`);
            }
            lines.push(`f ${Array.from(shape.indices.subarray(i, i + 3), (k) => `${k + base}//${k + base}`).join(' ')}`);
        }
        base += shape.vertexCount;
    }
    return new Blob([lines.join('\n'), '\n'], { type: 'model/obj' });
}
