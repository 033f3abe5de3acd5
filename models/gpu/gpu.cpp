#include "models/gpu/gpu.hpp"

#include "models/chips/group.hpp"
#include "models/gpu/analytic.hpp"
#include "models/gpu/cycle_key.hpp"
#include "models/gpu/metrics.hpp"
#include "models/gpu/parameters.hpp"
#include "models/gpu/step.hpp"

#include <fmt/format.h>

namespace pimdse::models::gpu {
namespace {

Outcome evaluate(Inputs const& inputs, Point point, Fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared);
    if (auto const rule = broken_rule(design, prepared.machine)) return *rule;
    return metrics_of(analytic(design, prepared.machine));
}

/// The model is one of those of `inputs`, which live longer than the engine.
std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared);
    auto smallest = design;
    smallest.batch = smallest.input = smallest.output = 1;
    if (design.generation == Generation::autoregressive)
        if (auto rule = broken_rule(smallest, prepared.machine)) return *std::move(rule);
    return service_engine(design, prepared.machine);
}

void add_times(std::vector<Share>& to, std::string_view phase, PassCost const& cost) {
    for (std::size_t i = 0; i < group_names.size(); ++i)
        if (cost.seconds[i] > 0.0) to.push_back({fmt::format("{}/{}", phase, group_names[i]), cost.seconds[i]});
}

Explained explain(Inputs const& inputs, Point point, Fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const d = read_design(point, prepared);
    if (auto const rule = broken_rule(d, prepared.machine)) return {{}, *rule};
    auto const result = analytic(d, prepared.machine);
    bool const tokens = d.generation == Generation::autoregressive;
    Explained breakdown{{}, metrics_of(result)};
    add_times(breakdown.time, tokens ? "prefill" : "first step", result.first);
    add_times(breakdown.time, tokens ? "decode" : "later steps", result.rest);
    auto const energy = result.all().energy;
    breakdown.energy = {{"arithmetic", energy.arithmetic},
                        {"sram/caches", energy.caches},
                        {"dram_array", energy.array},
                        {"dram_interface", energy.interface},
                        {"interconnect/on the die", energy.movement},
                        {"idle_units/board", result.idle_energy()}};
    if (result.host.si > 0.0) breakdown.energy.push_back({"host_compute/host", result.host_energy()});
    breakdown.limits = result.limits();
    breakdown.area = {{"undivided/processor dies", result.board.die.si}};
    return breakdown;
}

/// Generation of NVLink of each device; its bandwidth and the number of boards are in constants.toml.
constexpr std::array<std::size_t, device_names.size()> nvlink_kinds{
    chips::link_kind("nvlink3"), chips::link_kind("nvlink4"), chips::link_kind("nvlink3"), chips::link_kind("nvlink3"),
    chips::link_kind("nvlink3")};

/// NVLink of the board, which joins so many boards at most.
std::variant<chips::ChipLink, Infeasible> own_link(Inputs const& inputs, Point point, std::int64_t devices) {
    auto const& prepared = inputs.as<Prepared>();
    auto const device = read_design(point, prepared).device;
    auto const& board = prepared.machine.boards[device];
    if (devices > 1 && board.nvlink_devices == 1)
        return Infeasible{"nvlink",
                          fmt::format("{} has no NVLink for {} boards: link = pcie5, or stage_link between the "
                                      "stages of a pipeline, joins them",
                                      device_names[device], devices)};
    if (devices > board.nvlink_devices)
        return Infeasible{"nvlink", fmt::format("NVLink joins {} boards of {} at most, not {}: link = pcie5, or "
                                                "stage_link between the stages of a pipeline, joins more",
                                                board.nvlink_devices, device_names[device], devices)};
    auto link = chips::known_link(inputs, nvlink_kinds[device]);
    link.bandwidth = board.nvlink;
    return link;
}

}  // namespace

Architecture architecture() {
    return {
        .name = "gpu",
        .summary = "roofline of NVIDIA A100, H100, RTX A6000, RTX 4090 and RTX PRO 6000 boards",
        .results_version = 2,
        .fidelities = {Fidelity::analytic},
        .parameters = parameters,
        .metrics = metrics,
        .prepare = prepare,
        .evaluate = evaluate,
        .explain = explain,
        .engine = engine,
        .ledger = ledger,
        .cycle_key = cycle_key,
        .key_parts = key_parts(),
        .monotone_lower_bounds = monotone_lower_bounds,
        .one_of_many = {.models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Prepared>().models; },
                        .host = [](Inputs const& inputs) { return inputs.as<Prepared>().machine.host.si; },
                        .own_link = own_link,
                        .resources = {"area", "memory_area", "silicon", "idle_power"}}};
}

}  // namespace pimdse::models::gpu
