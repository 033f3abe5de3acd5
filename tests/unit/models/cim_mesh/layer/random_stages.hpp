#pragma once

#include "models/cim_mesh/layer/stage_cost.hpp"

#include <random>
#include <vector>

namespace pimdse::models::cim_mesh::test {

/// Stages of any routers of a small mesh, from one of them to all, the hub among them or not.
class RandomStages {
  public:
    explicit RandomStages(unsigned seed) : random_(seed) { another_mesh(); }

    void another_mesh() {
        std::int32_t const rows = 1 + below(8), cols = 1 + below(8);
        ruler_ = {{rows, cols}, 1 + below(cols), 0.5 * below(5)};
        timing_ = {};
        timing_.fifo_flits = 1 + below(12);
        timing_.adder = below(4);
    }
    std::int32_t below(std::int32_t sides) {
        return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(sides));
    }
    sim::noc::Node node() { return below(ruler_.mesh.nodes()); }
    /// Routers without order; each once.
    std::vector<sim::noc::Node> nodes() {
        std::vector<sim::noc::Node> all(static_cast<std::size_t>(ruler_.mesh.nodes()));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<sim::noc::Node>(i);
        std::shuffle(all.begin(), all.end(), random_);
        all.resize(1 + random_() % all.size());
        return all;
    }
    [[nodiscard]] Router router(sim::noc::Node node) const { return {mesh().row(node), mesh().col(node)}; }
    [[nodiscard]] std::vector<Router> routers(std::vector<sim::noc::Node> const& nodes) const {
        std::vector<Router> all;
        for (auto const node : nodes) all.push_back(router(node));
        return all;
    }
    [[nodiscard]] Area area(std::vector<sim::noc::Node> const& nodes) const {
        Area all;
        for (auto const& at : routers(nodes)) all.add(Rectangle{at.row, at.col, 1, 1});
        return all;
    }
    [[nodiscard]] Ruler const& ruler() const { return ruler_; }
    [[nodiscard]] sim::noc::Mesh mesh() const { return ruler_.mesh; }
    [[nodiscard]] sim::noc::RouterTiming const& timing() const { return timing_; }

    static Stage gather(std::vector<sim::noc::Node> const& from, sim::noc::Node hub, std::int32_t flits) {
        Stage stage{"gather", StageKind::gather, {}};
        for (auto const node : from) stage.phase.messages.emplace_back(sim::noc::Unicast{node, hub, flits});
        return stage;
    }
    [[nodiscard]] Stage broadcast(sim::noc::Node hub, std::vector<sim::noc::Node> const& to, std::int32_t vectors,
                                  std::int32_t flits) const {
        return {"broadcast", StageKind::broadcast, {{sim::noc::Broadcast{tree(hub, to), flits}}, vectors}};
    }
    [[nodiscard]] Stage sum(sim::noc::Node hub, std::vector<sim::noc::Node> const& from, std::int32_t vectors,
                            std::int32_t flits) const {
        return {"sum", StageKind::reduction, {{sim::noc::Reduction{tree(hub, from), flits}}, vectors}};
    }

  private:
    [[nodiscard]] sim::noc::Tree tree(sim::noc::Node hub, std::vector<sim::noc::Node> const& members) const {
        return sim::noc::Tree::xy(ruler_.mesh, hub, members);
    }

    std::mt19937 random_;
    Ruler ruler_{};
    sim::noc::RouterTiming timing_;
};

}  // namespace pimdse::models::cim_mesh::test
