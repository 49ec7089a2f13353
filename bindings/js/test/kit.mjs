// SPDX-License-Identifier: MIT
// What the tests share: the package as it is built, and the native command line tool.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(dirname(fileURLToPath(import.meta.url)));
export const root = resolve(here, '../..');
export const tool = [process.env.LIMBER_TOOL, 'build/check/bin/limber', 'build/release/bin/limber']
    .filter(Boolean).map((p) => resolve(root, p)).find(existsSync);

/** A tetrahedron is enough of a mesh for most questions. */
export const TETRAHEDRON = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], indices: [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2] };
