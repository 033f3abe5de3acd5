#pragma once

#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/placed_layer.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace pimdse::models::cim_mesh {

/// What a placement costs: bytes times distance over the edges of a layer's data flow, between the middles of what is
/// sent and where it goes, and the vectors of a token on the busiest link.
struct PlacementCost {
    double byte_hops = 0.0;
    double busiest_link = 0.0;
};
/// What a placement is judged by, beside its layer. Of how many flits a vector is makes no difference: placements are
/// compared by quotients.
struct Judge {
    Schedule schedule = Schedule::serial;
    std::int64_t context = 0;

    auto operator<=>(Judge const&) const = default;
};
[[nodiscard]] Judge judge_of(Design const& design);

[[nodiscard]] PlacementCost placement_cost(PlacedLayer const& layer, Judge const& judge);

struct FoundPlacement {
    Genes genes;
    double gain = 0.0;  ///< share of the packed placement's cost that the search saves, 0 and more
};

/// Share of the packed placement's cost that a layer's placement saves; negative if it costs more.
[[nodiscard]] double placement_gain(MachineConstants const& machine, PlacedLayer const& layer,
                                    PlacedLayer const& packed, Judge const& judge);

/// What a search depends on.
struct SearchKey {
    LayerKey packed;  ///< the layer with packed genes
    Judge judge;

    auto operator<=>(SearchKey const&) const = default;
};

/// All orders and directions of q, k, v, o on every useful height of a band and on rectangles of every shape, by
/// distances alone; then annealing over all matrices from the best; the best few with the load of their links counted
/// out. Deterministic. Never worse than packed.
[[nodiscard]] FoundPlacement search_placement(SearchKey const& key, MachineConstants const& machine);

struct RatedGenes {
    double byte_hops = 0.0;
    Genes genes;

    bool operator<(RatedGenes const& o) const {
        return byte_hops != o.byte_hops ? byte_hops < o.byte_hops : genes < o.genes;
    }
};

/// The best few candidates of every shape, ordered, none twice: shapes differ most in how their links are loaded. Of
/// all rectangles together the best few, too: what cannot be among them is not kept.
class Shortlist {
  public:
    Shortlist(std::size_t per_shape, std::size_t max_rectangles)
        : per_shape_(per_shape), max_rectangles_(max_rectangles) {}

    /// Whether a candidate of this shape and cost would be kept.
    [[nodiscard]] bool wants(double byte_hops, Genes const& genes) const;
    void offer(double byte_hops, Genes const& genes);
    /// All of the bands, and the best few of all rectangles.
    [[nodiscard]] std::vector<RatedGenes> finalists() const;

  private:
    using Best = std::set<RatedGenes>;
    [[nodiscard]] bool is_too_dear(double byte_hops) const {
        return costs_.size() == max_rectangles_ && byte_hops > costs_.back();
    }
    [[nodiscard]] bool is_refused(Best const& best, double byte_hops) const {
        return best.size() == per_shape_ && !(byte_hops < best.rbegin()->byte_hops);
    }
    void count_rectangle(double byte_hops);
    void forget_rectangle(double byte_hops);

    std::size_t per_shape_, max_rectangles_;
    std::map<std::int64_t, Best> bands_;  // by height
    std::map<std::vector<std::int64_t>, Best> rectangles_;
    std::vector<double> costs_;  // of the best rectangles kept, ascending
};

}  // namespace pimdse::models::cim_mesh
