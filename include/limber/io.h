/* SPDX-License-Identifier: MIT
 *
 * Limber, files: meshes in, pictures and animations out, messages printed. This is a library of its
 * own (limber::io) on top of the public API; the core opens no file and prints nothing.
 */
#ifndef LIMBER_IO_H
#define LIMBER_IO_H

#include <limber/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A log hook that prints what the library says as a line on the error stream, such as
 * "limber: error: lim_mesh_create: ...". Use it as `const lim_host host = {.log = lim_io_log};`; it
 * does not look at `user`. */
LIM_API void lim_io_log(void* user, lim_log_level level, const char* text);

/* Room for a message that names the file, the line (where there are lines) and the cure. */
typedef struct lim_io_message {
    char text[512];
} lim_io_message;

/* What a reader noticed. */
typedef struct lim_io_report {
    int32_t polygons;            /* faces with more than three corners, triangulated */
    int32_t repairs;             /* places that were mended or dropped; 0 for a clean file */
    lim_io_message first_repair; /* what the first of them was */
} lim_io_report;

typedef enum lim_io_format {
    LIM_IO_UNKNOWN = 0,
    LIM_IO_OBJ,
    LIM_IO_PLY,
    LIM_IO_STL,
    LIM_IO_OFF,
    LIM_IO_GLTF, /* text, with embedded or external buffers */
    LIM_IO_GLB
} lim_io_format;

/* Reads a mesh file; the format is told by the extension. Densities, stiffnesses and sizes of
 * vertices are the properties density, stiffness and size of a PLY file, and the attributes
 * _DENSITY, _STIFFNESS and _SIZE (scalar) of a glTF file; a value out of range is refused.
 * out_report and out_message may be null; on failure out_message says what is wrong, where, and
 * what to do. */
LIM_API lim_result lim_io_read_mesh(const char* path, const lim_host* host, lim_mesh** out_mesh,
                                    lim_io_report* out_report, lim_io_message* out_message);
/* The same from memory. `folder` is where external glTF buffers are looked for; null refuses them.
 */
LIM_API lim_result lim_io_parse_mesh(const void* bytes, size_t size, lim_io_format format,
                                     const char* folder, const lim_host* host, lim_mesh** out_mesh,
                                     lim_io_report* out_report, lim_io_message* out_message);
LIM_API lim_io_format lim_io_format_of(const char* path);

/* One moment of a surface, as the writers take it. Arrays are borrowed. */
typedef struct lim_io_frame {
    int32_t vertex_count, triangle_count;
    const float* positions; /* 3 per vertex */
    const float* normals;   /* 3 per vertex */
    const float* uvs;       /* 2 per vertex, v counted from below as in OBJ, or null */
    const float* colours;   /* 4 per vertex, linear RGBA, or null */
    const float* densities; /* 1 per vertex, as lim_mesh_desc, or null; so the next two */
    const float* stiffnesses;
    const float* sizes;
    const float* strains;         /* 1 per vertex, as lim_body_get_strain, or null; PLY only */
    const float* plastic_strains; /* likewise, as lim_body_get_plastic */
    const uint32_t* indices;      /* 3 per triangle */
    const char* name; /* of the body, UTF-8, or null; GLB only: of its first frame that has one */
} lim_io_frame;

LIM_API lim_result lim_io_write_obj(const char* path, const lim_io_frame* frame,
                                    lim_io_message* out_message);
LIM_API lim_result lim_io_write_ply(const char* path, const lim_io_frame* frame,
                                    lim_io_message* out_message);
/* A GLB whose first frame is the mesh and whose other frames are morph targets, played at `fps`.
 * Several bodies: frames[b * frame_count + f]. Where the triangles of a body change (counts or
 * indices) another mesh begins, and only that of the moment is shown: a node's scale is animated in
 * steps. In a frame of 0 vertices the body is not there. Nodes, meshes and materials have the name
 * of their body, else "body 0" and so on; where a body has several meshes the first frame of each
 * stands behind it. Where frames of a body have other colours
 * than its first (another array), targets have colours too: glTF allows that, and programs may
 * leave them out. colours (one linear RGB per body) may be null. */
LIM_API lim_result lim_io_write_glb(const char* path, const lim_io_frame* frames,
                                    int32_t body_count, int32_t frame_count, float fps,
                                    const lim_vec3* colours, lim_io_message* out_message);

