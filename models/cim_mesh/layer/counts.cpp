#include "models/cim_mesh/layer/counts.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// Hops from the last layer to the first. Tiles are placed in an even number of rows, if there are several, so that the
/// last tile is below the first.
double walk_back(MachineConstants const& machine, Design const& design, Partition const& partition) {
    auto const tiles = static_cast<double>(partition.all_layer_tiles);
    double const square =
        std::sqrt(tiles * static_cast<double>(design.mesh_cols) / static_cast<double>(design.mesh_rows));
    double const rows = std::min(tiles, 2.0 * std::max(1.0, std::round(square / 2.0)));
    return (rows - 1.0) * (static_cast<double>(design.mesh_rows) + border_hops(machine, design));
}

/// The counts that do not depend on the placement.
MeshCounts placement_independent(MachineConstants const& machine, Design const& design, Partition const& partition) {
    MeshCounts counts;
    counts.fill_legs = 7;
    counts.walk_back = walk_back(machine, design, partition);
    counts.mesh_rows = design.mesh_rows;
    return counts;
}

/// Number of routers at k hops from a router in the middle row: two in every row nearer than k, one at the end of a
/// column.
std::int64_t ring(std::int64_t above, std::int64_t below, std::int64_t k) {
    std::int64_t const ends = (above >= k ? 1 : 0) + (below >= k ? 1 : 0);
    return 2 * (1 + std::min(above, k - 1) + std::min(below, k - 1)) + ends;
}

namespace closed_form = sim::noc::closed_form;

/// Cycles of a unicast of one flit.
double alone(sim::noc::RouterTiming const& timing, std::int64_t hops) {
    return static_cast<double>(closed_form::unicast(timing, static_cast<int>(hops), 1));
}

}  // namespace

HolderRoutes MeshCounts::holder_routes(std::int64_t owners) const {
    if (layer != nullptr) return layer->holder_routes(owners);
    if (owners == 0) return {};
    double const mean =
        static_cast<double>(nearest_nodes_bound(mesh_rows, owners).together) / static_cast<double>(owners);
    return {mean, mean};
}

MeshCounts count_mesh(MachineConstants const& machine, Design const& design, Partition const& partition,
                      PlacedLayer const& layer) {
    auto const flits = static_cast<double>(vector_flits(machine, design));
    auto const prompt = layer.prompt_loads(layer.program().filling_context()),
               middle = layer.loads(middle_keys(design));
    auto counts = placement_independent(machine, design, partition);
    counts.chain_borders = border_hops(machine, design) * layer.chain_borders(design.parallel_columns);
    counts.fill = layer.fill();
    counts.fill_links = layer.fill_links();
    counts.crossings = layer.crossings();
    counts.busiest_router = static_cast<double>(prompt.busiest_router);
    counts.prompt_link = flits * static_cast<double>(prompt.busiest_link);
    counts.busiest_link = flits * static_cast<double>(middle.busiest_link);
    counts.layer = &layer;
    counts.max_owners = layer.max_owners();
    return counts;
}

MeshCounts min_counts(MachineConstants const& machine, Design const& design, Partition const& partition,
                      LayerLowerBound const& layer) {
    auto const flits = static_cast<double>(vector_flits(machine, design));
    std::int64_t const full = layer.filling_context();
    auto counts = placement_independent(machine, design, partition);
    counts.fill = layer.fill();
    counts.fill_links = layer.fill_links();
    counts.busiest_router = static_cast<double>(layer.busiest_router(full));
    counts.prompt_link = flits * static_cast<double>(layer.busiest_link(full));
    counts.busiest_link = flits * static_cast<double>(layer.busiest_link(middle_keys(design)));
    counts.max_owners = layer.max_owners();
    return counts;
}

