/* SPDX-License-Identifier: MIT
 * Job: materials with names people know. In: a preset. Out: a material. One table; what it does not
 * say is lim_material_default's.
 */
#include <limber/world.h>

typedef struct preset {
    const char* name;
    float density, young, viscosity, damping_time, volume, friction;
    float yield, creep, max_strain, hardening, nu;
} preset;

/* kg/m^3, Pa, Pa s, s, share, 1; strain, 1/s, strain, 1. */
static const preset presets[] = {
    /* gelatine of 5 to 10 %: some kPa, nearly water, rings for a second */
    [LIM_PRESET_JELLY] = {"jelly", 1050, 6e3f, 10, 1.0f, 0.95f, 0.3f, 0, 20, 0.5f, 0, 0},
    /* soft silicone, Shore 00-30: hundreds of kPa, incompressible, grips */
    [LIM_PRESET_RUBBER] = {"rubber", 1100, 300e3f, 200, 1.0f, 0.95f, 0.9f, 0, 20, 0.5f, 0, 0},
    /* upholstery of polyurethane: light, open cells that do not bulge, air that damps */
    [LIM_PRESET_FOAM] = {"foam", 60, 15e3f, 40, 0.3f, 0.0f, 0.7f, 0, 20, 0.5f, 0, 0},
    /* modelling clay: stiff below 3 %, flows at once above, hardens a little as it is worked */
    [LIM_PRESET_CLAY] = {"clay", 1700, 300e3f, 2e3f, 0.1f, 0.9f, 0.8f, 0.03f, 30, 0.8f, 0.1f, 0},
    /* liver: 3 to 6 kPa between the fibres, mostly water, wet */
    [LIM_PRESET_LIVER] = {"liver", 1060, 5e3f, 50, 0.3f, 0.95f, 0.1f, 0, 20, 0.5f, 0, 0},
    /* wheat dough: tens of kPa, rests below 5 %, creeps within a second above */
    [LIM_PRESET_DOUGH] = {"dough", 1100, 20e3f, 500, 0.1f, 0.9f, 0.7f, 0.05f, 3, 1.0f, 0, 0},
    /* as stiff as the step allows: beyond what regions hold, as lim_body_limits says */
    [LIM_PRESET_STIFF] = {"stiff", 700, 5e6f, 1e3f, 0.2f, 0.0f, 0.5f, 0, 20, 0.5f, 0, 0},
    /* these want LIM_KIND_HEX: matching cannot be so stiff. Viscosities are loss factors of 0.05 to
     * 0.15 at 10 Hz */
    /* silicone of Shore A 30 */
    [LIM_PRESET_SILICONE] = {"silicone", 1120, 1.2e6f, 1e3f, 1.0f, 0.97f, 0.9f, 0, 20, 0.5f, 0,
                             0.48f},
    /* the tread of a tyre, Shore A 65, with its carbon black */
    [LIM_PRESET_TYRE] = {"tyre", 1150, 6e6f, 15e3f, 1.0f, 0.97f, 0.9f, 0, 20, 0.5f, 0, 0.48f},
    /* tendon, alike along and across its fibres, which it is not */
    [LIM_PRESET_TENDON] = {"tendon", 1120, 500e6f, 400e3f, 1.0f, 0.9f, 0.2f, 0, 20, 0.5f, 0,
                           0.45f}};

static const preset* preset_of(lim_preset which) {
    int32_t i = (int32_t)which, count = (int32_t)(sizeof presets / sizeof presets[0]);
    return i >= 0 && i < count ? &presets[i] : NULL;
}

const char* lim_preset_name(lim_preset which) {
    const preset* p = preset_of(which);
    return p != NULL ? p->name : NULL;
}

lim_material lim_material_preset(lim_preset which) {
    const preset* p = preset_of(which);
    lim_material m = lim_material_default();
    if (p != NULL) {
        m.density = p->density;
        m.young = p->young;
        m.viscosity = p->viscosity;
        m.damping_time = p->damping_time;
        m.volume = p->volume;
        m.friction = p->friction;
        m.yield = p->yield;
        m.creep = p->creep;
        m.max_strain = p->max_strain;
        m.hardening = p->hardening;
        m.nu = p->nu;
    }
    return m;
}
