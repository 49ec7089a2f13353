// SPDX-License-Identifier: MIT
// serve.mjs [PORT]: serves dist/, as any web server would; the address is printed. Without a port the first
// free one from 5173 on. Other programs import `serve`.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(dirname(fileURLToPath(import.meta.url)));
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.woff2': 'font/woff2', '.jpg': 'image/jpeg', '.json': 'application/json' };

/** Resolves to the server's address. */
export function serve(port = 0, folder = join(here, 'dist')) {
    const server = createServer((request, response) => {
        const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/\/$/, '/index.html');
        const file = join(folder, path);
        if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
            response.writeHead(404).end('not found');
            return;
        }
        response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'cache-control': 'no-cache' });
        createReadStream(file).pipe(response);
    });
    return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/` }));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const asked = Number(process.argv[2] ?? 0);
    for (let port = asked || 5173; ; ++port) {
        try {
            const { address } = await serve(port);
            console.log(`The studio is at ${address} (end with Ctrl-C)`);
            break;
        } catch (error) {
            if (asked || error.code !== 'EADDRINUSE' || port > 5273) {
                throw error;
            }
        }
    }
}
