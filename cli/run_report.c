/* SPDX-License-Identifier: MIT
 * Job: report a run. In: the run at its end, its film and its times. Out: a short table or JSON.
 */
#include "cli/run_report.h"

#include "cli/kinds.h"
#include "cli/say.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

double run_report_shape(const float* before, const float* after, int64_t count) {
    if (count <= 0) {
        return 0.0;
    }
    double from[3] = {0.0, 0.0, 0.0}, to[3] = {0.0, 0.0, 0.0};
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; ++i) {
        for (int32_t k = 0; k < 3; ++k) {
            double x = (double)before[3 * i + k];
            from[k] += x / (double)count;
            to[k] += (double)after[3 * i + k] / (double)count;
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    }
    /* R maximises tr(R^T A), A = sum (y - c_y)(x - c_x)^T; the residual is then
       sum |y - c_y|^2 + |x - c_x|^2 - 2 tr(R^T A) */
    double A[9] = {0.0}, squares = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        for (int32_t r = 0; r < 3; ++r) {
            double y = (double)after[3 * i + r] - to[r];
            double x_r = (double)before[3 * i + r] - from[r];
            squares += y * y + x_r * x_r;
            for (int32_t c = 0; c < 3; ++c) {
                A[3 * r + c] += y * ((double)before[3 * i + c] - from[c]);
            }
        }
    }
    double q[4];
    rotation_cold(A, q);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double R[9] = {
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z),       2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),       2.0 * (y * z + w * x),       1.0 - 2.0 * (x * x + y * y)};
    double trace = 0.0;
    for (int32_t i = 0; i < 9; ++i) {
        trace += R[i] * A[i];
    }
    double residual = squares - 2.0 * trace;
    double diagonal = sqrt((upper[0] - lower[0]) * (upper[0] - lower[0]) +
                           (upper[1] - lower[1]) * (upper[1] - lower[1]) +
                           (upper[2] - lower[2]) * (upper[2] - lower[2]));
    return residual > 0.0 && diagonal > 0.0 ? sqrt(residual / (double)count) / diagonal : 0.0;
}

static double shape_error(const run_report* report, int32_t body) {
    const film* f = report->recorded;
    lim_io_frame first = film_view(f, body, 0), last = film_view(f, body, f->frames.count - 1);
    /* what was cut has no shape to come back to */
    return first.vertex_count > 0 && first.indices == last.indices
               ? run_report_shape(first.positions, last.positions, first.vertex_count)
               : NAN;
}

/* What edits have made of a body: its model as it is now, or as it was made. */
static lim_model_info info_of(const run_report* report, const scene_run_body* entry) {
    lim_model* now = NULL;
    if (lim_body_get_model(scene_run_world(report->run), entry->body, &now) != LIM_OK) {
        return lim_model_get_info(entry->model);
    }
    lim_model_info info = lim_model_get_info(now);
    lim_model_destroy(now);
    return info;
}

static int32_t triangles_of(const run_report* report, int32_t body) {
    return film_view(report->recorded, body, report->recorded->frames.count - 1).triangle_count;
}

static void emit_box(emit* e, const char* name, const lim_box* box) {
    emit_array(e, name);
    const double values[6] = {box->lower.x, box->lower.y, box->lower.z,
                              box->upper.x, box->upper.y, box->upper.z};
    for (int32_t i = 0; i < 6; ++i) {
        emit_number(e, NULL, values[i]);
    }
    emit_close_array(e);
}

void run_report_mesh(emit* e, const char* name, const lim_mesh_report* mesh) {
    emit_object(e, name);
    emit_count(e, "vertices", mesh->vertices);
    emit_count(e, "triangles", mesh->triangles);
    emit_count(e, "points", mesh->points);
    emit_count(e, "triangles_kept", mesh->triangles_kept);
    emit_count(e, "dropped_degenerate", mesh->dropped_degenerate);
    emit_count(e, "dropped_duplicate", mesh->dropped_duplicate);
    emit_count(e, "dropped_non_finite", mesh->dropped_non_finite);
    emit_count(e, "vertices_unused", mesh->vertices_unused);
    emit_count(e, "open_edges", mesh->open_edges);
    emit_count(e, "non_manifold_edges", mesh->non_manifold_edges);
    emit_count(e, "parts", mesh->parts);
    emit_count(e, "parts_flipped", mesh->parts_flipped);
    emit_flag(e, "closed", mesh->closed);
    emit_number(e, "area", mesh->area);
    emit_number(e, "volume", mesh->volume);
    emit_box(e, "bounds", &mesh->bounds);
    emit_close_object(e);
}

