#include "models/cim_mesh/search.hpp"

#include "models/cim_mesh/placement/flow.hpp"

#include "sim/noc/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

struct RatedGenes {
    double byte_hops = 0.0;
    Genes genes;

    bool operator<(RatedGenes const& o) const {
        return byte_hops != o.byte_hops ? byte_hops < o.byte_hops : genes < o.genes;
    }
};

/// The best few candidates of every shape, ordered, none twice: shapes differ most in how their links are loaded.
class Shortlist {
  public:
    explicit Shortlist(MachineConstants::Allowances const& allowed)
        : size_(static_cast<std::size_t>(allowed.finalists_per_shape)),
          most_rectangles_(static_cast<std::size_t>(allowed.rectangle_finalists)) {}

    void offer(double byte_hops, Genes const& genes) {
        auto& best = best_[{genes.band_height, genes.heights}];
        if (best.size() == size_ && !(byte_hops < std::prev(best.end())->byte_hops)) return;
        best.insert({byte_hops, genes});
        if (best.size() > size_) best.erase(std::prev(best.end()));
    }
    /// All of the bands, and the best few of all rectangles.
    [[nodiscard]] std::vector<RatedGenes> finalists() const {
        std::vector<RatedGenes> bands, rectangles;
        for (auto const& [shape, best] : best_) {
            auto& list = shape.second.empty() ? bands : rectangles;
            list.insert(list.end(), best.begin(), best.end());
        }
        std::sort(rectangles.begin(), rectangles.end());
        if (rectangles.size() > most_rectangles_) rectangles.resize(most_rectangles_);
        bands.insert(bands.end(), rectangles.begin(), rectangles.end());
        return bands;
    }

  private:
    std::size_t size_, most_rectangles_;
    std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, std::set<RatedGenes>> best_;
};

/// Both terms as shares of another placement's; `link_weight` is what the second counts against the first.
double against(PlacementCost const& cost, PlacementCost const& other, double link_weight) {
    return (cost.byte_hops / other.byte_hops + link_weight * cost.busiest_link / other.busiest_link) /
           (1.0 + link_weight);
}

/// Heights of a band worth trying: all rows, and the divisors and multiples of the output columns that fit.
std::vector<std::int64_t> band_heights(LayerKey const& layer) {
    std::set<std::int64_t> heights{layer.ground.mesh_rows};
    for (std::int64_t const rows : {layer.n, layer.q}) {
        for (std::int64_t height = 2; height <= layer.ground.mesh_rows; ++height) {
            if (rows % height == 0 || height % rows == 0) heights.insert(height);
        }
    }
    return {heights.rbegin(), heights.rend()};
}

class Search {
  public:
    Search(MachineConstants const& machine, SearchKey const& key)
        : machine_(machine),
          layer_(key.packed),
          ground_(key.packed.ground),
          judge_(key.judge),
          flow_(machine, key.packed, key.judge.schedule),
          shortlist_(machine.allowance) {}

    FoundPlacement result() {
        auto const& packed = layer_.genes;
        offer(packed);
        for (auto const& shape : shapes(packed)) exhaust_attention(shape);
        std::optional<RatedGenes> bands, rectangles;
        for (auto const& candidate : shortlist_.finalists()) {
            auto& best = candidate.genes.heights.empty() ? bands : rectangles;
            if (!best || candidate < *best) best = candidate;
        }
        for (auto const& best : {bands, rectangles}) {
            if (best) anneal(best->genes);
        }
        FoundPlacement found{packed, 0.0};
        PlacedLayer const before(machine_, layer_);
        for (auto const& candidate : shortlist_.finalists()) {
            auto key = layer_;
            key.genes = candidate.genes;
            double const gain = placement_gain(machine_, PlacedLayer(machine_, std::move(key)), before, judge_);
            if (gain > found.gain) found = {candidate.genes, gain};
        }
        return found;
    }

  private:
    /// The cost by distances, or less than 0 if it cannot be placed.
    double offer(Genes const& genes) {
        auto laid = genes;
        laid.directions.assign(genes.directions.size(), CrossbarOrder::normal);
        auto const placement = place(ground_, laid);
        if (placement.matrices.empty()) return -1.0;
        double const cost = flow_.byte_hops(flow_.middles(placement), genes.directions);
        shortlist_.offer(cost, genes);
        return cost;
    }

    /// Bands of every useful height; rectangles of every height for q, k, v and for o, with the others as high as suits
    /// them.
    [[nodiscard]] std::vector<Genes> shapes(Genes const& packed) {
        std::vector<Genes> all;
        for (auto const height : band_heights(layer_)) {
            all.push_back(packed);
            all.back().band_height = height;
        }
        for (auto const qkv : rectangle_heights(ground_, ground_.matrices[0])) {
            for (auto const o : rectangle_heights(ground_, ground_.matrices[3])) {
                if (auto genes = around(packed, qkv, o); !genes.heights.empty()) all.push_back(std::move(genes));
            }
        }
        return all;
    }

