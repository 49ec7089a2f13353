/* SPDX-License-Identifier: MIT
 * Job: run a fuzzer's entry over files, without libFuzzer. In: paths. Out: nothing; it crashes or
 * not.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        FILE* file = fopen(argv[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "%s: could not be opened\n", argv[i]);
            return 1;
        }
        enum { MOST = 1 << 20 };
        uint8_t* bytes = malloc(MOST);
        size_t size = bytes != NULL ? fread(bytes, 1, MOST, file) : 0;
        fclose(file);
        /* Exactly as many bytes as there are, so that a sanitizer sees a read beyond them. */
        uint8_t* exact = realloc(bytes, size > 0 ? size : 1);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%d files replayed\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
