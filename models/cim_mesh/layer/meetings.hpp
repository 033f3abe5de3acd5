#pragma once

#include "models/cim_mesh/layer/stage_cost.hpp"

namespace pimdse::models::cim_mesh {

/// A message from router to router, along the row first.
struct Way {
    Router from, to;
};

/// Ports of a gather by the packets that pass them: of all that as many pass, the one that is reached last.
class PortTimes {
  public:
    explicit PortTimes(std::size_t messages) : most_(messages + 1, -1) {}

    void add(std::size_t packets, std::int32_t hops) { most_[packets] = std::max(most_[packets], hops); }

    /// Those that fewer pass sooner decide nothing.
    [[nodiscard]] std::vector<MeetingPort> latest(sim::noc::RouterTiming const& timing) const;

  private:
    std::vector<std::int32_t> most_;
};

/// What MeetingPort is said of in StageShape, of unicasts of one flit: their links by stretches between which no
/// message enters a line of them or leaves it.
struct Meetings {
    std::vector<MeetingPort> ports, sure;
};
[[nodiscard]] Meetings meetings_of(sim::noc::Mesh mesh, sim::noc::RouterTiming const& timing,
                                   std::span<Way const> ways);

}  // namespace pimdse::models::cim_mesh
