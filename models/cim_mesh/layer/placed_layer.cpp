#include "models/cim_mesh/layer/placed_layer.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;

double farthest(Ruler const& ruler, Node from, std::span<Node const> to) {
    double most = 0.0;
    for (Node const node : to) most = std::max(most, ruler.length(from, node));
    return most;
}

/// End of the last column that is summed: where the last vector of a group's product appears.
Node last_sum(Ground const& ground, TreeProgram::Group const& group) {
    auto const& matrix = *group.matrices.back();
    return matrix.column(ground.matrices[matrix.tiling].summed - 1).back();
}

/// The next layer lies behind this one in the serpentine: its first column follows this one's last.
double hand_over(Ruler const& ruler, Node from, Node to_in_next) {
    double const rows = std::abs(ruler.mesh.row(from) - ruler.mesh.row(to_in_next));
    double const cols = ruler.mesh.cols - ruler.mesh.col(from) + ruler.mesh.col(to_in_next);
    auto const tiles = static_cast<double>(ruler.mesh.cols) / static_cast<double>(ruler.tile_cols);
    return rows + cols + ruler.border_hops * (tiles - ruler.tile_of(from) + ruler.tile_of(to_in_next));
}

/// Vectors hide under the chains of the columns that follow; the last of each product has its way before it.
double fill_of(Ruler const& ruler, Ground const& ground, TreeProgram const& program) {
    auto const &qkv = program.qkv(), &o = program.o(), &up = program.up(), &down = program.down();
    Node const up_sum = last_sum(ground, up), o_sum = last_sum(ground, o);
    return hand_over(ruler, last_sum(ground, down), qkv.hub) + farthest(ruler, qkv.hub, qkv.tiles) +
           farthest(ruler, qkv.hub, o.tiles) + ruler.length(o_sum, up.hub) + farthest(ruler, up.hub, up.tiles) +
           ruler.length(up_sum, down.hub) + farthest(ruler, down.hub, down.tiles);
}

double borders_of_chain(Ruler const& ruler, std::span<Node const> path) {
    double crossed = 0.0;
    for (std::size_t i = 1; i < path.size(); ++i) crossed += ruler.borders(path[i - 1], path[i]);
    return crossed;
}

/// Of output columns that are summed together, the one with the most counts.
double chain_borders_of(Ruler const& ruler, Ground const& ground, Placement const& placement, std::int64_t at_once) {
    double all = 0.0;
    std::vector<std::int64_t> used(ground.matrices.size(), 0);
    for (auto const& matrix : placement.matrices) {
        auto const& tiling = ground.matrices[matrix.tiling];
        if (used[matrix.tiling]++ >= tiling.active) continue;
        for (std::int64_t first = 0; first < tiling.summed; first += at_once) {
            double most = 0.0;
            for (std::int64_t col = first; col < std::min(tiling.summed, first + at_once); ++col)
                most = std::max(most, borders_of_chain(ruler, matrix.column(col)));
            all += most;
        }
    }
    return all;
}

/// What enters the router with the most of it; a fork sends its copies at once.
std::int64_t busiest_router(sim::noc::Mesh mesh, std::span<std::int64_t const> links, std::vector<std::int64_t> taken) {
    using sim::noc::Port;
    for (Node node = 0; node < mesh.nodes(); ++node) {
        for (Port const port : {Port::north, Port::east, Port::south, Port::west}) {
            auto const load = links[static_cast<std::size_t>(sim::noc::port_index(node, port))];
            if (load != 0) taken[static_cast<std::size_t>(mesh.neighbour(node, port))] += load;
        }
    }
    return *std::max_element(taken.begin(), taken.end());
}

sim::noc::RouterTiming unhindered(MachineConstants const& machine) {
    sim::noc::RouterTiming timing;
    timing.adder = static_cast<std::int32_t>(machine.adder_service);
    return timing;
}

}  // namespace

PlacedLayer::PlacedLayer(MachineConstants const& machine, LayerKey key)
    : machine_(machine),
      key_(std::move(key)),
      placement_(place(key_.ground, key_.genes)),
      ruler_{placement_.mesh, key_.ground.mesh_cols, machine.border_hops} {
    if (placement_.matrices.empty()) return;
    program_.emplace(key_, placement_, 1);
    count_fixed();
    fill_ = fill_of(ruler_, key_.ground, *program_);
    measure_cache();
}

/// The stages of TreeProgram::fixed_stages, in their order.
void PlacedLayer::count_fixed() {
    auto const nodes = static_cast<std::size_t>(placement_.mesh.nodes());
    counts_ = {std::vector<std::int64_t>(nodes * sim::noc::ports, 0), std::vector<std::int64_t>(nodes, 0)};
    auto const timing = unhindered(machine_);
    auto const& program = *program_;
    StageCounter counter(ruler_, timing, &counts_);
    auto const &qkv = program.qkv(), &o = program.o(), &up = program.up(), &down = program.down();
    auto const product = [&](TreeProgram::Group const& to, sim::noc::Node hub, std::int64_t vectors) {
        fixed_.push_back(counter.broadcast(hub, to.tiles, vectors));
        fixed_.push_back(counter.reduction(key_.ground, to));
    };
    fixed_.push_back(counter.gather(program.roots(down, "down"), qkv.hub));
    product(qkv, qkv.hub, key_.n);
    product(o, qkv.hub, key_.q);
    fixed_.push_back(counter.gather(program.roots(o, "o"), up.hub));
    product(up, up.hub, key_.n);
    if (auto const both = program.product(); !both.phase.messages.empty()) fixed_.push_back(counter.unicasts(both));
    fixed_.push_back(counter.gather(program.roots(up, "up"), down.hub));
    product(down, down.hub, key_.f);
}