    /// Rectangles for these heights of q, k, v and o; heights empty if the layer has no room for any.
    [[nodiscard]] Genes around(Genes const& packed, std::int64_t qkv, std::int64_t o) {
        Genes best = packed;
        double least = -1.0;
        auto const& down = ground_.matrices.back();
        for (auto const up_rows : rectangle_heights(ground_, ground_.matrices[4])) {
            for (auto const down_rows : rectangle_heights(ground_, down)) {
                auto genes = packed;
                genes.heights.assign(ground_.matrices.size(), up_rows);
                for (std::size_t i = 0; i < 3; ++i) genes.heights[i] = qkv;
                genes.heights[3] = o;
                genes.heights.back() = down_rows;
                double const cost = offer(genes);
                if (cost < 0.0 || (least >= 0.0 && cost >= least)) continue;
                least = cost;
                best = std::move(genes);
            }
        }
        return best;
    }

    /// All orders and directions of q, k, v, o, the first four matrices. Directions only move where sums end, which a
    /// root in the middle hardly notices.
    void exhaust_attention(Genes genes) {
        int const turns = judge_.schedule == Schedule::serial ? 81 : 1;
        std::sort(genes.order.begin(), genes.order.begin() + 4);
        do {
            genes.directions.assign(genes.directions.size(), CrossbarOrder::normal);
            auto const placement = place(ground_, genes);
            if (placement.matrices.empty()) continue;
            auto const middles = flow_.middles(placement);
            for (int code = 0; code < turns; ++code) {
                int rest = code;
                for (std::size_t i = 0; i < 4; ++i, rest /= 3)
                    genes.directions[i] = static_cast<CrossbarOrder>(rest % 3);
                shortlist_.offer(flow_.byte_hops(middles, genes.directions), genes);
            }
        } while (std::next_permutation(genes.order.begin(), genes.order.begin() + 4));
    }

    /// One gene changed: two matrices swapped, one turned, one rectangle's height, gate and up laid in turn or not.
    [[nodiscard]] Genes neighbour(Genes genes, std::uint64_t step) const {
        auto const random = [&](std::uint64_t what) { return sim::noc::hashed(step + 1, what); };
        auto const count = genes.order.size();
        auto const which = static_cast<std::size_t>(random(1) % count);
        auto const kind = random(0) % (genes.heights.empty() ? 8 : 12);
        if (kind < 4) {
            std::swap(genes.order[which], genes.order[random(2) % count]);
        } else if (kind < 7) {
            genes.directions[which] = static_cast<CrossbarOrder>(random(2) % 3);
        } else if (kind == 7) {
            genes.interleave = genes.interleave == Interleave::no ? Interleave::gate_up : Interleave::no;
        } else {
            auto const heights = rectangle_heights(ground_, ground_.matrices[which]);
            genes.heights[which] = heights[random(2) % heights.size()];
        }
        return genes;
    }

    /// Over the whole layer; temperature falls linearly from a share of the cost.
    void anneal(Genes genes) {
        auto const& allowed = machine_.allowance;
        auto const steps = static_cast<std::uint64_t>(allowed.annealing_steps);
        double now = offer(genes);
        double const start = now;
        for (std::uint64_t step = 0; step < steps; ++step) {
            auto const next = neighbour(genes, step);
            double const cost = offer(next);
            if (cost < 0.0) continue;
            double const temperature =
                allowed.annealing_start * start * (1.0 - static_cast<double>(step) / allowed.annealing_steps) +
                allowed.annealing_end;
            double const chance = static_cast<double>(sim::noc::hashed(step + 1, 3) >> 11U) * 0x1p-53;
            if (cost <= now || chance < std::exp((now - cost) / temperature)) {
                genes = next;
                now = cost;
            }
        }
    }

    MachineConstants const& machine_;
    LayerKey const& layer_;
    Ground const& ground_;
    Judge const& judge_;
    Flow flow_;
    Shortlist shortlist_;
};

}  // namespace

Judge judge_of(MachineConstants const& machine, Design const& design) {
    return {design.schedule, design.input + design.output / 2, vector_flits(machine, design)};
}

PlacementCost placement_cost(PlacedLayer const& layer, Judge const& judge) {
    return {layer.byte_hops(judge.schedule),
            static_cast<double>(layer.loads(judge.context).busiest_link * judge.flits)};
}

double placement_gain(MachineConstants const& machine, PlacedLayer const& layer, PlacedLayer const& packed,
                      Judge const& judge) {
    return 1.0 - against(placement_cost(layer, judge), placement_cost(packed, judge), machine.placement_link_weight);
}

FoundPlacement search_placement(SearchKey const& key, MachineConstants const& machine) {
    return Search(machine, key).result();
}

}  // namespace pimdse::models::cim_mesh