/// The sum of all distances is the sum over k of the number of routers farther away than k. Beyond the first and the
/// last row, all rings have the same size.
NearestNodesBound nearest_nodes_bound(std::int64_t rows, std::int64_t routers) {
    std::int64_t const above = (rows - 1) / 2, below = rows / 2;
    NearestNodesBound bound;
    std::int64_t beyond = routers - 1;
    while (beyond > 0 && bound.farthest < below) {
        bound.together += beyond;
        beyond -= ring(above, below, ++bound.farthest);
    }
    if (beyond <= 0) return bound;
    std::int64_t const each = 2 * rows, rings = sim::divide_up(beyond, each);
    bound.farthest += rings;
    bound.together += rings * beyond - each * (rings * (rings - 1) / 2);
    return bound;
}

LayerLowerBound::Matrix& LayerLowerBound::Matrix::operator+=(Matrix const& other) {
    tiles += other.tiles;
    roots += other.roots;
    rows = std::max(rows, other.rows);
    return *this;
}

LayerLowerBound::LayerLowerBound(MachineConstants const& machine, LayerKey const& key)
    : key_(&key),
      border_hops_(key.border_hops),
      timing_(one_flit_timing(machine)),
      cache_(2 * key.kv, kv_pool_tiles(key.kv_pool, key.ground.matrices)),
      q_(named("q")),
      k_(named("k")),
      v_(named("v")),
      o_(named("o")),
      gate_(named("gate")),
      up_(named("up")),
      down_(named("down")) {
    for (auto const* matrix : {&q_, &k_, &v_}) qkv_ += *matrix;
    for (auto const* matrix : {&gate_, &up_}) wide_ += *matrix;
    for (auto const& tiling : key.ground.matrices) stored_ += tiling.stored * tiling.tiles();
    pool_ = cache_.routers();
    add_fixed();
}

LayerLowerBound::Matrix LayerLowerBound::named(std::string_view name) const {
    Matrix all;
    for (auto const& t : key_->ground.matrices) {
        if (t.name == name) all += {t.tiles() * t.active, t.summed * t.active, t.summed > 0 ? t.rows : 0};
    }
    return all;
}

void LayerLowerBound::add_fixed() {
    fixed_.push_back(gather(down_.roots, false));
    fixed_.push_back(broadcast(qkv_.tiles, key_->n));
    fixed_.push_back(reduction(qkv_));
    fixed_.push_back(broadcast(o_.tiles + 1, key_->q));
    fixed_.push_back(reduction(o_));
    fixed_.push_back(gather(o_.roots, false));
    fixed_.push_back(broadcast(wide_.tiles, key_->n));
    fixed_.push_back(reduction(wide_));
    if (gate_.roots > 0) {
        double const next = alone(timing_, 1);
        fixed_.push_back({StageKind::gather, false, 1.0, next, 0.0, 0, {{1.0, next}}, {{1.0, next}}});
    }
    fixed_.push_back(gather(up_.roots, false));
    fixed_.push_back(broadcast(down_.tiles, key_->f));
    fixed_.push_back(reduction(down_));
    append_ = gather(q_.roots, true);
}

std::int64_t LayerLowerBound::farthest(std::int64_t routers) const {
    return nearest_nodes_bound(key_->ground.mesh_rows, std::max<std::int64_t>(1, routers)).farthest;
}

/// All messages end at the hub; if the hub is not a sender, the nearest sender is at least one hop away.
StageShape LayerLowerBound::gather(std::int64_t senders, bool from_the_hub) const {
    StageShape shape{StageKind::gather, senders == 0};
    if (shape.empty) return shape;
    shape.slowest = alone(timing_, farthest(from_the_hub ? senders : senders + 1));
    shape.ports = shape.sure = {{static_cast<double>(senders), alone(timing_, from_the_hub ? 0 : 1)}};
    return shape;
}

StageShape LayerLowerBound::broadcast(std::int64_t routers, std::int64_t vectors) const {
    StageShape shape{StageKind::broadcast, false, static_cast<double>(vectors)};
    auto const depth = farthest(routers);
    shape.slowest = static_cast<double>(closed_form::broadcast(timing_, static_cast<int>(depth), 1));
    shape.loop = depth > 0 ? closed_form::credit_round_trip(timing_) : 0;
    return shape;
}

