#pragma once

#include "sim/noc/network.hpp"

#include <optional>
#include <variant>
#include <vector>

namespace pimdse::sim::noc {

struct Unicast {
    Node source = 0, destination = 0;
    std::int32_t flits = 1;
};
struct Broadcast {
    Tree tree;
    std::int32_t flits = 1;
};
struct Reduction {
    Tree tree;
    std::int32_t flits = 1;
};
struct Chain {
    std::vector<Node> path;
    std::int32_t flits = 1;
    double service = 2.0;
    std::int64_t hops_before = 0;  ///< see Network::chain
};
using PhaseMessage = std::variant<Unicast, Broadcast, Reduction, Chain>;

/// Messages that all start in the same cycle; a source sends its messages in order. The next phase starts when all have
/// arrived.
struct Phase {
    std::vector<PhaseMessage> messages;
    std::int32_t repeats =
        1;  ///< number of times that the whole list is sent, one after the other: tokens in a pipeline
};

struct PhaseResult {
    Cycle cycles = 0;               ///< until the last arrival
    std::int64_t flit_hops = 0;     ///< flits times links
    std::int64_t busiest_link = 0;  ///< flits on the most used link
};

/// Simulates a phase in an empty network. Throws ContractViolation if trees wait for each other cyclically; trees
/// without common links cannot.
[[nodiscard]] PhaseResult simulate(Mesh mesh, RouterTiming const& timing, Phase const& phase);
/// The same, without a result if trees wait for each other cyclically.
[[nodiscard]] std::optional<PhaseResult> simulate_unless_stuck(Mesh mesh, RouterTiming const& timing,
                                                               Phase const& phase);

/// The same without contention: the latency of the slowest message alone. Never later than simulate().
[[nodiscard]] Cycle alone(Mesh mesh, RouterTiming const& timing, Phase const& phase);

/// Flits on each output port, ejections included, by port_index.
[[nodiscard]] std::vector<std::int64_t> link_loads(Mesh mesh, Phase const& phase);

}  // namespace pimdse::sim::noc
