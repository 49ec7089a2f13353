// SPDX-License-Identifier: MIT
// A state as a link: how the scene began, what hands did at which step, and the hash that this ends in.
// JSON, deflated, in the part of the address that servers never see.
import type { Logged, SessionState, Start } from '../protocol';

export interface Linked {
    version: 1;
    start: Omit<Start, 'mesh'>;
    /** The file that must be given again: a link cannot hold it. */
    mesh?: { name: string; size: number; sum: string };
    log: Logged[];
    steps: number;
    hash: string;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
    return new Uint8Array(await new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Tells files apart (FNV-1a, 32 bits). */
export function checksum(bytes: Uint8Array): string {
    let sum = 0x811c9dc5;
    for (const byte of bytes) {
        sum = Math.imul(sum ^ byte, 0x01000193);
    }
    return (sum >>> 0).toString(16);
}

export function linkedOf({ start: { mesh, ...start }, log, steps, hash }: SessionState): Linked {
    return { version: 1, start, ...(mesh ? { mesh: { name: mesh.name, size: mesh.bytes.length, sum: checksum(mesh.bytes) } } : {}), log, steps, hash };
}

export async function encode(linked: Linked): Promise<string> {
    const packed = await through(new TextEncoder().encode(JSON.stringify(linked)), new CompressionStream('deflate-raw'));
    let text = '';
    packed.forEach((b) => (text += String.fromCharCode(b)));
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Throws where the link is damaged. */
export async function decode(text: string): Promise<Linked> {
    try {
        const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
        const linked = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')))) as Linked;
        if (linked.version !== 1 || typeof linked.start?.scene !== 'string' || !Array.isArray(linked.log) || !Number.isInteger(linked.steps)) {
            throw new Error('unknown');
        }
        return linked;
    } catch {
        throw new Error('This link is damaged, or of another version of this page.');
    }
}
