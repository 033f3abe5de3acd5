#include "models/cim_mesh/layer/stage_cost.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

namespace noc = sim::noc;
namespace closed_form = sim::noc::closed_form;

double flits_of(StageShape const& shape, std::int32_t flits) { return shape.empty ? 0.0 : flits; }

/// Number of flits of a message after its first one.
double flits_after_first(StageShape const& shape, std::int32_t flits) { return shape.empty ? 0.0 : flits - 1; }

/// Smallest FIFO [flits] with which no flit of a tree waits for a credit.
noc::Cycle enough_flits(noc::RouterTiming const& timing, StageKind kind) {
    return closed_form::credit_round_trip(timing) + (kind == StageKind::reduction ? timing.adder : 0) + 1;
}

/// Lower bound of a tree in which flits wait for credits, from its last router alone: the flit that follows another one
/// by the size of the FIFO arrives a round trip of the last link later (README.md, Lower bounds).
StageCost held_back_lower_bound(noc::RouterTiming const& timing, StageShape const& shape, std::int32_t flits) {
    auto const repeats = static_cast<std::int64_t>(shape.repeats);
    std::int64_t const fifo = timing.fifo_flits, gap = flits + 1;
    auto const after = [&](std::int64_t messages) {
        return static_cast<double>(std::max(messages * gap, messages * flits / fifo * shape.loop));
    };
    auto const span = std::max<std::int64_t>(flits - 1, closed_form::min_span(flits, fifo, shape.loop));
    return {shape.slowest + static_cast<double>(span) + after(repeats - 1), after(repeats)};
}

constexpr sim::BoundKinds proved_and_calibrated{sim::Bound::proved, sim::Bound::calibrated};

StageCost tree_cost(MeshAllowances const& allowed, noc::RouterTiming const& timing, StageShape const& shape,
                    std::int32_t flits) {
    double const gap = flits_of(shape, flits) + 1.0, repeats = shape.repeats;
    double const first = shape.slowest + flits_after_first(shape, flits) + (repeats - 1.0) * gap;
    StageCost cost{sim::Bounded(first), sim::Bounded(repeats * gap)};
    if (is_exact(timing, shape.kind) || shape.empty) return cost;
    // The flits after a head wait for credits, the head does not.
    double const stretch = static_cast<double>(enough_flits(timing, shape.kind)) / timing.fifo_flits;
    double const after_head = flits_of(shape, flits) - 1.0 + (repeats - 1.0) * gap;
    auto const min = held_back_lower_bound(timing, shape, flits);
    auto const widen = [&](sim::Bounded& b, double held_back, sim::Bounded const& lower) {
        double const value = b.value + held_back * (stretch - 1.0);
        b = {value, lower.value, b.value * stretch * allowed.short_fifo_upper, proved_and_calibrated};
    };
    widen(cost.first, after_head, min.first);
    widen(cost.further, repeats * gap, min.further);
    return cost;
}

/// Lower bound of a gather. A packet holds a port until one cycle after its last flit has left. Its flits come through
/// a FIFO; those that start at the router of the port come through one whose credits return earlier.
double min_gather(noc::RouterTiming const& timing, StageShape const& shape, std::int32_t flits) {
    if (shape.empty) return 0.0;
    double min = min_alone(timing, shape.slowest, flits);
    auto const span = [&](noc::Cycle loop) {
        return static_cast<double>(
            std::max<noc::Cycle>(flits - 1, closed_form::min_span(flits, timing.fifo_flits, loop)));
    };
    double const linked = span(closed_form::credit_round_trip(timing)), own = span(timing.injection + timing.traversal);
    for (auto const& port : shape.sure) min = std::max(min, port.soonest + own + (port.packets - 1.0) * (linked + 2.0));
    return min;
}

