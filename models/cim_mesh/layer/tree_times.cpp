#include "models/cim_mesh/layer/tree_times.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

sim::Bounded pace_of(MachineConstants const& machine, Design const& design, MeshCounts const& counts,
                     sim::Bounded const& slowest) {
    double const link = saturated_cycles(counts.prompt_link, vector_flits(machine, design));
    return larger(slowest, link / machine.open_loop_share);
}

std::int64_t products_of_a_key(Design const& design, Partition const& partition) {
    std::int64_t const product = sim::divide_up(design.crossbar, design.dmacs);
    return 2 * product * sim::divide_up(partition.q, partition.kv);
}

LayerTime composed(MachineConstants const& machine, Design const& design, Partition const& p, MeshCounts const& counts,
                   TreeTimes const& times) {
    ClosedForm const form(machine, design, p, counts);
    double const walk_back = form.way(counts.walk_back) / static_cast<double>(design.model->layers);
    auto const token = [&](double context, sim::Bounded const& cache) -> std::vector<LayerPart> {
        auto const services = form.decode(context);
        return {{"collectives", times.weights},
                {"walk back to the first layer", walk_back, true},
                {"keys and values", cache},
                {"softmax", services.softmax, true},
                {"adapters", services.adapters, true},
                {"crossbars", services.crossbars, true}};
    };
    std::int64_t const keys = prompt_tokens(design);
    auto const last = token(static_cast<double>(keys), times.prompt_cache);
    auto const services = form.decode(0.0);
    sim::Bounded const alone =
        times.weights + times.full_cache + sim::Bounded(walk_back + services.adapters + services.crossbars);
    auto const before = [&](auto const& at, double pace, double token_alone) {
        auto units = form.units(pace);
        units.alone = token_alone;
        units.alone_per_key = units.softmax + units.products;
        return at(units);
    };
    auto const pass = [&](auto const& at) {
        auto const value = before(at, times.pace.value, std::max(times.pace.value, alone.value));
        double const low = before(at, times.pace.low, std::max(times.pace.low, alone.low)).total();
        double const high = before(at, times.pace.high, std::max(times.pace.high, alone.high)).total();
        return pipelined(last, value, low, high, times.pace.kinds.weaker(alone.kinds));
    };
    if (design.diffuses()) {
        auto const positions = [&](double queries) {
            return pass([&](PromptUnits const& units) { return following(units, form.held(), queries - 1.0, keys); });
        };
        return {positions(static_cast<double>(keys)), positions(later_queries(design))};
    }
    double const context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    return {pass([&](PromptUnits const& units) { return following(units, form.held(), keys - 1); }),
            token(context, times.keys_and_values)};
}

}  // namespace pimdse::models::cim_mesh
