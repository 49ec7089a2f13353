// SPDX-License-Identifier: MIT
// Checks GLB files with Khronos' validator: node check_glb.cjs FILE.glb... The package gltf-validator
// is looked for where node looks (NODE_PATH too); without it the exit code is 77, which ctest takes
// for "skipped". Exits with 1 when a file has errors or warnings.
const { readFileSync } = require('node:fs');

let validator;
try {
    validator = require('gltf-validator');
} catch {
    console.log('gltf-validator is not installed: nothing was checked');
    process.exit(77);
}

async function main() {
    let bad = process.argv.length < 3;
    for (const path of process.argv.slice(2)) {
        const report = await validator.validateBytes(new Uint8Array(readFileSync(path)));
        const { numErrors, numWarnings, messages } = report.issues;
        console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings`);
        if (numErrors + numWarnings > 0) {
            bad = true;
            messages.slice(0, 10).forEach((m) => console.log(`  ${m.pointer}: ${m.message}`));
        }
    }
    process.exitCode = bad ? 1 : 0;
}
main();
