#include "models/cim_mesh/layer/search.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/flow.hpp"
#include "sim/noc/open_loop.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

/// Cost relative to that of another placement; `link_weight` is the weight of the second term relative to the first.
double relative_cost(PlacementCost const& cost, PlacementCost const& other, double link_weight) {
    return (cost.byte_hops / other.byte_hops + link_weight * cost.busiest_link / other.busiest_link) /
           (1.0 + link_weight);
}

/// Heights of a band that are tried: all rows of the mesh, and the divisors and multiples of the rows of output
/// columns.
std::vector<std::int64_t> band_heights(LayerKey const& layer) {
    std::set<std::int64_t> heights{layer.ground.mesh_rows};
    for (std::int64_t const rows : {layer.n, layer.q}) {
        for (std::int64_t height = 2; height <= layer.ground.mesh_rows; ++height) {
            if (rows % height == 0 || height % rows == 0) heights.insert(height);
        }
    }
    return {heights.rbegin(), heights.rend()};
}

/// A partial placement, matrix after matrix in the order of execution.
struct PartlyLaid {
    Shelves shelves;
    LaidLayer laid;
};

class Search {
  public:
    Search(MachineConstants const& machine, SearchKey const& key)
        : machine_(machine),
          layer_(key.packed),
          ground_(key.packed.ground),
          judge_(key.judge),
          flow_(machine, key.packed, key.judge.schedule),
          shortlist_(static_cast<std::size_t>(machine.allowance.finalists_per_shape),
                     static_cast<std::size_t>(machine.allowance.rectangle_finalists)) {
        for (auto const& matrix : ground_.matrices) heights_.push_back(rectangle_heights(ground_, matrix));
    }

    FoundPlacement result() {
        offer(layer_.genes);
        for (auto const& shape : shapes()) exhaust_attention(shape);
        std::optional<RatedGenes> bands, rectangles;
        for (auto const& candidate : shortlist_.finalists()) {
            auto& best = candidate.genes.heights.empty() ? bands : rectangles;
            if (!best || candidate < *best) best = candidate;
        }
        for (auto const& best : {bands, rectangles}) {
            if (best) anneal(best->genes);
        }
        return best_finalist();
    }

  private:
    /// The best finalist by the complete cost, including the loads of links.
    [[nodiscard]] FoundPlacement best_finalist() const {
        FoundPlacement found{layer_.genes, 0.0};
        PlacedLayer const before(machine_, layer_);
        for (auto const& candidate : shortlist_.finalists()) {
            auto key = layer_;
            key.genes = candidate.genes;
            double const gain = placement_gain(machine_, PlacedLayer(machine_, std::move(key)), before, judge_);
            if (gain > found.gain) found = {candidate.genes, gain};
        }
        return found;
    }

    /// Adds a candidate. Returns its cost by distances, or a negative number if it does not fit.
    double offer(Genes const& genes) {
        LaidLayer laid;
        if (!flow_.lay_out(genes, laid)) return -1.0;
        double const cost = flow_.byte_hops(laid, genes.directions);
        shortlist_.offer(cost, genes);
        return cost;
    }

    /// Bands of every useful height; rectangles of every height for q, k, v and for o, with the cheapest heights of the
    /// others.
    [[nodiscard]] std::vector<Genes> shapes() {
        std::vector<Genes> all;
        for (auto const height : band_heights(layer_)) {
            all.push_back(layer_.genes);
            all.back().band_height = height;
        }
        auto genes = layer_.genes;
        genes.heights.resize(ground_.matrices.size());
        for (auto const qkv : heights_[0]) {
            PartlyLaid before{Shelves(ground_), {}};
            std::fill_n(genes.heights.begin(), 3, qkv);
            if (!lay(genes, 0, 3, before)) continue;
            for (auto const o : heights_[3]) {
                auto with_o = before;
                genes.heights[3] = o;
                if (lay(genes, 3, 4, with_o) && choose_other_heights(genes, with_o)) all.push_back(genes);
            }
        }
        return all;
    }

    /// Places the rectangles of the matrices [first, last); false if there is no space.
    [[nodiscard]] bool lay(Genes const& genes, std::size_t first, std::size_t last, PartlyLaid& on) const {
        for (std::size_t i = first; i < last; ++i) {
            if (!flow_.lay_rectangles(i, genes.heights[i], on.shelves, on.laid)) return false;
        }
        return true;
    }

    /// Chooses the cheapest heights of the matrices after o, given the placement of the attention; false if none fits.
    [[nodiscard]] bool choose_other_heights(Genes& genes, PartlyLaid const& attention) {
        auto const down = ground_.matrices.size() - 1;
        auto& heights = genes.heights;
        std::vector<std::int64_t> best;
        double min = 0.0;
        for (auto const up_rows : heights_[4]) {
            auto up = attention;
            if (!choose_rows(heights, up_rows)) continue;
            if (!lay(genes, 4, down, up)) continue;
            for (auto const down_rows : heights_[down]) {
                auto all = up;
                heights[down] = down_rows;
                if (!lay(genes, down, down + 1, all)) continue;
                double const cost = flow_.byte_hops(all.laid, genes.directions);
                shortlist_.offer(cost, genes);
                if (!best.empty() && cost >= min) continue;
                min = cost;
                best = heights;
            }
        }
        if (!best.empty()) heights = best;
        return !best.empty();
    }

