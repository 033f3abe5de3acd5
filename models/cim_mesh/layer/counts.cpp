#include "models/cim_mesh/layer/counts.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;

double tile_of(Ruler const& ruler, Node node) { return static_cast<double>(ruler.mesh.col(node) / ruler.tile_cols); }

double borders(Ruler const& ruler, Node a, Node b) { return std::abs(tile_of(ruler, a) - tile_of(ruler, b)); }

/// Length of the way between two routers.
double length(Ruler const& ruler, Node a, Node b) {
    return static_cast<double>(ruler.mesh.distance(a, b)) + ruler.border_hops * borders(ruler, a, b);
}

/// Borders of the sums one token waits for: of output columns that are summed together, the one with the most.
double chain_borders(Ruler const& ruler, Design const& design, Partition const& partition, Placement const& placement) {
    double all = 0.0;
    std::vector<std::int64_t> used(partition.matrices.size(), 0);
    for (auto const& matrix : placement.matrices) {
        auto const& tiling = partition.matrices[matrix.tiling];
        if (used[matrix.tiling]++ >= tiling.active) continue;
        for (std::int64_t first = 0; first < tiling.summed; first += design.parallel_columns) {
            double most = 0.0;
            for (std::int64_t col = first; col < std::min(tiling.summed, first + design.parallel_columns); ++col) {
                auto const path = matrix.column(col);
                double crossed = 0.0;
                for (std::size_t i = 1; i < path.size(); ++i) crossed += borders(ruler, path[i - 1], path[i]);
                most = std::max(most, crossed);
            }
            all += most;
        }
    }
    return all;
}

double farthest(Ruler const& ruler, Node from, std::span<Node const> to) {
    double most = 0.0;
    for (Node const node : to) most = std::max(most, length(ruler, from, node));
    return most;
}

/// End of the last column that is summed: where the last vector of a group's product appears.
Node last_sum(Partition const& partition, TreeProgram::Group const& group) {
    auto const& matrix = *group.matrices.back();
    return matrix.column(partition.matrices[matrix.tiling].summed - 1).back();
}

/// The next layer lies behind this one in the serpentine: its first column follows this one's last.
double hand_over(Ruler const& ruler, Node from, Node to_in_next) {
    double const rows = std::abs(ruler.mesh.row(from) - ruler.mesh.row(to_in_next));
    double const cols = ruler.mesh.cols - ruler.mesh.col(from) + ruler.mesh.col(to_in_next);
    auto const tiles = static_cast<double>(ruler.mesh.cols) / static_cast<double>(ruler.tile_cols);
    return rows + cols + ruler.border_hops * (tiles - tile_of(ruler, from) + tile_of(ruler, to_in_next));
}

/// Vectors hide under the chains of the columns that follow; the last of each product has its way before it.
void count_fill(MeshCounts& counts, Ruler const& ruler, Partition const& partition, TreeProgram const& program) {
    auto const &qkv = program.qkv(), &o = program.o(), &up = program.up(), &down = program.down();
    Node const up_sum = last_sum(partition, up), o_sum = last_sum(partition, o);
    counts.fill = hand_over(ruler, last_sum(partition, down), qkv.hub) + farthest(ruler, qkv.hub, qkv.tiles) +
                  farthest(ruler, qkv.hub, o.tiles) + length(ruler, o_sum, up.hub) + farthest(ruler, up.hub, up.tiles) +
                  length(ruler, up_sum, down.hub) + farthest(ruler, down.hub, down.tiles);
    counts.fill_legs = 7;
}

/// Tiles lie in an even number of rows as long as the block is high, so that the last is under the first.
double walk_back(Ruler const& ruler, Design const& design, Partition const& partition) {
    auto const tiles = static_cast<double>(design.model->layers * partition.placed_tiles);
    double const square =
        std::sqrt(tiles * static_cast<double>(design.mesh_cols) / static_cast<double>(design.mesh_rows));
    double const rows = std::min(tiles, 2.0 * std::max(1.0, std::round(square / 2.0)));
    return (rows - 1.0) * (static_cast<double>(design.mesh_rows) + ruler.border_hops);
}

