#include "models/cim_mesh/search.hpp"

#include "sim/noc/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;

struct Place {
    double row = 0.0, col = 0.0;
};

double distance(Place a, Place b) { return std::abs(a.row - b.row) + std::abs(a.col - b.col); }

/// Middles of a matrix's tiles and of where its sums end, all copies together.
struct Middles {
    Place tiles, sums;
    double columns = 0.0;
};

class Flow {
  public:
    Flow(Machine const& machine, Design const& design, Partition const& partition)
        : partition_(partition),
          vector_bytes_(static_cast<double>(design.crossbar) * machine.value_bits / 8.0),
          serial_(design.schedule == Schedule::serial),
          colocated_(design.kv_pool == KvPool::colocated) {}

    [[nodiscard]] double byte_hops(Placement const& placement) const {
        auto const m = middles(placement);
        auto const find = [&](std::string_view name) -> Middles const* {
            for (std::size_t i = 0; i < m.size(); ++i) {
                if (partition_.matrices[i].name == name) return &m[i];
            }
            return nullptr;
        };
        auto const *q = find("q"), *k = find("k"), *v = find("v"), *o = find("o"), *gate = find("gate"), *up = find("up"),
                   *down = find("down");
        Place const pool = middle(placement, placement.pool);
        Place const keys = colocated_ ? k->tiles : pool, values = colocated_ ? v->tiles : pool;
        double cost = 0.0;
        auto const edge = [&](double vectors, Place from, Place to) { cost += vectors * vector_bytes_ * distance(from, to); };
        for (auto const* to : {q, k, v}) edge(static_cast<double>(partition_.n), down->sums, to->tiles);
        edge(q->columns, q->sums, keys);
        edge(k->columns, k->sums, keys);
        edge(v->columns, v->sums, values);
        edge(q->columns, values, o->tiles);
        for (auto const* to : {gate, up}) {
            if (to != nullptr) edge(o->columns, o->sums, to->tiles);
        }
        if (gate != nullptr) edge(up->columns, gate->sums, up->sums);
        edge(up->columns, up->sums, down->tiles);
        return cost;
    }

  private:
    [[nodiscard]] static Place middle(Placement const& placement, std::span<Node const> nodes) {
        std::int64_t rows = 0, cols = 0;
        for (Node const node : nodes) {
            rows += placement.mesh.row(node);
            cols += placement.mesh.col(node);
        }
        auto const count = static_cast<double>(std::max<std::size_t>(1, nodes.size()));
        return {static_cast<double>(rows) / count, static_cast<double>(cols) / count};
    }

    [[nodiscard]] std::vector<Middles> middles(Placement const& placement) const {
        std::vector<std::vector<Node>> tiles(partition_.matrices.size()), sums(partition_.matrices.size());
        for (auto const& matrix : placement.matrices) {
            tiles[matrix.tiling].insert(tiles[matrix.tiling].end(), matrix.tiles.begin(), matrix.tiles.end());
            for (std::int64_t col = 0; col < matrix.cols; ++col) {
                auto const column = matrix.column(col);
                sums[matrix.tiling].push_back(serial_ ? column.back() : column[column.size() / 2]);
            }
        }
        std::vector<Middles> result;
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            auto const& tiling = partition_.matrices[i];
            result.push_back({middle(placement, tiles[i]), middle(placement, sums[i]), static_cast<double>(tiling.cols * tiling.active)});
        }
        return result;
    }

    Partition const& partition_;
    double vector_bytes_;
    bool serial_, colocated_;
};

struct Candidate {
    double byte_hops = 0.0;
    Genes genes;

    bool operator<(Candidate const& o) const { return byte_hops != o.byte_hops ? byte_hops < o.byte_hops : genes < o.genes; }
};

/// The best few candidates of every band height, ordered, none twice: heights differ most in how their links are loaded.
class Shortlist {
  public:
    void offer(Candidate candidate) {
        auto& best = best_[candidate.genes.band_height];
        best.insert(std::move(candidate));
        if (best.size() > size) best.erase(std::prev(best.end()));
    }
    [[nodiscard]] std::vector<Candidate> all() const {
        std::vector<Candidate> all;
        for (auto const& [height, best] : best_) all.insert(all.end(), best.begin(), best.end());
        return all;
    }

  private:
    static constexpr std::size_t size = 4;
    std::map<std::int64_t, std::set<Candidate>> best_;
};

