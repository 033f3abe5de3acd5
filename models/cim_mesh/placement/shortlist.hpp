#pragma once

#include "models/cim_mesh/placement/genes.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace pimdse::models::cim_mesh {

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
    Shortlist(std::size_t per_shape, std::size_t most_rectangles)
        : per_shape_(per_shape), most_rectangles_(most_rectangles) {}

    /// Whether a candidate of this shape and cost would be kept.
    [[nodiscard]] bool wants(double byte_hops, Genes const& genes) const;
    void offer(double byte_hops, Genes const& genes);
    /// All of the bands, and the best few of all rectangles.
    [[nodiscard]] std::vector<RatedGenes> finalists() const;

  private:
    using Best = std::set<RatedGenes>;
    [[nodiscard]] bool is_too_dear(double byte_hops) const {
        return costs_.size() == most_rectangles_ && byte_hops > costs_.back();
    }
    [[nodiscard]] bool is_refused(Best const& best, double byte_hops) const {
        return best.size() == per_shape_ && !(byte_hops < best.rbegin()->byte_hops);
    }
    void count_rectangle(double byte_hops);
    void forget_rectangle(double byte_hops);

    std::size_t per_shape_, most_rectangles_;
    std::map<std::int64_t, Best> bands_;  // by height
    std::map<std::vector<std::int64_t>, Best> rectangles_;
    std::vector<double> costs_;  // of the best rectangles kept, ascending
};

}  // namespace pimdse::models::cim_mesh