/// The sum of a column arrives in its middle, for every placement.
StageShape LayerLowerBound::reduction(Matrix const& group) const {
    StageShape shape{StageKind::reduction, group.roots == 0};
    if (shape.empty) return shape;
    auto const depth = group.rows / 2;
    shape.slowest = static_cast<double>(closed_form::reduction(timing_, static_cast<int>(depth), 1));
    shape.loop = depth > 0 ? closed_form::credit_round_trip(timing_) + timing_.adder : 0;
    return shape;
}

StageShape LayerLowerBound::query(std::int64_t context) const { return broadcast(owners(context), key_->q); }

/// Lower bound of the sum: the distance of the query, without additions on the route.
StageShape LayerLowerBound::sum(std::int64_t context) const {
    auto shape = query(context);
    shape.kind = StageKind::reduction;
    return shape;
}

std::int64_t LayerLowerBound::owners(std::int64_t context) const { return std::min(cache_.needed(context), pool_); }

std::int64_t LayerLowerBound::filling_context() const { return sim::divide_up(pool_, cache_.slices()); }

std::int64_t LayerLowerBound::keys_per_router(std::int64_t context) const {
    return sim::divide_up(cache_.needed(context) / 2, pool_);
}

/// The route to the next layer has at least one column and one border. A hub is a crossbar of its group, and the hub of
/// q, k, v is not a crossbar of o.
double LayerLowerBound::fill_links() const {
    std::int64_t const over = 1, to_up = 1, to_down = 1;
    return static_cast<double>(over + farthest(qkv_.tiles) + farthest(o_.tiles + 1) + to_up + farthest(wide_.tiles) +
                               to_down + farthest(down_.tiles));
}

/// The busiest hub: vectors that are gathered there and that start there. Query and sum reach it if all routers of the
/// layer hold keys.
std::int64_t LayerLowerBound::busiest_router(std::int64_t context) const {
    bool const everywhere = owners(context) == stored_;
    std::int64_t const query_and_sum = everywhere ? 2 * key_->q : 0;
    std::int64_t const attention = down_.roots + q_.roots + key_->n + 2 * key_->q + (owners(context) > 0 ? key_->q : 0);
    return std::max({attention, o_.roots + key_->n + query_and_sum, up_.roots + key_->f + query_and_sum});
}

/// Lower bound of the vectors on the busiest link into a hub that gathers from `senders` other routers.
std::int64_t LayerLowerBound::into_hub(std::int64_t senders) const {
    std::int64_t const links = key_->ground.mesh_rows > 1 ? 4 : 2;
    return sim::divide_up(std::max<std::int64_t>(0, senders), links);
}

std::int64_t LayerLowerBound::busiest_link(std::int64_t context) const {
    std::int64_t max =
        std::max({into_hub(down_.roots), into_hub(o_.roots), into_hub(up_.roots), into_hub(q_.roots - 1)});
    auto const leave = [&](std::int64_t routers, std::int64_t vectors) {
        if (routers > 1) max = std::max(max, vectors);
    };
    leave(qkv_.tiles, key_->n);
    leave(o_.tiles + 1, key_->q);
    leave(wide_.tiles, key_->n);
    leave(down_.tiles, key_->f);
    leave(owners(context), key_->q);
    return max;
}

/// Every vector passes a link at most once; a column is summed once.
std::int64_t LayerLowerBound::max_on_a_link() const {
    std::int64_t const keys = std::min(k_.roots + v_.roots, cache_.slices());
    std::int64_t const gathered = down_.roots + o_.roots + gate_.roots + up_.roots + q_.roots + keys;
    std::int64_t const sent = 2 * key_->n + key_->f + 3 * key_->q, summed = 1;
    return gathered + sent + summed;
}

std::int64_t LayerLowerBound::min_columns() const { return sim::divide_up(stored_, key_->ground.mesh_rows); }
std::int64_t LayerLowerBound::max_columns() const { return key_->ground.mesh_cols * key_->ground.placed_tiles; }

}  // namespace pimdse::models::cim_mesh