    /// Gives the matrices between o and the last one rectangles of `rows` rows. The down matrix of a shared expert,
    /// which is among them, has its own where it cannot have those; false if it has none.
    [[nodiscard]] bool choose_rows(std::vector<std::int64_t>& heights, std::int64_t rows) const {
        for (std::size_t i = 4; i + 1 < heights.size(); ++i) {
            bool const can = std::ranges::find(heights_[i], rows) != heights_[i].end();
            if (!can && heights_[i].empty()) return false;
            heights[i] = can ? rows : heights_[i].back();
        }
        return true;
    }

    /// Tries all orders and directions of q, k, v, o, the first four matrices. Directions move only the ends of sums,
    /// which hardly matters with roots in the middle.
    void exhaust_attention(Genes genes) {
        int const turns = judge_.schedule == Schedule::serial ? 81 : 1;
        std::sort(genes.order.begin(), genes.order.begin() + 4);
        LaidLayer laid;
        do {
            if (!flow_.lay_out(genes, laid) || !shortlist_.accepts(flow_.min_byte_hops(laid), genes)) continue;
            for (int code = 0; code < turns; ++code) {
                int rest = code;
                for (std::size_t i = 0; i < 4; ++i, rest /= 3)
                    genes.directions[i] = static_cast<CrossbarOrder>(rest % 3);
                shortlist_.offer(flow_.byte_hops(laid, genes.directions), genes);
            }
        } while (std::next_permutation(genes.order.begin(), genes.order.begin() + 4));
    }

    /// Changes one gene: swaps two matrices, or changes a direction, the height of a rectangle, or whether gate and up
    /// alternate.
    void vary(Genes& genes, std::uint64_t step) const {
        auto const random = [&](std::uint64_t stream) { return sim::noc::hashed(step + 1, stream); };
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
            genes.heights[which] = heights_[which][random(2) % heights_[which].size()];
        }
    }

    /// Simulated annealing over all genes. The temperature falls linearly from a share of the initial cost.
    void anneal(Genes genes) {
        auto const& allowed = machine_.allowance;
        auto const steps = static_cast<std::uint64_t>(allowed.annealing_steps);
        double now = offer(genes);
        double const start = now;
        Genes next;
        for (std::uint64_t step = 0; step < steps; ++step) {
            next = genes;
            vary(next, step);
            double const cost = offer(next);
            if (cost < 0.0) continue;
            double const temperature =
                allowed.annealing_start * start * (1.0 - static_cast<double>(step) / allowed.annealing_steps) +
                allowed.annealing_end;
            double const chance = static_cast<double>(sim::noc::hashed(step + 1, 3) >> 11U) * 0x1p-53;
            if (cost <= now || chance < std::exp((now - cost) / temperature)) {
                std::swap(genes, next);
                now = cost;
            }
        }
    }

    MachineConstants const& machine_;
    LayerKey const& layer_;
    Ground const& ground_;
    Judge const& judge_;
    Flow const flow_;
    std::vector<std::vector<std::int64_t>> heights_;  // by matrix, of its rectangles
    Shortlist shortlist_;
};

}  // namespace

Judge judge_of(Design const& design) {
    return {design.has_trees() ? Schedule::tree : Schedule::serial, middle_keys(design)};
}

PlacementCost placement_cost(PlacedLayer const& layer, Judge const& judge) {
    return {layer.byte_hops(judge.schedule), static_cast<double>(layer.loads(judge.context).busiest_link)};
}

double placement_gain(MachineConstants const& machine, PlacedLayer const& layer, PlacedLayer const& packed,
                      Judge const& judge) {
    return 1.0 -
           relative_cost(placement_cost(layer, judge), placement_cost(packed, judge), machine.placement_link_weight);
}

FoundPlacement search_placement(SearchKey const& key, MachineConstants const& machine) {
    return Search(machine, key).result();
}

bool Shortlist::accepts(double byte_hops, Genes const& genes) const {
    if (genes.heights.empty()) {
        auto const found = bands_.find(genes.band_height);
        return found == bands_.end() || !is_refused(found->second, byte_hops);
    }
    if (is_too_expensive(byte_hops)) return false;
    auto const found = rectangles_.find(genes.heights);
    return found == rectangles_.end() || !is_refused(found->second, byte_hops);
}

void Shortlist::offer(double byte_hops, Genes const& genes) {
    if (!accepts(byte_hops, genes)) return;
    bool const rectangles = !genes.heights.empty();
    auto& best = rectangles ? rectangles_[genes.heights] : bands_[genes.band_height];
    if (!best.insert({byte_hops, genes}).second) return;
    if (rectangles) count_rectangle(byte_hops);
    if (best.size() > per_shape_) {
        auto const worst = std::prev(best.end());
        if (rectangles) forget_rectangle(worst->byte_hops);
        best.erase(worst);
    }
    if (costs_.size() > max_rectangles_) costs_.resize(max_rectangles_);
}

void Shortlist::count_rectangle(double byte_hops) {
    costs_.insert(std::upper_bound(costs_.begin(), costs_.end(), byte_hops), byte_hops);
}

void Shortlist::forget_rectangle(double byte_hops) {
    auto const found = std::lower_bound(costs_.begin(), costs_.end(), byte_hops);
    if (found != costs_.end() && *found == byte_hops) costs_.erase(found);
}

std::vector<RatedGenes> Shortlist::finalists() const {
    std::vector<RatedGenes> all, rectangles;
    for (auto const& [_, best] : bands_) all.insert(all.end(), best.begin(), best.end());
    for (auto const& [_, best] : rectangles_) rectangles.insert(rectangles.end(), best.begin(), best.end());
    std::sort(rectangles.begin(), rectangles.end());
    if (rectangles.size() > max_rectangles_) rectangles.resize(max_rectangles_);
    all.insert(all.end(), rectangles.begin(), rectangles.end());
    return all;
}

}  // namespace pimdse::models::cim_mesh
