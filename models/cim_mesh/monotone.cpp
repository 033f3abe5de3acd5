#include "models/cim_mesh/monotone.hpp"

#include "models/cim_mesh/prepared.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <string_view>

namespace pimdse::models::cim_mesh {
namespace {

/// A request more takes the pairs it uses from waiting to work, and time from the machine as a whole: energy rises for
/// sure where an adapter array at work draws no less than one that waits, at every clock there is. Arrays at work go
/// with the clock and its voltage, what retains does not.
bool work_outdraws_retention(MachineConstants const& m) {
    double const slowest = m.supply.lowest.si / m.base_frequency.si * m.supply.energy_factor(m.supply.lowest);
    return m.primal.sram_power.si * slowest >= m.primal.sram_retention.si;
}

}  // namespace

std::vector<std::string> not_known(Inputs const& inputs) {
    auto const& m = inputs.as<Prepared>().machine;
    if (work_outdraws_retention(m)) return {};
    return {
        fmt::format("energy is not known to rise with batch (at {} an adapter array at work draws less than "
                    "sram_retention): a search evaluates every batch",
                    sim::print_quantity(m.supply.lowest.si, "Hz"))};
}

std::vector<MonotoneLow> monotone_lows(Inputs const& inputs) {
    using enum Slope;
    std::vector<MonotoneLow> lows;
    auto const all = [&](std::string_view parameter, Slope slope, auto... metrics) {
        (lows.push_back({parameter, metrics, slope}), ...);
    };
    for (auto const* faster : {"frequency", "dmacs"})
        all(faster, down, "ttft", "itl", "latency", "last_ttft", "ideal_ttft", "ideal_itl");
    for (auto const* more_room : {"fifo_bytes", "scratchpad", "context_tile"})
        all(more_room, down, "ttft", "itl", "latency", "last_ttft");
    for (auto const* more_work : {"batch", "lora_rank", "smac_cycles"})
        all(more_work, up, "ttft", "itl", "latency", "last_ttft");
    all("lora_rank", up, "energy");
    all("smac_cycles", up, "energy");
    if (work_outdraws_retention(inputs.as<Prepared>().machine)) all("batch", up, "energy");
    for (auto const* hardware : {"dmacs", "fifo_bytes", "scratchpad"}) all(hardware, up, "area", "idle_power");
    all("context_tile", down, "energy", "energy_per_token");
    for (auto const* faster : {"frequency", "dmacs", "fifo_bytes", "scratchpad", "context_tile"})
        all(faster, up, "tokens_per_second", "throughput_with_prompt");
    for (auto const* more_work : {"lora_rank", "smac_cycles"})
        all(more_work, down, "tokens_per_second", "throughput_with_prompt");
    for (auto const* free : {"frequency", "context_tile", "batch", "lora_rank", "smac_cycles"}) all(free, flat, "area");
    return lows;
}

}  // namespace pimdse::models::cim_mesh