class Search {
  public:
    Search(Machine const& machine, Design const& design, Partition const& partition)
        : machine_(machine), design_(design), partition_(partition), flow_(machine, design, partition) {}

    FoundPlacement result() {
        auto const packed = packed_genes(partition_);
        offer(packed);
        exhaust_attention(packed);
        auto const before = shortlist_.all();
        anneal(std::min_element(before.begin(), before.end())->genes);
        FoundPlacement found{packed, 0.0};
        for (auto const& candidate : shortlist_.all()) {
            double const gain = placement_gain(machine_, design_, partition_, place(design_, partition_, candidate.genes));
            if (gain > found.gain) found = {candidate.genes, gain};
        }
        return found;
    }

  private:
    double offer(Genes const& genes) {
        auto const placement = place(design_, partition_, genes);
        if (placement.matrices.empty()) return -1.0;
        double const cost = flow_.byte_hops(placement);
        shortlist_.offer({cost, genes});
        return cost;
    }

    /// q, k, v, o are the first four matrices. Directions only move where sums end, which a root in the middle does not notice.
    void exhaust_attention(Genes genes) {
        int const directions = design_.schedule == Schedule::serial ? 81 : 1;
        for (auto const height : band_heights(design_, partition_)) {
            genes.band_height = height;
            std::sort(genes.order.begin(), genes.order.begin() + 4);
            do {
                for (int code = 0; code < directions; ++code) {
                    int rest = code;
                    for (std::size_t i = 0; i < 4; ++i, rest /= 3) genes.directions[i] = static_cast<TileOrder>(rest % 3);
                    if (offer(genes) < 0.0) break;
                }
            } while (std::next_permutation(genes.order.begin(), genes.order.begin() + 4));
        }
    }

    /// Swaps of two matrices and turns of one, over the whole layer; temperature falls linearly from a tenth of the cost.
    void anneal(Genes genes) {
        constexpr std::uint64_t steps = 400;
        double now = offer(genes);
        double const start = now;
        for (std::uint64_t step = 0; step < steps; ++step) {
            auto next = genes;
            auto const random = [&](std::uint64_t what) { return sim::noc::hashed(step + 1, what); };
            auto const count = genes.order.size();
            if (random(0) % 2 == 0)
                std::swap(next.order[random(1) % count], next.order[random(2) % count]);
            else
                next.directions[random(1) % count] = static_cast<TileOrder>(random(2) % 3);
            double const cost = offer(next);
            if (cost < 0.0) continue;
            double const temperature = 0.1 * start * (1.0 - static_cast<double>(step) / static_cast<double>(steps)) + 1e-9;
            double const chance = static_cast<double>(random(3) >> 11U) * 0x1p-53;
            if (cost <= now || chance < std::exp((now - cost) / temperature)) {
                genes = next;
                now = cost;
            }
        }
    }

    Machine const& machine_;
    Design const& design_;
    Partition const& partition_;
    Flow flow_;
    Shortlist shortlist_;
};

}  // namespace

PlacementCost placement_cost(Machine const& machine, Design const& design, Partition const& partition, Placement const& placement) {
    PlacementCost cost;
    cost.byte_hops = Flow(machine, design, partition).byte_hops(placement);
    TreeProgram const program(machine, design, partition, placement);
    auto const loads = link_loads(program, design.input + design.output / 2);
    cost.busiest_link = static_cast<double>(busiest_link(loads));
    return cost;
}

double placement_gain(Machine const& machine, Design const& design, Partition const& partition, Placement const& placement) {
    auto const packed = placement_cost(machine, design, partition, place(design, partition, packed_genes(partition)));
    return 1.0 - placement_cost(machine, design, partition, placement).against(packed, machine.placement_link_weight);
}

std::vector<std::int64_t> band_heights(Design const& design, Partition const& partition) {
    std::set<std::int64_t> heights{design.mesh_rows};
    for (std::int64_t const rows : {partition.n, partition.q}) {
        for (std::int64_t height = 2; height <= design.mesh_rows; ++height) {
            if (rows % height == 0 || height % rows == 0) heights.insert(height);
        }
    }
    return {heights.rbegin(), heights.rend()};
}

FoundPlacement search_placement(Machine const& machine, Design const& design, Partition const& partition) {
    return Search(machine, design, partition).result();
}

}  // namespace pimdse::models::cim_mesh
