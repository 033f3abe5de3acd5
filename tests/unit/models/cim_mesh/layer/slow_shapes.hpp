#pragma once

#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/noc/closed_form.hpp"
#include "sim/noc/phase.hpp"
#include "tests/unit/sim/noc/links_of.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <variant>
#include <vector>

/// The shape of a stage from its messages themselves: the slow and obvious way.
namespace pimdse::models::cim_mesh::test {

/// For every number of packets the port that they reach last; ports with fewer packets only if they are reached later.
inline std::vector<MeetingPort> last_ports(std::vector<MeetingPort> const& all) {
    std::map<double, double, std::greater<>> soonest;  // by packets, the most first
    for (auto const& port : all) soonest[port.packets] = std::max(soonest[port.packets], port.soonest);
    std::vector<MeetingPort> ports;
    for (auto const& [packets, time] : soonest) {
        if (ports.empty() || time > ports.back().soonest) ports.push_back({packets, time});
    }
    return ports;
}

inline void add_ports(StageShape& shape, sim::noc::Mesh mesh, sim::noc::RouterTiming const& timing,
                      Stage const& stage) {
    struct Passing {
        std::int32_t before, behind;
    };
    std::map<std::int32_t, std::vector<Passing>> by_link;
    for (auto const& message : stage.phase.messages) {
        auto const links = sim::noc::links_of(mesh, message);  // the first one is the injection
        auto const hops = static_cast<std::int32_t>(links.size()) - 2;
        for (std::int32_t i = 0; i < hops + 2; ++i) {
            std::int32_t const before = std::max(0, i - 1);
            by_link[links[static_cast<std::size_t>(i)]].push_back({before, hops - before});
        }
    }
    auto const min = [](std::vector<Passing> const& all, auto const& of) {
        return of(*std::ranges::min_element(all, {}, of));
    };
    auto const alone = [&](std::int32_t hops) {
        return static_cast<double>(sim::noc::closed_form::unicast(timing, hops, 1));
    };
    std::vector<MeetingPort> ports, sure;
    for (auto const& [link, all] : by_link) {
        auto const packets = static_cast<double>(all.size());
        ports.push_back({packets, alone(min(all, [](Passing const& one) { return one.before + one.behind; }))});
        sure.push_back({packets, alone(min(all, [](Passing const& one) { return one.before; }) +
                                       min(all, [](Passing const& one) { return one.behind; }))});
    }
    shape.ports = last_ports(ports);
    shape.sure = last_ports(sure);
}

/// Cycles until a FIFO entry after the last link of the slowest tree is free again; a sum may be added at its end.
inline std::int64_t loop_of(sim::noc::RouterTiming const& timing, Stage const& stage, double slowest) {
    namespace closed_form = sim::noc::closed_form;
    if (stage.kind == StageKind::gather || slowest <= static_cast<double>(closed_form::fixed(timing))) return 0;
    auto const* sum = std::get_if<sim::noc::Reduction>(&stage.phase.messages.front());
    // A path of partial sums with a link adds at every router, and so does a tree that ends at a member.
    bool const adds = sum != nullptr && std::popcount(sim::noc::Tree::copies(sum->tree.at(sum->tree.root()))) > 1;
    return closed_form::credit_round_trip(timing) + (adds ? timing.adder : 0);
}

/// The FIFO of `timing` does not matter.
inline StageShape shape_of(Ruler const& ruler, sim::noc::RouterTiming const& timing, Stage const& stage) {
    StageShape shape{stage.kind, stage.phase.messages.empty(), static_cast<double>(stage.phase.repeats)};
    if (shape.empty) return shape;
    auto const flits = std::visit([](auto const& m) { return m.flits; }, stage.phase.messages.front());
    shape.slowest = static_cast<double>(sim::noc::alone(ruler.mesh, timing, stage.phase) - (flits - 1));
    shape.borders = borders_of(ruler, stage);
    shape.loop = loop_of(timing, stage, shape.slowest);
    if (stage.kind == StageKind::gather) add_ports(shape, ruler.mesh, timing, stage);
    return shape;
}

}  // namespace pimdse::models::cim_mesh::test
