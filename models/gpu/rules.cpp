#include "models/gpu/rules.hpp"

#include "models/contract/generation.hpp"
#include "models/gpu/pass.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models::gpu {
namespace {

using Rule = std::optional<Infeasible>;

Rule board_rules(Design const& d, BoardConstants const& board) {
    auto const name = device_names[d.device];
    auto const format = static_cast<std::size_t>(d.precision);
    if (board.peak[format].si == 0.0)
        return Infeasible{"weights", fmt::format("{} does not compute in {}", name, precision_names[format])};
    if (d.power_limit != 0.0 && (d.power_limit < board.least_power.si || d.power_limit > board.most_power.si)) {
        return Infeasible{"power_limit", fmt::format("a limit of {} W is not between the {} W and the {} W of {}",
                                                     d.power_limit, board.least_power.si, board.most_power.si, name)};
    }
    return std::nullopt;
}

/// What a package of memory draws at the bandwidth that is attained.
Rule package_rule(Design const& d, BoardConstants const& board) {
    double const watts = (board.memory_array + board.memory_pins).si * board.bandwidth.si * board.bandwidth_share /
                         board.packages;
    if (watts <= board.package_limit.si) return std::nullopt;
    return Infeasible{"package_power", fmt::format("a memory package of {} draws {:.3g} W at full rate, more than the "
                                                   "{:.3g} W that it may",
                                                   device_names[d.device], watts, board.package_limit.si)};
}

Rule link_rules(Design const& d, BoardConstants const& board) {
    if (d.model->heads % d.devices != 0) {
        return Infeasible{"tensor_parallel", fmt::format("{} boards do not divide the {} heads of {}", d.devices,
                                                         d.model->heads, d.model->name)};
    }
    if (d.link == Link::nvlink && d.devices > board.nvlink_devices) {
        return Infeasible{"nvlink", fmt::format("NVLink joins {} boards of {} at most, not {} (link = pcie joins them)",
                                                board.nvlink_devices, device_names[d.device], d.devices)};
    }
    return std::nullopt;
}

Rule capacity_rule(Design const& d, MachineConstants const& machine) {
    auto const needed = board_footprint(d, machine);
    auto const has = machine.boards[d.device].memory * machine.memory_share;
    if (needed <= has) return std::nullopt;
    return Infeasible{"memory", fmt::format("weights, keys and values take {} of {}, a board of {} has {} for them",
                                            sim::print_quantity(needed.si, "B"),
                                            d.devices == 1 ? "the board" : fmt::format("each of {} boards", d.devices),
                                            device_names[d.device], sim::print_quantity(has.si, "B"))};
}

}  // namespace

Rule broken_rule(Design const& d, MachineConstants const& machine) {
    auto const& board = machine.boards[d.device];
    bool const by_diffusion = d.generation == Generation::diffusion;
    if (auto rule = broken_generation({*d.model, by_diffusion, d.input, d.output, d.block_length})) return rule;
    if (auto rule = board_rules(d, board)) return rule;
    if (auto rule = package_rule(d, board)) return rule;
    if (auto rule = link_rules(d, board)) return rule;
    return capacity_rule(d, machine);
}

}  // namespace pimdse::models::gpu