/* The report of the mesh a body was made from: the subject's own, or of the model's surface. */
static bool mesh_report_of(const run_report* report, const scene_run_body* entry,
                           lim_mesh_report* out) {
    if (report->about->mesh != NULL && entry->from < 0) {
        *out = lim_mesh_get_report(report->about->mesh);
        return true;
    }
    lim_mesh_view view = lim_model_get_surface(entry->model);
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = view.vertex_count;
    desc.triangle_count = view.triangle_count;
    desc.positions = &view.positions[0].x;
    desc.indices = view.indices;
    lim_mesh* mesh = NULL;
    if (lim_mesh_create(&desc, report->host, &mesh) != LIM_OK) {
        return false;
    }
    *out = lim_mesh_get_report(mesh);
    lim_mesh_destroy(mesh);
    return true;
}

static void emit_body(emit* e, const run_report* report, int32_t index) {
    const lim_world* world = scene_run_world(report->run);
    scene_run_body entry = scene_run_body_at(report->run, index);
    lim_model_info info = info_of(report, &entry);
    emit_object(e, NULL);
    emit_text(e, "name", entry.name);
    emit_text(e, "kind", kind_name(info.kind));
    emit_count(e, "nodes", info.nodes);
    emit_count(e, "regions", info.regions);
    emit_count(e, "edges", info.edges);
    emit_count(e, "components", info.components);
    emit_count(e, "triangles", triangles_of(report, index));
    emit_number(e, "cell_size", (double)info.cell_size);
    emit_number(e, "coarsest_size", (double)info.coarsest_size);
    emit_number(e, "region_width", (double)info.region_width);
    emit_number(e, "volume", info.volume);
    emit_number(e, "members_per_region", info.members_per_region);
    emit_number(e, "inputs_per_region", info.inputs_per_region);
    emit_count(e, "fragments", info.fragments);
    emit_count(e, "glued", info.glued_edges);
    emit_number(e, "build_seconds", info.build_seconds);
    lim_mesh_report mesh;
    if (mesh_report_of(report, &entry, &mesh)) {
        run_report_mesh(e, "mesh", &mesh);
    }
    lim_body_limits limits;
    if (lim_body_get_limits(world, entry.body, &limits) == LIM_OK) {
        emit_number(e, "young_asked", (double)limits.young_asked);
        emit_number(e, "young_got", (double)limits.young_got);
        emit_number(e, "young_bending", (double)limits.young_bending);
        emit_count(e, "substeps", limits.substeps_got);
        emit_count(e, "substeps_needed", limits.substeps_needed);
    }
    lim_body_motion motion;
    if (lim_body_get_motion(world, entry.body, &motion) == LIM_OK) {
        emit_number(e, "mass", motion.mass);
        emit_number(e, "speed", motion.speed);
        emit_number(e, "strain", motion.strain);
        emit_box(e, "bounds", &motion.bounds);
        emit_flag(e, "asleep", motion.asleep);
        emit_flag(e, "frozen", motion.frozen);
    }
    emit_number(e, "shape_error", shape_error(report, index));
    emit_close_object(e);
}

/* Over all edits of the run. */
typedef struct edit_sums {
    int32_t count, new_nodes, cut_triangles;
    measure_summary time;
    double most;
} edit_sums;

static edit_sums sum_edits(const run_report* report) {
    edit_sums sums = {0};
    const scene_edit* edit = scene_run_edits(report->run, &sums.count);
    ARRAY(double) seconds = {0};
    for (int32_t i = 0; i < sums.count; ++i) {
        double total = edit[i].report.total;
        sums.new_nodes += edit[i].report.new_nodes;
        sums.cut_triangles += edit[i].report.cut_triangles;
        sums.most = total > sums.most ? total : sums.most;
        (void)ARRAY_PUSH(report->host, &seconds, total);
    }
    sums.time = measure_of(seconds.data, seconds.count, report->host);
    ARRAY_FREE(report->host, &seconds);
    return sums;
}

static void emit_edits(emit* e, const run_report* report) {
    edit_sums sums = sum_edits(report);
    if (sums.count > 0) {
        emit_object(e, "edits");
        emit_count(e, "edits", sums.count);
        emit_count(e, "new_nodes", sums.new_nodes);
        emit_count(e, "cut_triangles", sums.cut_triangles);
        emit_number(e, "ms_per_edit", 1e3 * sums.time.median);
        emit_number(e, "ms_per_edit_p99", 1e3 * sums.time.p99);
        emit_number(e, "ms_per_edit_most", 1e3 * sums.most);
        emit_close_object(e);
    }
}

int run_report_code(const run_report* report) {
    if (report->restored == 0) {
        return EXIT_DONE;
    }
    say_error("%s: a body became non-finite, went back to its last finite state and was frozen "
              "(%d times in this run): the results are not to be trusted; use a softer material or "
              "a smaller step",
              report->name, report->restored);
    return EXIT_FROZEN;
}