void count_keys(MeshCounts& counts, Ruler const& ruler, TreeProgram const& program) {
    double sum = 0.0;
    counts.key_ways.push_back(0.0);
    for (Node const node : program.holders()) {
        sum += length(ruler, program.qkv().hub, node);
        counts.key_ways.push_back(sum / static_cast<double>(counts.key_ways.size()));
    }
}

/// Flits that a stage's routers put on the mesh themselves, by router.
void count_own(std::vector<std::int64_t>& taken, Stage const& stage) {
    auto const own = [&](Node node, std::int64_t flits) {
        taken[static_cast<std::size_t>(node)] += flits * stage.phase.repeats;
    };
    for (auto const& message : stage.phase.messages) {
        if (auto const* one = std::get_if<sim::noc::Unicast>(&message)) own(one->source, one->flits);
        if (auto const* tree = std::get_if<sim::noc::Broadcast>(&message)) own(tree->tree.root(), tree->flits);
        if (auto const* sum = std::get_if<sim::noc::Reduction>(&message)) {
            for (auto const& branch : sum->tree.branches()) {
                if (branch.member) own(branch.node, sum->flits);
            }
        }
    }
}

/// Flits that enter the router with the most of them, from its links and its own; a fork sends its copies at once.
double busiest_router(sim::noc::Mesh mesh, TreeProgram const& program, std::span<std::int64_t const> links,
                      std::int64_t context) {
    std::vector<std::int64_t> taken(static_cast<std::size_t>(mesh.nodes()), 0);
    for (auto const& stage : program.stages(context)) count_own(taken, stage);
    for (std::size_t i = 0; i < links.size(); ++i) {
        auto const node = static_cast<Node>(i / sim::noc::ports);
        auto const port = static_cast<sim::noc::Port>(i % sim::noc::ports);
        if (mesh.has_link(node, port)) taken[static_cast<std::size_t>(mesh.neighbour(node, port))] += links[i];
    }
    return static_cast<double>(*std::max_element(taken.begin(), taken.end()));
}

/// Query vectors that fit beside the cache when it is longest, at most `context_tile`.
double context_tile(MachineConstants const& machine, Design const& design, Partition const& partition) {
    KvCache const cache(machine, design, partition);
    std::int64_t const filled = cache.filled(0, design.longest_context());
    return static_cast<double>(std::clamp<std::int64_t>(cache.slots_per_router() - filled, 1, design.context_tile));
}

}  // namespace

double borders_of(Ruler const& ruler, Stage const& stage) {
    double most = 0.0;
    auto const tree = [&](sim::noc::Tree const& t) {
        for (auto const& branch : t.branches()) most = std::max(most, borders(ruler, t.root(), branch.node));
    };
    for (auto const& message : stage.phase.messages) {
        if (auto const* one = std::get_if<sim::noc::Unicast>(&message))
            most = std::max(most, borders(ruler, one->source, one->destination));
        if (auto const* broadcast = std::get_if<sim::noc::Broadcast>(&message)) tree(broadcast->tree);
        if (auto const* sum = std::get_if<sim::noc::Reduction>(&message)) tree(sum->tree);
    }
    return most;
}

MeshCounts count_mesh(MachineConstants const& machine, Design const& design, Partition const& partition,
                      Placement const& placement, TreeProgram const& program) {
    Ruler const ruler{placement.mesh, design.mesh_cols, machine.border_hops};
    MeshCounts counts;
    counts.chain_borders = ruler.border_hops * chain_borders(ruler, design, partition, placement);
    count_fill(counts, ruler, partition, program);
    counts.walk_back = walk_back(ruler, design, partition);
    count_keys(counts, ruler, program);
    auto const tokens = prompt_tokens(design);
    auto const prompt = link_loads(program, tokens);
    counts.busiest_router = busiest_router(placement.mesh, program, prompt, tokens) / program.flits();
    counts.prompt_link = static_cast<double>(busiest_link(prompt));
    counts.busiest_link = static_cast<double>(busiest_link(link_loads(program, design.input + design.output / 2)));
    counts.prompt_holders = static_cast<double>(program.holder_count(tokens));
    counts.keys_in_flight = context_tile(machine, design, partition);
    return counts;
}

}  // namespace pimdse::models::cim_mesh
