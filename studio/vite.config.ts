// SPDX-License-Identifier: MIT
import { defineConfig } from 'vite';

// A folder that any web server can serve from any path. The package is linked: it stays as it is built.
export default defineConfig({
    base: './',
    worker: { format: 'es' },
    optimizeDeps: { exclude: ['limber'] },
    server: { fs: { allow: ['..'] } },
    build: { target: 'es2022', chunkSizeWarningLimit: 900 },
});