PlacedLayer::Place PlacedLayer::place_of(Node node) const {
    auto const row = ruler_.mesh.row(node), col = node - row * ruler_.mesh.cols;
    return {row, col, col / static_cast<std::int32_t>(ruler_.tile_cols)};
}

Reach PlacedLayer::Place::to(Place const& other) const {
    return {std::abs(row - other.row) + std::abs(col - other.col), std::abs(tile - other.tile)};
}

void PlacedLayer::measure_cache() {
    Place const hub = place_of(program_->qkv().hub);
    double sum = 0.0;
    key_ways_ = {0.0};
    query_reach_ = {Reach{}};
    for (Node const node : program_->holders()) {
        cache_places_.push_back(place_of(node));
        auto const way = hub.to(cache_places_.back());
        sum += way.hops + ruler_.border_hops * way.borders;
        key_ways_.push_back(sum / static_cast<double>(key_ways_.size()));
        query_reach_.push_back(query_reach_.back());
        query_reach_.back().add(way.hops, way.borders);
    }
    for (Node const node : program_->key_roots()) key_roots_.push_back(place_of(node));
}

StageShape const& PlacedLayer::query_gather() const {
    return query_gather_.get(
        {},
        [](NoKey const&, PlacedLayer const& layer) {
            return shape_of(layer.ruler_, unhindered(layer.machine_), layer.program_->gather_queries());
        },
        *this);
}

Reach PlacedLayer::append_reach(std::int64_t context) const {
    Reach farthest;
    auto to = static_cast<std::size_t>(program_->append_place(context));
    for (auto const& from : key_roots_) {
        auto const way = from.to(cache_places_[to]);
        farthest.add(way.hops, way.borders);
        if (++to == cache_places_.size()) to = 0;
    }
    return farthest;
}

StageShape const& PlacedLayer::append(std::int64_t context) const {
    return appends_.get(
        {program_->append_place(context)},
        [](AppendKey const& key, PlacedLayer const& layer) {
            return shape_of(layer.ruler_, unhindered(layer.machine_), layer.program_->append(key.place));
        },
        *this);
}

HolderShapes PlacedLayer::count_holders(std::int64_t count, VectorCounts* counts) const {
    auto const timing = unhindered(machine_);
    StageCounter counter(ruler_, timing, counts);
    auto const holders = program_->holders().first(static_cast<std::size_t>(count));
    auto query = counter.broadcast(program_->qkv().hub, holders, key_.q);
    return {std::move(query), counter.sum(program_->qkv().hub, holders, key_.q)};
}

HolderShapes const& PlacedLayer::holders(std::int64_t context) const {
    return holders_.get(
        {program_->holder_count(context)},
        [](HoldersKey const& key, PlacedLayer const& layer) { return layer.count_holders(key.count, nullptr); }, *this);
}

VectorLoads PlacedLayer::loads(std::int64_t context) const {
    return loads_.get(
        {program_->append_place(context), program_->holder_count(context)},
        [](CacheKey const& key, PlacedLayer const& layer) {
            auto counts = layer.counts_;
            auto const timing = unhindered(layer.machine_);
            (void)layer.count_holders(key.holders, &counts);
            StageCounter(layer.ruler_, timing, &counts).count(layer.program_->append(key.place));
            auto const mesh = layer.program_->mesh();
            return VectorLoads{busiest_link(counts.links), busiest_router(mesh, counts.links, std::move(counts.own))};
        },
        *this);
}

double PlacedLayer::chain_borders(std::int64_t at_once) const {
    return chain_borders_.get(
        {at_once},
        [](SumsKey const& key, PlacedLayer const& layer) {
            return chain_borders_of(layer.ruler_, layer.key_.ground, layer.placement_, key.at_once);
        },
        *this);
}

double PlacedLayer::byte_hops(Schedule schedule) const {
    return byte_hops_.get(
        {schedule},
        [](FlowKey const& key, PlacedLayer const& layer) {
            Flow const flow(layer.machine_, layer.key_, key.schedule);
            LaidLayer laid;
            sim::expects(flow.lay_out(layer.key_.genes, laid), "a layer that fits is laid out");
            return flow.byte_hops(laid, layer.key_.genes.directions);
        },
        *this);
}

std::shared_ptr<PlacedLayer const> PlacedLayers::get(MachineConstants const& machine, LayerKey const& key) const {
    return layers_.get(
        key, [](LayerKey const& k, MachineConstants const& m) { return std::make_shared<PlacedLayer const>(m, k); },
        machine);
}

}  // namespace pimdse::models::cim_mesh
