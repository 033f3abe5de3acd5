#pragma once

#include "models/cim_mesh/power.hpp"

namespace pimdse::models::cim_mesh {

[[nodiscard]] MetricTable metric_table();

/// Everything a design answers, in SI; one field per metric and what explain() needs besides.
struct Answer {
    RequestTime time;
    RequestTime ideal;
    PairPower pair;
    StateEnergy energy;
    MacroArea tile;
    double power = 0.0;
    double activity_energy = 0.0;
    double saving = 0.0;
    double kv_headroom = 1.0;
    double gpu_speedup = 0.0;
    double gpu_efficiency = 0.0;
};

/// Tokens/s and tokens/J over a graphics processor at its memory roofline: weights and keys read once per generated token,
/// the prompt free. H100 in mode primal, A100 in mode leap, as the papers compare.
void compare_with_gpu(Machine const& machine, Design const& design, Answer& answer);

/// One Estimate per metric of metric_table().
[[nodiscard]] Metrics to_metrics(Answer const& answer, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
