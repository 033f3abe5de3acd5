#include "models/cim_mesh/layer/commands.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// Adds a command that is executed a number of times.
void add(LayerCommands& all, double times) {
    all.executed += times;
    if (times > 0.0) all.stored += 1.0;
}

}  // namespace

LayerCommands commands_of(Design const& d, Partition const& p, double context) {
    using enum Schedule;
    if (!d.searches_schedule()) return commands_of(d, p, context, d.schedule, d.schedule);
    // Those of weights and of attention add up, so that the largest numbers are those of one of the four pairs.
    LayerCommands most;
    for (auto const weights : {serial, tree}) {
        for (auto const attention : {serial, tree}) {
            auto const one = commands_of(d, p, context, weights, attention);
            most = {std::max(most.executed, one.executed), std::max(most.stored, one.stored)};
        }
    }
    return most;
}

LayerCommands commands_of(Design const& d, Partition const& p, double context, Schedule weights, Schedule attention) {
    bool const at_once = weights == Schedule::tree, tree = attention == Schedule::tree;
    LayerCommands all;
    for (auto const& matrix : p.matrices) {
        auto const active = static_cast<double>(matrix.active);
        auto const sets = at_once ? 1 : sim::divide_up(matrix.summed, d.parallel_columns);
        add(all, active * static_cast<double>(sets));
        // Sums go to the hub of the next product; those of keys and values to the cache.
        add(all, active * static_cast<double>(matrix.summed));
        if (p.adapted > 0 && is_adapted(d, matrix.name)) add(all, active * static_cast<double>(matrix.rows));
    }
    if (d.counts_activations()) {
        add(all, static_cast<double>(p.f));
        if (p.gated) add(all, static_cast<double>(p.f));
    }
    auto const n = static_cast<double>(p.n), q = static_cast<double>(p.q), kv = static_cast<double>(p.kv);
    for (double const vectors : {n, q, n, static_cast<double>(p.f)}) add(all, vectors);
    double const streams = d.key_reuse == KeyReuse::group ? std::min(q, kv) : q;
    for (int keys_then_values = 0; keys_then_values < 2; ++keys_then_values) add(all, tree ? q : streams * context);
    add(all, q * static_cast<double>(p.heads_per_slice));
    return all;
}

double command_bytes(MachineConstants const& machine, Design const& design, Partition const& partition) {
    if (design.searches_schedule())
        return command_bytes(machine, design.running(Schedule::serial), partition) +
               command_bytes(machine, design.running(Schedule::tree), partition);
    auto const longest =
        commands_of(design, partition, static_cast<double>(max_keys(design, design.longest_context())));
    bool const unrolled = design.controller == MainController::unrolled;
    return (unrolled ? longest.executed : longest.stored) * machine.command_size.si;
}

double issue_cycles(MachineConstants const& machine, Design const& design, LayerCommands const& commands,
                    double positions) {
    bool const unrolled = design.controller == MainController::unrolled;
    return machine.command_issue * (unrolled ? positions * commands.executed : commands.stored);
}

}  // namespace pimdse::models::cim_mesh
