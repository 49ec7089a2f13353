/* SPDX-License-Identifier: MIT
 * Job: bytes to files and back.
 */
#include "cli/file_bytes.h"

#include "cli/say.h"

#include <stdio.h>
#include <stdlib.h>

bool file_write(const char* path, const unsigned char* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    bool whole = file != NULL && fwrite(bytes, 1, size, file) == size;
    whole = file != NULL && fclose(file) == 0 && whole;
    if (!whole) {
        say_error("%s: cannot be written; check the folder and the space on the disk", path);
    }
    return whole;
}

unsigned char* file_read(const char* path, size_t* out_size) {
    FILE* file = fopen(path, "rb");
    unsigned char* bytes = NULL;
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (size > 0) {
        rewind(file);
        bytes = malloc((size_t)size);
    }
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    *out_size = bytes != NULL ? (size_t)size : 0;
    return bytes;
}
