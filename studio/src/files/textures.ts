// SPDX-License-Identifier: MIT
// Pictures in a GLB that was dropped: the library reads the surface, one submesh per material in the order
// of first use; the page takes each material's base colour.
import * as THREE from 'three';

interface Gltf {
    scene?: number;
    scenes?: { nodes?: number[] }[];
    nodes?: { mesh?: number; children?: number[] }[];
    meshes?: { primitives: { material?: number; mode?: number }[] }[];
    materials?: { pbrMetallicRoughness?: { baseColorTexture?: { index: number } } }[];
    textures?: { source?: number }[];
    images?: { bufferView?: number; mimeType?: string }[];
    bufferViews?: { byteOffset?: number; byteLength: number }[];
}

function materialsInOrder(gltf: Gltf): (number | undefined)[] {
    const order: (number | undefined)[] = [];
    const visit = (index: number) => {
        const node = gltf.nodes?.[index];
        for (const { material, mode = 4 } of gltf.meshes?.[node?.mesh ?? -1]?.primitives ?? []) {
            if (mode >= 4 && !order.includes(material)) {
                order.push(material);
            }
        }
        node?.children?.forEach(visit);
    };
    (gltf.scenes?.[gltf.scene ?? 0]?.nodes ?? []).forEach(visit);
    return order;
}

/** Per submesh its texture, or null. Nothing in the file is trusted: what does not fit has no texture. */
export async function texturesOf(bytes: Uint8Array): Promise<(THREE.Texture | null)[]> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67) {
        return [];
    }
    try {
        const size = view.getUint32(12, true);
        const gltf = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + size))) as Gltf;
        const binary = bytes.subarray(28 + size);
        return await Promise.all(materialsInOrder(gltf).map(async (material) => {
            const texture = gltf.materials?.[material ?? -1]?.pbrMetallicRoughness?.baseColorTexture?.index;
            const image = gltf.images?.[gltf.textures?.[texture ?? -1]?.source ?? -1];
            const part = gltf.bufferViews?.[image?.bufferView ?? -1];
            if (!part) {
                return null;
            }
            const from = part.byteOffset ?? 0;
            const bitmap = await createImageBitmap(new Blob([binary.slice(from, from + part.byteLength)], { type: image?.mimeType ?? 'image/png' })).catch(() => null);
            if (!bitmap) {
                return null;
            }
            const made = new THREE.Texture(bitmap);
            Object.assign(made, { colorSpace: THREE.SRGBColorSpace, flipY: false, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, anisotropy: 4, needsUpdate: true });
            return made;
        }));
    } catch {
        return [];
    }
}
