#include "models/cim_mesh/layer/tree_times.hpp"

#include "models/cim_mesh/layer/analytic.hpp"

namespace pimdse::models::cim_mesh {

sim::Bounded pace_of(MachineConstants const& machine, Design const& design, MeshCounts const& counts,
                     sim::Bounded const& slowest) {
    double const link = saturated_cycles(counts.prompt_link, vector_flits(machine, design));
    return larger(slowest, link / machine.open_loop_share);
}

LayerTime composed(MachineConstants const& machine, Design const& design, Partition const& p, MeshCounts const& counts,
                   TreeTimes const& times) {
    ClosedForm const form(machine, design, p, counts);
    auto const tokens = static_cast<double>(prompt_tokens(design));
    auto const pass_of = [&](double queries) -> std::vector<LayerPart> {
        auto const pass = form.pass(queries, tokens);
        return {{"collectives", times.weights + times.prompt_cache + times.pace * (queries - 1.0)},
                {"adapters", pass.adapters, true},
                {"attention", pass.attention}};
    };
    if (design.diffuses()) return {pass_of(tokens), pass_of(later_queries(design))};
    double const context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    double const walk_back = form.way(counts.walk_back) / static_cast<double>(design.model->layers);
    auto const services = form.decode(context);
    return {pass_of(tokens),
            {{"collectives", times.weights},
             {"walk back to the first layer", walk_back, true},
             {"keys and values", times.keys_and_values},
             {"softmax", services.softmax, true},
             {"adapters", services.adapters, true},
             {"crossbars", services.crossbars, true}}};
}

}  // namespace pimdse::models::cim_mesh
