#include "models/cim_mesh/layer/stage_cost.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <vector>

namespace pimdse::models::cim_mesh {
namespace {

namespace noc = sim::noc;
namespace closed_form = sim::noc::closed_form;

double flits_of(StageShape const& shape, std::int32_t flits) { return shape.empty ? 0.0 : flits; }

/// All flits of a message are behind its first.
double behind_first(StageShape const& shape, std::int32_t flits) { return shape.empty ? 0.0 : flits - 1; }

StageCost tree_cost(MeshAllowances const& allowed, noc::RouterTiming const& timing, StageShape const& shape,
                    std::int32_t flits) {
    double const gap = flits_of(shape, flits) + 1.0, repeats = shape.repeats;
    double const first = shape.slowest + behind_first(shape, flits) + (repeats - 1.0) * gap;
    StageCost cost{sim::Bounded(first), sim::Bounded(repeats * gap)};
    noc::Cycle const loop =
        closed_form::credit_round_trip(timing) + (shape.kind == StageKind::reduction ? timing.adder : 0) + 1;
    if (timing.fifo_flits < loop) {
        // Credits hold back the flits behind a head, not the head.
        double const stretch = static_cast<double>(loop) / timing.fifo_flits;
        double const behind = flits_of(shape, flits) - 1.0 + (repeats - 1.0) * gap;
        auto const widen = [&](sim::Bounded& b, double held_back) {
            double const value = b.value + held_back * (stretch - 1.0);
            b = {value, b.low, b.value * stretch * allowed.short_fifo_high, sim::Bound::calibrated};
        };
        widen(cost.first, behind);
        widen(cost.further, repeats * gap);
    }
    return cost;
}

StageCost gather_cost(MeshAllowances const& allowed, noc::RouterTiming const& timing, StageShape const& shape,
                      std::int32_t flits) {
    double const behind = behind_first(shape, flits), slowest = shape.slowest + behind;
    double const loop = static_cast<double>(closed_form::credit_round_trip(timing)) + 1.0;
    double const stretch = std::max(1.0, loop / timing.fifo_flits);
    double const held_back = (flits_of(shape, flits) - 1.0) * (stretch - 1.0);  // by credits, behind a message's head
    double const gap = flits + 1.0;
    double busiest = 0.0, estimate = slowest, stretched = slowest + held_back, spaced = 0.0;
    for (auto const& port : shape.ports) {
        double const soonest = port.soonest + behind;
        busiest = std::max(busiest, port.packets * flits);
        spaced = std::max(spaced, port.packets * flits + port.packets);
        estimate = std::max(estimate, soonest + (port.packets - 1.0) * gap);
        stretched = std::max(stretched, soonest + held_back + (port.packets - 1.0) * gap * stretch);
    }
    double const least = std::max(slowest, busiest);
    auto const bounded = [&](double value, double low, double unstretched) {
        return sim::Bounded::within(value, low, unstretched * stretch * allowed.gather_high + slowest,
                                    sim::Bound::calibrated);
    };
    return {bounded(stretched, least, estimate), bounded(spaced * stretch, busiest, spaced)};
}

/// A port's packets, and when the soonest is there.
struct Passed {
    std::int32_t packets = 0, soonest = 0;
};

/// Of all ports as many packets pass, the one they come to last; those that fewer pass sooner decide nothing.
std::vector<MeetingPort> latest(std::vector<Passed> const& all) {
    std::vector<std::int32_t> soonest;  // by packets
    for (auto const& port : all) {
        auto const packets = static_cast<std::size_t>(port.packets);
        if (packets == 0) continue;
        if (soonest.size() <= packets) soonest.resize(packets + 1, -1);
        soonest[packets] = std::max(soonest[packets], port.soonest);
    }
    std::vector<MeetingPort> ports;
    for (std::size_t packets = soonest.size(); packets-- > 1;) {
        auto const at = static_cast<double>(soonest[packets]);
        if (at >= 0.0 && (ports.empty() || at > ports.back().soonest))
            ports.push_back({static_cast<double>(packets), at});
    }
    return ports;
}

std::vector<MeetingPort> meeting_ports(noc::Mesh mesh, noc::RouterTiming const& timing, Stage const& stage) {
    std::vector<Passed> ports(static_cast<std::size_t>(mesh.nodes()) * (noc::ports + 1));
    for (auto const& message : stage.phase.messages) {
        auto const& one = std::get<noc::Unicast>(message);
        auto const alone =
            static_cast<std::int32_t>(closed_form::unicast(timing, mesh.distance(one.source, one.destination), 1));
        for (auto const link : noc::links_of(mesh, message)) {
            auto& port = ports[static_cast<std::size_t>(link)];
            port.soonest = port.packets == 0 ? alone : std::min(port.soonest, alone);
            ++port.packets;
        }
    }
    return latest(ports);
}

double simulated(noc::Mesh mesh, noc::RouterTiming const& timing, noc::Phase phase, std::int32_t repeats) {
    phase.repeats = repeats;
    return static_cast<double>(noc::simulate(mesh, timing, phase).cycles);
}

}  // namespace

double borders_of(Ruler const& ruler, Stage const& stage) {
    double most = 0.0;
    auto const tree = [&](noc::Tree const& t) {
        // Borders lie between columns: those that are farthest out cross the most.
        std::int32_t const own = ruler.mesh.col(t.root());
        std::int32_t left = own, right = own;
        for (auto const& branch : t.branches()) {
            std::int32_t const col = ruler.mesh.col(branch.node);
            left = std::min(left, col);
            right = std::max(right, col);
        }
        most = std::max({most, ruler.borders(left, own), ruler.borders(own, right)});
    };
    for (auto const& message : stage.phase.messages) {
        if (auto const* one = std::get_if<noc::Unicast>(&message))
            most = std::max(most, ruler.borders(one->source, one->destination));
        if (auto const* broadcast = std::get_if<noc::Broadcast>(&message)) tree(broadcast->tree);
        if (auto const* sum = std::get_if<noc::Reduction>(&message)) tree(sum->tree);
    }
    return most;
}

StageShape shape_of(Ruler const& ruler, noc::RouterTiming const& timing, Stage const& stage) {
    StageShape shape{stage.kind, stage.phase.messages.empty(), static_cast<double>(stage.phase.repeats), 0.0, 0.0, {}};
    if (shape.empty) return shape;
    auto const flits = std::visit([](auto const& m) { return m.flits; }, stage.phase.messages.front());
    shape.slowest = static_cast<double>(noc::alone(ruler.mesh, timing, stage.phase) - (flits - 1));
    shape.borders = borders_of(ruler, stage);
    if (stage.kind == StageKind::gather) shape.ports = meeting_ports(ruler.mesh, timing, stage);
    return shape;
}

StageCost closed_cost(MeshAllowances const& allowed, noc::RouterTiming const& timing, StageShape const& shape,
                      std::int32_t flits) {
    return (shape.kind == StageKind::gather ? gather_cost : tree_cost)(allowed, timing, shape, flits);
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
