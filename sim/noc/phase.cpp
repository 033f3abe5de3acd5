#include "sim/noc/phase.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cstdlib>

namespace pimdse::sim::noc {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

void send(Network& network, PhaseMessage const& message) {
    std::visit(Overloaded{[&](Unicast const& m) { network.unicast(m.source, m.destination, m.flits); },
                          [&](Broadcast const& m) { network.broadcast(m.tree, m.flits); },
                          [&](Reduction const& m) { network.reduction(m.tree, m.flits); },
                          [&](Chain const& m) {
                              if (m.path.size() > 1) network.chain(m.path, m.flits, m.service, m.hops_before);
                          }},
               message);
}

std::int32_t flits_of(PhaseMessage const& message) {
    return std::visit([](auto const& m) { return m.flits; }, message);
}

Cycle alone(Mesh mesh, RouterTiming const& timing, PhaseMessage const& message) {
    return std::visit(
        Overloaded{[&](Unicast const& m) {
                       return closed_form::unicast(timing, mesh.distance(m.source, m.destination), m.flits);
                   },
                   [&](Broadcast const& m) { return closed_form::broadcast(timing, m.tree.depth(), m.flits); },
                   [&](Reduction const& m) { return closed_form::reduction(timing, m.tree, m.flits); },
                   [&](Chain const& m) {
                       auto const hops = static_cast<std::int64_t>(m.path.size()) - 1;
                       return closed_form::chain(timing, hops, m.flits, m.service, m.hops_before);
                   }},
        message);
}

/// Calls `use` with every link of a route.
template <class Use>
void follow_route(Mesh mesh, Node from, Node to, Use const& use) {
    use(mesh.nodes() * ports + from);
    std::int32_t const cols = mesh.col(to) - mesh.col(from), rows = mesh.row(to) - mesh.row(from);
    Node at = from;
    auto const walk = [&](std::int32_t hops, Port port) {
        for (std::int32_t i = 0; i < hops; ++i, at = mesh.neighbour(at, port)) use(port_index(at, port));
    };
    walk(std::abs(cols), cols > 0 ? Port::east : Port::west);
    walk(std::abs(rows), rows > 0 ? Port::south : Port::north);
    use(port_index(at, Port::local));
}

/// Calls `use` with every directed link of a message, by port_index of the output; includes local outputs and, numbered
/// after all outputs, injection links.
template <class Use>
void follow(Mesh mesh, PhaseMessage const& message, Use const& use) {
    std::visit(Overloaded{[&](Unicast const& m) { follow_route(mesh, m.source, m.destination, use); },
                          [&](Broadcast const& m) {
                              use(mesh.nodes() * ports + m.tree.root());
                              for (auto const& branch : m.tree.branches()) {
                                  for (int port = 0; port < ports; ++port) {
                                      if ((Tree::copies(branch) >> port & 1) != 0) use(branch.node * ports + port);
                                  }
                              }
                          },
                          [&](Reduction const& m) {
                              for (auto const& branch : m.tree.branches()) {
                                  use(port_index(branch.node, branch.parent));
                                  if (branch.member) use(mesh.nodes() * ports + branch.node);
                              }
                          },
                          [&](Chain const& m) {
                              for (std::size_t i = 1; i < m.path.size(); ++i)
                                  use(port_index(m.path[i - 1], mesh.towards(m.path[i - 1], m.path[i])));
                          }},
               message);
}

}  // namespace

PhaseResult simulate(Mesh mesh, RouterTiming const& timing, Phase const& phase) {
    auto const result = simulate_unless_stuck(mesh, timing, phase);
    ensures(result.has_value(), "the messages of a phase do not wait for each other cyclically");
    return *result;
}

std::optional<PhaseResult> simulate_unless_stuck(Mesh mesh, RouterTiming const& timing, Phase const& phase) {
    Network network(mesh, timing);
    for (std::int32_t i = 0; i < phase.repeats; ++i) {
        for (auto const& message : phase.messages) send(network, message);
    }
    PhaseResult result;
    while (!network.idle()) {
        network.advance(network.now() + 1'000'000);
        if (network.stuck()) return std::nullopt;
        for (auto const& arrival : network.arrivals()) result.cycles = std::max(result.cycles, arrival.arrived);
        network.forget_arrivals();
    }
    auto const flits = network.link_flits();
    for (std::size_t i = 0; i < flits.size(); ++i) {
        if (static_cast<int>(i) % ports == index(Port::local)) continue;
        result.flit_hops += flits[i];
        result.busiest_link = std::max(result.busiest_link, flits[i]);
    }
    return result;
}

Cycle alone(Mesh mesh, RouterTiming const& timing, Phase const& phase) {
    Cycle slowest = 0;
    for (auto const& message : phase.messages) slowest = std::max(slowest, alone(mesh, timing, message));
    return slowest;
}

std::vector<std::int64_t> link_loads(Mesh mesh, Phase const& phase) {
    std::vector<std::int64_t> loads(static_cast<std::size_t>(mesh.nodes() * ports), 0);
    std::int32_t const injections = mesh.nodes() * ports;
    for (auto const& message : phase.messages) {
        std::int64_t const flits = static_cast<std::int64_t>(flits_of(message)) * phase.repeats;
        follow(mesh, message, [&](std::int32_t link) {
            if (link < injections) loads[static_cast<std::size_t>(link)] += flits;
        });
    }
    return loads;
}

}  // namespace pimdse::sim::noc
