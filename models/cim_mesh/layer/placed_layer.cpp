#include "models/cim_mesh/layer/placed_layer.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"

#include <cmath>
#include <cstdlib>

namespace pimdse::models::cim_mesh {
namespace {

double farthest(Ruler const& ruler, Router from, Area const& to) {
    double max = 0.0;
    // A route grows with rows, columns and borders, so that one of the corners is the farthest router.
    for (auto const& part : to.rectangles()) {
        for (auto const row : {part.top, part.bottom()}) {
            for (auto const col : {part.left, part.right()}) max = std::max(max, ruler.length(from, {row, col}));
        }
    }
    return max;
}

/// End of the last column that is summed: the router of the last vector of the product of a group.
Router last_sum(TreeProgram const& program, TreeProgram::Group const& group) {
    OutputColumn const* last = nullptr;
    program.each_sum(group, [&](OutputColumn const& column) { last = &column; });
    sim::expects(last != nullptr, "a group has sums");
    return last->end();
}

/// Length of the route to the next layer, whose first mesh column follows the last one of this layer.
double hand_over(Ruler const& ruler, Router from, Router to_in_next) {
    double const rows = std::abs(from.row - to_in_next.row);
    double const cols = ruler.mesh.cols - from.col + to_in_next.col;
    auto const tiles = static_cast<double>(ruler.mesh.cols) / static_cast<double>(ruler.tile_cols);
    return rows + cols + ruler.border_hops * (tiles - ruler.tile(from.col) + ruler.tile(to_in_next.col));
}

/// Lengths of the routes that no chain hides. The chains of later columns hide the routes of earlier vectors, but not
/// that of the last vector of each product.
std::array<double, 7> fill_of(Ruler const& ruler, TreeProgram const& program) {
    auto const &qkv = program.qkv(), &o = program.o(), &up = program.up(), &down = program.down();
    Router const up_sum = last_sum(program, up), o_sum = last_sum(program, o);
    return {hand_over(ruler, last_sum(program, down), qkv.hub),
            farthest(ruler, qkv.hub, qkv.area),
            farthest(ruler, qkv.hub, o.area),
            ruler.length(o_sum, up.hub),
            farthest(ruler, up.hub, up.area),
            ruler.length(up_sum, down.hub),
            farthest(ruler, down.hub, down.area)};
}

/// Counts links between routers alone.
Ruler without_borders(Ruler ruler) {
    ruler.border_hops = 0.0;
    return ruler;
}

/// Borders that the sum of a column crosses. A path runs in one direction along the mesh.
double borders_of_chain(Ruler const& ruler, OutputColumn const& path) {
    return ruler.crossed(path.start().col, path.end().col);
}

/// Borders of the chains of a token: of output columns that are summed together, the largest number counts.
double chain_borders_of(Ruler const& ruler, Ground const& ground, Placement const& placement, std::int64_t at_once) {
    double all = 0.0;
    std::vector<std::int64_t> used(ground.matrices.size(), 0);
    for (auto const& matrix : placement.matrices) {
        auto const& tiling = ground.matrices[matrix.tiling];
        if (used[matrix.tiling]++ >= tiling.active) continue;
        for (std::int64_t first = 0; first < tiling.summed; first += at_once) {
            double max = 0.0;
            for (std::int64_t col = first; col < std::min(tiling.summed, first + at_once); ++col)
                max = std::max(max, borders_of_chain(ruler, placement.column(matrix, col)));
            all += max;
        }
    }
    return all;
}

/// Borders that a tree from `hub` to an area crosses: its trunk runs along the row of the hub, once over each of them.
double borders_of_tree(Ruler const& ruler, Router hub, Area const& to) {
    std::int32_t first = ruler.tile(hub.col), last = first;
    for (auto const& part : to.rectangles()) {
        first = std::min(first, ruler.tile(part.left));
        last = std::max(last, ruler.tile(part.right()));
    }
    return last - first;
}

/// The sum 0 + 1 + .. + `last`.
std::int64_t up_to(std::int64_t last) { return last * (last + 1) / 2; }

/// Sum of the distances from a position to all positions from `first` to `last`.
std::int64_t all_away(std::int64_t from, std::int64_t first, std::int64_t last) {
    std::int64_t const before =
        up_to(std::max<std::int64_t>(0, from - first)) - up_to(std::max<std::int64_t>(0, from - last - 1));
    std::int64_t const after =
        up_to(std::max<std::int64_t>(0, last - from)) - up_to(std::max<std::int64_t>(0, first - from - 1));
    return before + after;
}

/// Sum of the tile numbers of all columns before `col`.
std::int64_t tiles_before(std::int64_t tile_cols, std::int64_t col) {
    std::int64_t const whole = col / tile_cols;
    return tile_cols * up_to(whole - 1) + whole * (col - whole * tile_cols);
}

/// Sum of the numbers of borders between a column and all columns from `first` to `last`.
std::int64_t all_crossed(Ruler const& ruler, std::int32_t from, std::int64_t first, std::int64_t last) {
    std::int64_t const own = ruler.tile(from), begin = own * ruler.tile_cols;
    // Columns of lower tiles, then those of the own and of higher tiles.
    std::int64_t const middle = std::clamp(begin, first, last + 1);
    auto const tiles = [&](std::int64_t col) { return tiles_before(ruler.tile_cols, col); };
    return own * (middle - first) - (tiles(middle) - tiles(first)) + (tiles(last + 1) - tiles(middle)) -
           own * (last + 1 - middle);
}

}  // namespace

sim::noc::RouterTiming one_flit_timing(MachineConstants const& machine) {
    sim::noc::RouterTiming timing;
    timing.adder = static_cast<std::int32_t>(machine.adder_service);
    return timing;
}

PlacedLayer::PlacedLayer(MachineConstants const& machine, LayerKey key)
    : machine_(machine),
      key_(std::move(key)),
      placement_(place(key_.ground, key_.genes)),
      ruler_{placement_.mesh, key_.ground.mesh_cols, key_.border_hops} {
    if (placement_.matrices.empty()) return;
    program_.emplace(key_, placement_, 1);
    for (auto const from : program_->roots(program_->qkv(), "q")) queries_.push_back({from, program_->qkv().hub});
    key_roots_ = program_->key_roots();
    count_fixed();
    fill_legs_ = fill_of(ruler_, *program_);
    for (double const leg : fill_legs_) fill_ += leg;
    for (double const leg : fill_of(without_borders(ruler_), *program_)) fill_links_ += leg;
}

/// Counts the stages of TreeProgram::fixed_stages, in their order.
void PlacedLayer::count_fixed() {
    auto const timing = one_flit_timing(machine_);
    auto const& program = *program_;
    StageCounter const counter(ruler_, timing);
    auto const &qkv = program.qkv(), &o = program.o(), &up = program.up(), &down = program.down();
    auto const unicasts = [&](std::vector<Route> const& routes) {
        fixed_.push_back(counter.unicasts(routes));
        for (auto const& [from, to] : routes) crossings_ += ruler_.crossed(from.col, to.col);
        routes_.insert(routes_.end(), routes.begin(), routes.end());
    };
    auto const gather = [&](std::vector<Router> const& from, Router hub) {
        std::vector<Route> routes;
        for (auto const router : from) routes.push_back({router, hub});
        unicasts(routes);
    };
    auto const product = [&](TreeProgram::Group const& to, Router hub, std::int64_t vectors) {
        trees_.emplace_back(TreeSpans(hub, to.area), static_cast<std::int32_t>(vectors));
        crossings_ += static_cast<double>(vectors) * borders_of_tree(ruler_, hub, to.area);
        fixed_.push_back(counter.broadcast(trees_.back().first, vectors));
        fixed_.push_back(counter.reduction(program, to));
        program.each_sum(to, [&](OutputColumn const& column) { sums_.push_back(&column); });
    };
    auto const outputs = program.roots(down, "down");
    gather(outputs, qkv.hub);
    // The next layer is on the next tiles.
    crossings_ += static_cast<double>(outputs.size()) * static_cast<double>(key_.ground.placed_tiles);
    product(qkv, qkv.hub, key_.n);
    product(o, qkv.hub, key_.q);
    gather(program.roots(o, "o"), up.hub);
    product(up, up.hub, key_.n);
    auto const gates = program.roots(up, "gate"), ups = program.roots(up, "up");
    std::vector<Route> both;
    for (std::size_t i = 0; i < gates.size(); ++i) both.push_back({gates[i], ups[i]});
    if (!both.empty()) unicasts(both);
    gather(ups, down.hub);
    product(down, down.hub, key_.f);
    for (auto const& query : queries_) crossings_ += ruler_.crossed(query.from.col, query.to.col);
    crossings_ += chain_borders_of(ruler_, key_.ground, placement_, 1);
}

HolderRoutes PlacedLayer::measure_holders(std::int64_t count) const {
    Router const hub = program_->qkv().hub;
    std::int64_t hops = 0, borders = 0;
    HolderRoutes routes;
    auto const owners = program_->owners().first(count);
    for (auto const& part : owners.rectangles()) {
        hops += part.width * all_away(hub.row, part.top, part.bottom()) +
                part.height * all_away(hub.col, part.left, part.right());
        borders += part.height * all_crossed(ruler_, hub.col, part.left, part.right());
    }
    if (count == 0) return routes;
    routes.mean =
        (static_cast<double>(hops) + ruler_.border_hops * static_cast<double>(borders)) / static_cast<double>(count);
    routes.links = static_cast<double>(hops) / static_cast<double>(count);
    routes.borders = static_cast<double>(borders) / static_cast<double>(count);
    routes.tree_borders = borders_of_tree(ruler_, hub, owners);
    return routes;
}

HolderRoutes const& PlacedLayer::holder_routes(std::int64_t owners) const {
    return holder_routes_.get(
        owners, [](std::int64_t count, PlacedLayer const& layer) { return layer.measure_holders(count); }, *this);
}

StageShape const& PlacedLayer::query_gather() const {
    return query_gather_.get(
        {},
        [](std::monostate, PlacedLayer const& layer) {
            return StageCounter(layer.ruler_, one_flit_timing(layer.machine_)).unicasts(layer.queries_);
        },
        *this);
}

Reach PlacedLayer::measure_keys(std::int64_t count) const {
    Reach farthest;
    auto const places = program_->owners().first(count);
    for (auto const from : key_roots_) {
        for (auto const& part : places.rectangles())
            farthest.add(max_hops(from, part),
                         std::max(ruler_.crossed(from.col, part.left), ruler_.crossed(from.col, part.right())));
    }
    return farthest;
}

Reach PlacedLayer::key_reach(std::int64_t context) const {
    return key_reach_.get(
        program_->holder_count(context),
        [](std::int64_t count, PlacedLayer const& layer) { return layer.measure_keys(count); }, *this);
}

std::vector<Route> PlacedLayer::append_routes(std::int64_t place) const {
    auto routes = queries_;
    auto const to = program_->key_places(place, key_roots_.size());
    for (std::size_t i = 0; i < to.size(); ++i) routes.push_back({key_roots_[i], to[i]});
    return routes;
}

HolderShapes PlacedLayer::count_holders(std::int64_t count) const {
    auto const timing = one_flit_timing(machine_);
    StageCounter const counter(ruler_, timing);
    TreeSpans const tree(program_->qkv().hub, program_->owners().first(count));
    return {counter.broadcast(tree, key_.q), counter.sum(tree, key_.q)};
}

HolderShapes const& PlacedLayer::owners(std::int64_t context) const {
    return holders_.get(
        program_->holder_count(context),
        [](std::int64_t count, PlacedLayer const& layer) { return layer.count_holders(count); }, *this);
}

VectorLoads PlacedLayer::count_loads(std::vector<Route> const& append, std::int64_t count) const {
    TokenLoads loads(placement_.mesh);
    for (auto const& [tree, vectors] : trees_) loads.add_broadcast(tree, vectors);
    for (auto const* routes : {&routes_, &append})
        for (auto const& route : *routes) loads.add(route);
    for (auto const* column : sums_) loads.add(*column);
    auto const owners = program_->owners().first(count);
    TreeSpans const tree(program_->qkv().hub, owners);
    auto const vectors = static_cast<std::int32_t>(key_.q);
    loads.add_broadcast(tree, vectors);
    loads.add_sum(tree, owners, vectors);
    return std::move(loads).busiest();
}

VectorLoads PlacedLayer::loads(std::int64_t context) const {
    return loads_.get(
        {program_->append_place(context), program_->holder_count(context)},
        [](auto const& place_and_owners, PlacedLayer const& layer) {
            return layer.count_loads(layer.append_routes(place_and_owners.first), place_and_owners.second);
        },
        *this);
}

VectorLoads PlacedLayer::prompt_loads(std::int64_t tokens) const {
    return prompt_loads_.get(
        program_->holder_count(tokens),
        [](std::int64_t count, PlacedLayer const& layer) { return layer.count_loads(layer.queries_, count); }, *this);
}

double PlacedLayer::chain_borders(std::int64_t at_once) const {
    return chain_borders_.get(
        at_once,
        [](std::int64_t columns, PlacedLayer const& layer) {
            return chain_borders_of(layer.ruler_, layer.key_.ground, layer.placement_, columns);
        },
        *this);
}

double PlacedLayer::byte_hops(Schedule schedule) const {
    return byte_hops_.get(
        schedule,
        [](Schedule of, PlacedLayer const& layer) {
            Flow const flow(layer.machine_, layer.key_, of);
            LaidLayer laid;
            sim::expects(flow.lay_out(layer.key_.genes, laid), "a layer that fits can be placed");
            return flow.byte_hops(laid, layer.key_.genes.directions);
        },
        *this);
}

std::shared_ptr<PlacedLayer const> PlacedLayers::get(MachineConstants const& machine, LayerKey const& key) const {
    return LruCache::get(
        key, [](LayerKey const& k, MachineConstants const& m) { return std::make_shared<PlacedLayer const>(m, k); },
        machine);
}

}  // namespace pimdse::models::cim_mesh