/* ---- pictures: a small deterministic software renderer ------------------------------------------
 */

typedef struct lim_image {
    int32_t width, height;
    uint8_t* rgba; /* 4 per pixel, sRGB, rows from the top; owned by the image */
} lim_image;

typedef struct lim_camera {
    lim_vec3 eye, target, up;
    float fov; /* vertical, radians */
} lim_camera;

typedef struct lim_draw_mesh {
    lim_io_frame frame;
    lim_vec3 colour; /* linear RGB, where the frame has no colours */
    /* A veil: at a third of its opacity, denser where it is seen from the side. What is behind
     * shows through, but of other veils only the nearest is drawn. */
    bool see_through;
    /* Dark and light squares in space, fixed to the material: `checker` is their edge and `rest`
     * has 3 coordinates per vertex, in which they lie. 0: none. */
    float checker;
    const float* rest;
} lim_draw_mesh;

/* What a picture shows. All coordinates are floats relative to one origin of the caller's choice; y
 * is up. Lines and points have the colour 0xRRGGBBAA (sRGB); a point is a disc half as wide as its
 * size. */
typedef struct lim_picture {
    int32_t width, height; /* 16 to 8192 */
    lim_camera camera;
    const lim_draw_mesh* meshes;
    int32_t mesh_count;
    const lim_debug_line* lines; /* drawn over the meshes, faintly where hidden, a little less
                                    behind a veil */
    int32_t line_count;
    const lim_debug_point* points;
    int32_t point_count;
    bool ground; /* an infinite ground at ground_height with soft contact shadows */
    float ground_height;
    const char* caption; /* small text in the lower left corner, ASCII, or null */
} lim_picture;

/* A camera that shows the whole box from a pleasant angle, in front, to the right and above (y is
 * up), for pictures of width / height = aspect. */
LIM_API lim_camera lim_camera_fit(lim_vec3 lower, lim_vec3 upper, float aspect);
LIM_API lim_result lim_image_create(int32_t width, int32_t height, lim_image* out_image);
LIM_API void lim_image_destroy(lim_image* image);
/* Draws with 2x2 samples per pixel into an image of the picture's size. The same input gives the
 * same bytes. LIM_ERROR_ARGUMENT for sizes out of range or unlike the image's, a camera without
 * direction, an index beyond its mesh, or a checker that is negative, not finite or has no rest;
 * triangles that are not finite are left out. */
LIM_API lim_result lim_image_draw(lim_image* image, const lim_picture* picture);
/* Share of the picture that meshes cover, 0..1, as lim_image_draw would draw it; -1 for a picture
 * that it would refuse or when memory is out. */
LIM_API float lim_picture_coverage(const lim_picture* picture);
/* Writes ASCII text with its upper left corner at (x, y); capitals are 7 * scale pixels high, a
 * letter advances by 6 * scale, a line feed by 11 * scale. colour: 0xRRGGBBAA. What lies outside
 * the image is cut off. */
LIM_API void lim_image_text(lim_image* image, int32_t x, int32_t y, int32_t scale, const char* text,
                            uint32_t colour);
/* Tiles images of one size into a new sheet with the given number of columns. */
LIM_API lim_result lim_image_sheet(const lim_image* images, int32_t count, int32_t columns,
                                   lim_image* out_sheet);
LIM_API lim_result lim_io_write_png(const char* path, const lim_image* image,
                                    lim_io_message* out_message);
/* Opens ffmpeg as a child process; LIM_ERROR_UNSUPPORTED when there is none. The extension of the
 * path chooses the kind of file (mp4, webm, gif and so on). The child is in a process group of its
 * own: a Ctrl-C that the host survives does not end it in the middle of a file. Closing waits for
 * ffmpeg, frees the movie whatever comes out, and tells what ffmpeg complained about. */
typedef struct lim_movie lim_movie;
LIM_API lim_result lim_movie_open(const char* path, int32_t width, int32_t height, float fps,
                                  lim_movie** out_movie, lim_io_message* out_message);
LIM_API lim_result lim_movie_add(lim_movie* movie, const lim_image* image);
LIM_API lim_result lim_movie_close(lim_movie* movie, lim_io_message* out_message);

#ifdef __cplusplus
}
#endif
#endif
