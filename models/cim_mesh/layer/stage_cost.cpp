#include "models/cim_mesh/layer/stage_cost.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace pimdse::models::cim_mesh {
namespace {

namespace noc = sim::noc;
namespace closed_form = sim::noc::closed_form;

double flits_of(Stage const& stage) {
    return stage.phase.messages.empty()
               ? 0.0
               : static_cast<double>(std::visit([](auto const& m) { return m.flits; }, stage.phase.messages.front()));
}

StageCost tree_cost(MeshAllowances const& allowed, noc::Mesh mesh, noc::RouterTiming const& timing,
                    Stage const& stage) {
    double const gap = flits_of(stage) + 1.0, repeats = stage.phase.repeats;
    double const first = static_cast<double>(noc::alone(mesh, timing, stage.phase)) + (repeats - 1.0) * gap;
    StageCost cost{sim::Bounded(first), sim::Bounded(repeats * gap)};
    noc::Cycle const loop =
        closed_form::credit_round_trip(timing) + (stage.kind == StageKind::reduction ? timing.adder : 0) + 1;
    if (timing.fifo_flits < loop) {
        // Credits hold back the flits behind a head, not the head.
        double const stretch = static_cast<double>(loop) / timing.fifo_flits;
        double const behind = flits_of(stage) - 1.0 + (repeats - 1.0) * gap;
        auto const widen = [&](sim::Bounded& b, double held_back) {
            double const value = b.value + held_back * (stretch - 1.0);
            b = {value, b.low, b.value * stretch * allowed.short_fifo_high, sim::Bound::calibrated};
        };
        widen(cost.first, behind);
        widen(cost.further, repeats * gap);
    }
    return cost;
}

struct Port {
    double flits = 0.0, packets = 0.0, soonest = std::numeric_limits<double>::infinity();
};

StageCost gather_cost(MeshAllowances const& allowed, noc::Mesh mesh, noc::RouterTiming const& timing,
                      Stage const& stage) {
    std::unordered_map<std::int32_t, Port> ports;
    double slowest = 0.0;
    for (auto const& message : stage.phase.messages) {
        auto const& unicast = std::get<noc::Unicast>(message);
        auto const alone = static_cast<double>(
            closed_form::unicast(timing, mesh.distance(unicast.source, unicast.destination), unicast.flits));
        slowest = std::max(slowest, alone);
        for (auto const link : noc::links_of(mesh, message)) {
            auto& port = ports[link];
            port.flits += unicast.flits;
            port.packets += 1.0;
            port.soonest = std::min(port.soonest, alone);
        }
    }
    double const loop = static_cast<double>(closed_form::credit_round_trip(timing)) + 1.0;
    double const stretch = std::max(1.0, loop / timing.fifo_flits);
    double const held_back = (flits_of(stage) - 1.0) * (stretch - 1.0);  // by credits, behind the head of a message
    double busiest = 0.0, estimate = slowest, stretched = slowest + held_back, spaced = 0.0;
    for (auto const& [link, port] : ports) {
        double const gap = port.flits / port.packets + 1.0;
        busiest = std::max(busiest, port.flits);
        spaced = std::max(spaced, port.flits + port.packets);
        estimate = std::max(estimate, port.soonest + (port.packets - 1.0) * gap);
        stretched = std::max(stretched, port.soonest + held_back + (port.packets - 1.0) * gap * stretch);
    }
    double const least = std::max(slowest, busiest);
    auto const bounded = [&](double value, double low, double unstretched) {
        return sim::Bounded::within(value, low, unstretched * stretch * allowed.gather_high + slowest,
                                    sim::Bound::calibrated);
    };
    return {bounded(stretched, least, estimate), bounded(spaced * stretch, busiest, spaced)};
}

double simulated(noc::Mesh mesh, noc::RouterTiming const& timing, noc::Phase phase, std::int32_t repeats) {
    phase.repeats = repeats;
    return static_cast<double>(noc::simulate(mesh, timing, phase).cycles);
}

}  // namespace

StageCost closed_cost(MeshAllowances const& allowed, noc::Mesh mesh, noc::RouterTiming const& timing,
                      Stage const& stage) {
    return stage.kind == StageKind::gather ? gather_cost(allowed, mesh, timing, stage)
                                           : tree_cost(allowed, mesh, timing, stage);
}

StageCost simulated_cost(MeshAllowances const& allowed, noc::Mesh mesh, noc::RouterTiming const& timing,
                         Stage const& stage, Fidelity fidelity) {
    auto const& phase = stage.phase;
    if (phase.messages.empty()) return {};
    if (stage.kind == StageKind::gather) {
        // Behind the first tokens, and never faster than the busiest port in the long run: a short train still drains.
        auto const settled = static_cast<std::int32_t>(allowed.gather_settled);
        auto const all = static_cast<std::int32_t>(allowed.gather_train);
        double const once = simulated(mesh, timing, phase, phase.repeats);
        double const train = simulated(mesh, timing, phase, all * phase.repeats) -
                             simulated(mesh, timing, phase, settled * phase.repeats);
        auto const loads = noc::link_loads(mesh, phase);
        double const busiest = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
        return {sim::Bounded(once), sim::Bounded(std::max(train / static_cast<double>(all - settled), busiest))};
    }
    if (fidelity == Fidelity::cycle) {
        double const once = simulated(mesh, timing, phase, phase.repeats);
        double const twice = simulated(mesh, timing, phase, 2 * phase.repeats);
        return {sim::Bounded(once), sim::Bounded(twice - once)};
    }
    double const once = simulated(mesh, timing, phase, 1);
    double const gap = simulated(mesh, timing, phase, 2) - once;
    double const repeats = phase.repeats;
    return {sim::Bounded(once + (repeats - 1.0) * gap), sim::Bounded(repeats * gap)};
}

}  // namespace pimdse::models::cim_mesh
