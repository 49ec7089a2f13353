/* SPDX-License-Identifier: MIT
 * Job: movies. In: images. Out: a file made by ffmpeg, which runs as a child process and reads raw
 * pixels from its input. The input is a socket, not a pipe, because a send can be told not to raise
 * a signal when the child has gone. What ffmpeg says goes to a temporary file and from there into
 * the message.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "io/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct lim_movie {
    lim_host host;
    int32_t width, height;
    int pixels; /* our end of the socket */
    pid_t child;
    FILE* complaints;
    bool failed;
    char path[512];
};

static bool ends_with(const char* text, const char* end) {
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/* Starts ffmpeg with `input` as its standard input. Returns an errno value. */
static int spawn(lim_movie* movie, float fps, int input) {
    char size[32], rate[OUT_NUMBER], target[sizeof movie->path + 8];
    snprintf(size, sizeof size, "%dx%d", (int)movie->width, (int)movie->height);
    out_format_decimal(rate, fps);
    /* "file:" keeps a path with a colon or a leading dash from being taken for something else. */
    snprintf(target, sizeof target, "file:%s", movie->path);
    bool is_gif = ends_with(movie->path, ".gif");
    /* Most codecs want even sizes; a GIF wants a palette of its own. */
    char gif[] = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer";
    char even[] = "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p";
    char* arguments[] = {"ffmpeg",
                         "-hide_banner",
                         "-loglevel",
                         "error",
                         "-y",
                         "-f",
                         "rawvideo",
                         "-pixel_format",
                         "rgba",
                         "-video_size",
                         size,
                         "-framerate",
                         rate,
                         "-i",
                         "pipe:0",
                         "-an",
                         "-vf",
                         is_gif ? gif : even,
                         "-fflags",
                         "+bitexact",
                         "-flags:v",
                         "+bitexact",
                         is_gif ? "-loop" : "-crf",
                         is_gif ? "0" : "18",
                         target,
                         NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* Ctrl-C goes to all of a group. The host decides whether it ends; ffmpeg has to finish the
     * file.
     */
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    error = error != 0 ? error : posix_spawnattr_setpgroup(&attributes, 0);
    int said = fileno(movie->complaints);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, input, 0);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, said, 1);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, said, 2);
    error = error != 0
                ? error
                : posix_spawnp(&movie->child, "ffmpeg", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void release(lim_movie* movie) {
    lim_host host = movie->host;
    if (movie->complaints != NULL) {
        fclose(movie->complaints);
    }
    if (movie->pixels >= 0) {
        close(movie->pixels);
    }
    mem_free(&host, movie, 1, sizeof *movie);
}

/* The socket pair and the temporary file; both close by themselves in other children. */
static lim_result prepare(lim_movie* movie, int* out_input, lim_io_message* message) {
    int ends[2];
    movie->complaints = tmpfile();
    if (movie->complaints == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return out_fail(message, LIM_ERROR_FILE, "%s: cannot prepare for ffmpeg (%s)", movie->path,
                        strerror(errno));
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(fileno(movie->complaints), F_SETFD, FD_CLOEXEC);
    movie->pixels = ends[0];
    *out_input = ends[1];
    return LIM_OK;
}

lim_result lim_movie_open(const char* path, int32_t width, int32_t height, float fps,
                          lim_movie** out_movie, lim_io_message* out_message) {
    if (out_movie != NULL) {
        *out_movie = NULL;
    }
    if (path == NULL || out_movie == NULL || width < 2 || height < 2 || width > 16384 ||
        height > 16384 || !(fps > 0.0f) || !(fps <= 1000.0f) ||
        strlen(path) >= sizeof(((lim_movie*)NULL)->path)) {
        return out_fail(out_message, LIM_ERROR_ARGUMENT,
                        "a movie needs a path (up to 511 bytes), a size of 2 to 16384 pixels and "
                        "up to 1000 frames per second");
    }
    /* ffmpeg would only fail at the end; a path that cannot be written is told now. */
    bool is_new = access(path, F_OK) != 0;
    FILE* probe = fopen(path, "ab");
    if (probe == NULL) {
        return out_fail(out_message, LIM_ERROR_FILE,
                        "%s: cannot be opened for writing (%s); check that the folder exists and "
                        "may be written to",
                        path, strerror(errno));
    }
    fclose(probe);
    if (is_new) {
        remove(path);
    }
    lim_host host = mem_host(NULL);
    lim_movie* movie = mem_alloc(&host, 1, sizeof *movie);
    if (movie == NULL) {
        return out_fail(out_message, LIM_ERROR_MEMORY, "%s: no memory", path);
    }
    *movie = (lim_movie){.host = host, .width = width, .height = height, .pixels = -1};
    memcpy(movie->path, path, strlen(path) + 1);
    int input = -1;
    lim_result result = prepare(movie, &input, out_message);
    if (result == LIM_OK) {
        int error = spawn(movie, fps, input);
        close(input);
        if (error != 0) {
            result = out_fail(out_message, LIM_ERROR_UNSUPPORTED,
                              "%s: movies need the program ffmpeg, which could not be started "
                              "(%s); install it, or write PNG files",
                              path, strerror(error));
        }
    }
    if (result != LIM_OK) {
        release(movie);
        return result;
    }
    if (out_message != NULL) {
        out_message->text[0] = '\0';
    }
    *out_movie = movie;
    return LIM_OK;
}

lim_result lim_movie_add(lim_movie* movie, const lim_image* image) {
    if (movie == NULL || image == NULL || image->rgba == NULL || image->width != movie->width ||
        image->height != movie->height) {
        return LIM_ERROR_ARGUMENT;
    }
    const uint8_t* at = image->rgba;
    size_t left = 4 * (size_t)image->width * (size_t)image->height;
    while (left > 0 && !movie->failed) {
        ssize_t sent = send(movie->pixels, at, left, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            left -= (size_t)sent;
        } else if (errno != EINTR) {
            movie->failed = true;
        }
    }
    return movie->failed ? LIM_ERROR_FILE : LIM_OK;
}

lim_result lim_movie_close(lim_movie* movie, lim_io_message* out_message) {
    if (movie == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    close(movie->pixels); /* the end of the input: ffmpeg finishes the file */
    movie->pixels = -1;
    int status = 0;
    pid_t ended;
    do {
        ended = waitpid(movie->child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    /* A host that ignores its children's end leaves no status: silence then means success. */
    char said[300] = "";
    rewind(movie->complaints);
    size_t length = fread(said, 1, sizeof said - 1, movie->complaints);
    bool finished =
        ended == movie->child ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : length == 0;
    lim_result result = LIM_OK;
    if (!finished || movie->failed) {
        for (size_t i = 0; i < length; ++i) {
            said[i] = said[i] == '\n' ? ' ' : said[i];
        }
        result = out_fail(out_message, LIM_ERROR_FILE, "%.150s: ffmpeg failed: %s", movie->path,
                          length > 0 ? said : "it gave no reason; check the free space");
    } else if (out_message != NULL) {
        out_message->text[0] = '\0';
    }
    release(movie);
    return result;
}