void run_report_json(const run_report* report, FILE* file) {
    const lim_world* world = scene_run_world(report->run);
    const scene_desc* desc = scene_run_desc(report->run);
    const film_frame* last = &report->recorded->frames.data[report->recorded->frames.count - 1];
    emit e = emit_begin(file);
    emit_object(&e, NULL);
    emit_text(&e, "scene", report->name);
    emit_text(&e, "version", lim_version());
    emit_array(&e, "bodies");
    for (int32_t i = 0; i < scene_run_body_count(report->run); ++i) {
        emit_body(&e, report, i);
    }
    emit_close_array(&e);
    emit_count(&e, "steps", scene_run_steps(report->run));
    emit_number(&e, "seconds", scene_run_time(report->run));
    emit_flag(&e, "interrupted", report->interrupted);
    emit_number(&e, "dt", desc->dt);
    emit_count(&e, "workers", report->workers);
    measure_summary total = measure_summarise(report->times, report->host, 0);
    emit_number(&e, "ms_per_step", 1e3 * total.median);
    emit_number(&e, "ms_per_step_p99", 1e3 * total.p99);
    emit_object(&e, "stages_ms");
    for (int32_t s = 0; s < MEASURE_STAGES; ++s) {
        emit_number(&e, measure_stage_names[s],
                    1e3 * measure_summarise(report->times, report->host, 1 + s).median);
    }
    emit_close_object(&e);
    emit_edits(&e, report);
    emit_number(&e, "wall_seconds", report->wall_seconds);
    emit_number(&e, "final_speed", last->speed);
    emit_number(&e, "peak_strain", report->peak_strain);
    emit_number(&e, "lowest", report->lowest);
    emit_number(&e, "final_lowest", (double)(last->lower.y - report->recorded->ground_height));
    emit_count(&e, "restored", report->restored);
    if (report->sheet.count > 0) {
        emit_array(&e, "pictures");
        for (int32_t i = 0; i < report->sheet.count; ++i) {
            emit_object(&e, NULL);
            emit_number(&e, "time", report->recorded->frames.data[report->sheet.moments[i]].time);
            emit_number(&e, "coverage", (double)report->sheet.coverage[i]);
            emit_close_object(&e);
        }
        emit_close_array(&e);
    }
    emit_hash(&e, "hash", lim_world_hash(world));
    emit_close_object(&e);
    emit_end(&e);
}

void run_report_table(const run_report* report, FILE* file) {
    const lim_world* world = scene_run_world(report->run);
    const film_frame* last = &report->recorded->frames.data[report->recorded->frames.count - 1];
    int32_t count = scene_run_body_count(report->run), shown = count < 8 ? count : 8;
    int64_t nodes = 0;
    fprintf(file, "%-16s %8s %8s %10s %9s %14s %7s\n", "body", "nodes", "regions", "triangles",
            "cell mm", "E kPa (asked)", "glued");
    for (int32_t i = 0; i < count; ++i) {
        scene_run_body entry = scene_run_body_at(report->run, i);
        lim_model_info info = info_of(report, &entry);
        nodes += info.nodes;
        if (i >= shown) {
            continue;
        }
        lim_body_limits limits = {0};
        (void)lim_body_get_limits(world, entry.body, &limits);
        char young[40];
        snprintf(young, sizeof young, "%.1f (%.1f)", 1e-3 * (double)limits.young_got,
                 1e-3 * (double)limits.young_asked);
        fprintf(file, "%-16.16s %8d %8d %10d %9.1f %14s %7d\n", entry.name, info.nodes,
                info.regions, triangles_of(report, i), 1e3 * (double)info.cell_size, young,
                info.glued_edges);
    }
    if (shown < count) {
        fprintf(file, "... and %d more\n", count - shown);
    }
    measure_summary total = measure_summarise(report->times, report->host, 0);
    fprintf(file, "simulated        %.2f s in %lld steps, %.1f s of wall time\n",
            scene_run_time(report->run), (long long)scene_run_steps(report->run),
            report->wall_seconds);
    fprintf(file, "a step           %.3f ms (median), %.3f ms (p99), %.0f ns per node\n",
            1e3 * total.median, 1e3 * total.p99,
            nodes > 0 ? 1e9 * total.median / (double)nodes : 0.0);
    fprintf(file, "stages, ms      ");
    for (int32_t s = 0; s < MEASURE_STAGES; ++s) {
        double ms = 1e3 * measure_summarise(report->times, report->host, 1 + s).median;
        fprintf(file, " %s %.3f", measure_stage_names[s], ms);
    }
    edit_sums edits = sum_edits(report);
    if (edits.count > 0) {
        fprintf(file, "\nedits            %d, %.3f ms (median), %.3f ms (most); %d new nodes",
                edits.count, 1e3 * edits.time.median, 1e3 * edits.most, edits.new_nodes);
    }
    fprintf(file, "\npeak strain      %.1f %%\nat the end       %.4f m/s",
            1e2 * report->peak_strain, last->speed);
    double shape = count > 0 ? shape_error(report, 0) : 0.0;
    if (!isnan(shape)) {
        fprintf(file, ", shape within %.2f %% of its diagonal", 1e2 * shape);
    }
    fputc('\n', file);
    fprintf(file, "state hash       %016llx\n", (unsigned long long)lim_world_hash(world));
}