StageCost gather_cost(MeshAllowances const& allowed, noc::RouterTiming const& timing, StageShape const& shape,
                      std::int32_t flits) {
    double const tail = flits_after_first(shape, flits), slowest = shape.slowest + tail;
    double const loop = static_cast<double>(closed_form::credit_round_trip(timing)) + 1.0;
    double const stretch = std::max(1.0, loop / timing.fifo_flits);
    double const held_back = (flits_of(shape, flits) - 1.0) * (stretch - 1.0);  // wait for credits after a head
    double const gap = flits + 1.0;
    double busiest = 0.0, estimate = slowest, stretched = slowest + held_back, spaced = 0.0;
    for (auto const& port : shape.ports) {
        double const soonest = port.soonest + tail;
        busiest = std::max(busiest, port.packets * flits);
        spaced = std::max(spaced, port.packets * flits + port.packets);
        estimate = std::max(estimate, soonest + (port.packets - 1.0) * gap);
        stretched = std::max(stretched, soonest + held_back + (port.packets - 1.0) * gap * stretch);
    }
    auto const bounded = [&](double value, double lower, double unstretched) {
        return sim::Bounded::within(value, lower, unstretched * stretch * allowed.gather_upper + slowest,
                                    proved_and_calibrated);
    };
    return {bounded(stretched, min_gather(timing, shape, flits), estimate), bounded(spaced * stretch, busiest, spaced)};
}

double simulated(noc::Mesh mesh, noc::RouterTiming const& timing, noc::Phase phase, std::int32_t repeats) {
    phase.repeats = repeats;
    return static_cast<double>(noc::simulate(mesh, timing, phase).cycles);
}

}  // namespace

double borders_of(Ruler const& ruler, Stage const& stage) {
    double max = 0.0;
    auto const tree = [&](noc::Tree const& t) {
        // Borders are between columns, so that the outermost columns have the most.
        std::int32_t const own = ruler.mesh.col(t.root());
        std::int32_t left = own, right = own;
        for (auto const& branch : t.branches()) {
            std::int32_t const col = ruler.mesh.col(branch.node);
            left = std::min(left, col);
            right = std::max(right, col);
        }
        max = std::max({max, ruler.borders(left, own), ruler.borders(own, right)});
    };
    for (auto const& message : stage.phase.messages) {
        if (auto const* one = std::get_if<noc::Unicast>(&message))
            max = std::max(max, ruler.borders(one->source, one->destination));
        if (auto const* broadcast = std::get_if<noc::Broadcast>(&message)) tree(broadcast->tree);
        if (auto const* sum = std::get_if<noc::Reduction>(&message)) tree(sum->tree);
    }
    return max;
}

bool is_exact(noc::RouterTiming const& timing, StageKind kind) {
    return kind != StageKind::gather && timing.fifo_flits >= enough_flits(timing, kind);
}

double min_alone(noc::RouterTiming const& timing, double slowest, std::int32_t flits) {
    bool const has_link = slowest > static_cast<double>(closed_form::fixed(timing));
    noc::Cycle const loop = has_link ? closed_form::credit_round_trip(timing) : timing.injection + timing.traversal;
    auto const span = std::max<noc::Cycle>(flits - 1, closed_form::min_span(flits, timing.fifo_flits, loop));
    return slowest + static_cast<double>(span);
}

StageCost closed_cost(MeshAllowances const& allowed, noc::RouterTiming const& timing, StageShape const& shape,
                      std::int32_t flits) {
    return (shape.kind == StageKind::gather ? gather_cost : tree_cost)(allowed, timing, shape, flits);
}

StageCost simulated_cost(MeshAllowances const& allowed, noc::Mesh mesh, noc::RouterTiming const& timing,
                         Stage const& stage) {
    auto const& phase = stage.phase;
    if (phase.messages.empty()) return {};
    double const once = simulated(mesh, timing, phase, phase.repeats);
    if (stage.kind != StageKind::gather)
        return {sim::Bounded(once), sim::Bounded(simulated(mesh, timing, phase, 2 * phase.repeats) - once)};
    // The pace after the first tokens, at least that of the busiest port, because a short train still drains.
    auto const settled = static_cast<std::int32_t>(allowed.gather_settled);
    auto const all = static_cast<std::int32_t>(allowed.gather_train);
    double const train =
        simulated(mesh, timing, phase, all * phase.repeats) - simulated(mesh, timing, phase, settled * phase.repeats);
    auto const loads = noc::link_loads(mesh, phase);
    double const busiest = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
    return {sim::Bounded(once), sim::Bounded(std::max(train / static_cast<double>(all - settled), busiest))};
}

}  // namespace pimdse::models::cim_mesh
