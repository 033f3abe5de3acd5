#pragma once

#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/placed_layer.hpp"

#include <map>
#include <set>
#include <vector>

namespace pimdse::models::cim_mesh {

/// The cost of a placement: bytes times distance over the edges of the data flow of a layer, between the centroids of
/// sources and destinations, and the vectors of a token on the busiest link.
struct PlacementCost {
    double byte_hops = 0.0;
    double busiest_link = 0.0;
};
/// The properties of a design, besides its layer, on which the cost of placements depends. The number of flits of a
/// vector does not matter, because placements are compared by quotients.
struct Judge {
    Schedule schedule = Schedule::serial;
    std::int64_t context = 0;

    auto operator<=>(Judge const&) const = default;
};
[[nodiscard]] Judge judge_of(Design const& design);

[[nodiscard]] PlacementCost placement_cost(PlacedLayer const& layer, Judge const& judge);

/// Result of a search.
struct FoundPlacement {
    Genes genes;
    double gain = 0.0;  ///< share of the cost of the packed placement that the search saves, at least 0
};

/// Share of the cost of the packed placement that the placement of `layer` saves; negative if it costs more.
[[nodiscard]] double placement_gain(MachineConstants const& machine, PlacedLayer const& layer,
                                    PlacedLayer const& packed, Judge const& judge);

/// The inputs of a search.
struct SearchKey {
    LayerKey packed;  ///< the layer with packed genes
    Judge judge;

    auto operator<=>(SearchKey const&) const = default;
};

/// Searches a placement: all orders and directions of q, k, v, o on every useful height of a band and on rectangles of
/// every shape, by distances alone; then annealing over all matrices from the best ones; then the loads of links of the
/// best few. Deterministic. The result never costs more than the packed placement.
[[nodiscard]] FoundPlacement search_placement(SearchKey const& key, MachineConstants const& machine);

/// A candidate with its cost, ordered by cost.
struct RatedGenes {
    double byte_hops = 0.0;
    Genes genes;

    bool operator<(RatedGenes const& o) const {
        return byte_hops != o.byte_hops ? byte_hops < o.byte_hops : genes < o.genes;
    }
};

/// The best few candidates of every shape, ordered and without duplicates, because shapes differ most in the loads of
/// links. Rectangles are also limited to the best few of all shapes; candidates that cannot be among these are not
/// kept.
class Shortlist {
  public:
    Shortlist(std::size_t per_shape, std::size_t max_rectangles)
        : per_shape_(per_shape), max_rectangles_(max_rectangles) {}

    /// Whether a candidate of this shape and cost would be kept.
    [[nodiscard]] bool accepts(double byte_hops, Genes const& genes) const;
    void offer(double byte_hops, Genes const& genes);
    /// All candidates with bands, and the best few of all rectangles.
    [[nodiscard]] std::vector<RatedGenes> finalists() const;

  private:
    using Best = std::set<RatedGenes>;
    [[nodiscard]] bool is_too_expensive(double byte_hops) const {
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
    std::vector<double> costs_;  // of the best rectangles that are kept, ascending
};

}  // namespace pimdse::models::cim_mesh
