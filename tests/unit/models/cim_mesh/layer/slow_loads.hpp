#pragma once

#include "models/cim_mesh/layer/program.hpp"
#include "sim/noc/phase.hpp"

#include <algorithm>
#include <vector>

/// What a token puts on the mesh, link by link and router by router: the slow and obvious way.
namespace pimdse::models::cim_mesh::test {

class SlowLoads {
  public:
    explicit SlowLoads(sim::noc::Mesh mesh)
        : mesh_(mesh),
          links_(static_cast<std::size_t>(mesh.nodes()) * sim::noc::ports),
          entering_(static_cast<std::size_t>(mesh.nodes())) {}

    /// Of messages of `flits` flits; as vectors.
    void add(sim::noc::Phase const& phase, std::int32_t flits = 1) {
        auto const loads = sim::noc::link_loads(mesh_, phase);
        for (std::size_t i = 0; i < links_.size(); ++i) links_[i] += loads[i] / flits;
        for (auto const& message : phase.messages) add_own(message, phase.repeats);
    }
    [[nodiscard]] std::int64_t busiest_link() const {
        std::int64_t max = 0;
        each_link([&](sim::noc::Node, sim::noc::Port, std::int64_t load) { max = std::max(max, load); });
        return max;
    }
    /// A fork sends its copies at once.
    [[nodiscard]] std::int64_t busiest_router() const {
        auto entering = entering_;
        each_link([&](sim::noc::Node node, sim::noc::Port port, std::int64_t load) {
            if (load != 0) entering[static_cast<std::size_t>(mesh_.neighbour(node, port))] += load;
        });
        return *std::max_element(entering.begin(), entering.end());
    }

  private:
    void add_own(sim::noc::PhaseMessage const& message, std::int64_t repeats) {
        auto const own = [&](sim::noc::Node node) { entering_[static_cast<std::size_t>(node)] += repeats; };
        if (auto const* one = std::get_if<sim::noc::Unicast>(&message)) own(one->source);
        if (auto const* all = std::get_if<sim::noc::Broadcast>(&message)) own(all->tree.root());
        if (auto const* sum = std::get_if<sim::noc::Reduction>(&message)) {
            for (auto const& branch : sum->tree.branches()) {
                if (branch.member) own(branch.node);
            }
        }
    }
    void each_link(auto const& visit) const {
        using sim::noc::Port;
        for (sim::noc::Node node = 0; node < mesh_.nodes(); ++node) {
            for (Port const port : {Port::north, Port::east, Port::south, Port::west})
                visit(node, port, links_[static_cast<std::size_t>(sim::noc::port_index(node, port))]);
        }
    }

    sim::noc::Mesh mesh_;
    std::vector<std::int64_t> links_, entering_;
};

}  // namespace pimdse::models::cim_mesh::test
