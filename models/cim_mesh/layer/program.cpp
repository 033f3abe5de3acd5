#include "models/cim_mesh/layer/program.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Mesh;
using sim::noc::Node;

/// Middle of a column: where the root of its sum lies.
Node root_of(std::span<Node const> column) { return column[column.size() / 2]; }

/// The router of `tiles` nearest to their middle; the first among equals.
Node hub_of(Mesh mesh, std::span<Node const> tiles) {
    sim::expects(!tiles.empty(), "a hub has tiles");
    std::int64_t rows = 0, cols = 0;
    for (Node const tile : tiles) {
        rows += mesh.row(tile);
        cols += mesh.col(tile);
    }
    auto const count = static_cast<std::int64_t>(tiles.size());
    Node const middle = mesh.at(static_cast<std::int32_t>((rows + count / 2) / count),
                                static_cast<std::int32_t>((cols + count / 2) / count));
    return *std::min_element(tiles.begin(), tiles.end(),
                             [&](Node a, Node b) { return mesh.distance(a, middle) < mesh.distance(b, middle); });
}

}  // namespace

TreeProgram::TreeProgram(LayerKey const& key, Placement const& placement, std::int32_t flits)
    : key_(&key),
      placement_(&placement),
      cache_(2 * key.kv, kv_pool_tiles(key.kv_pool, key.ground.matrices)),
      flits_(flits) {
    qkv_ = group({"q", "k", "v"});
    o_ = group({"o"});
    up_ = group({"gate", "up"});
    down_ = group({"down"});
    if (key.kv_pool == KvPool::layer)
        pool_ = placement.pool;
    else
        pool_ = (key.kv_pool == KvPool::colocated ? group({"k", "v"}) : group({"q", "k", "v", "o"})).tiles;
}

TreeProgram::Group TreeProgram::group(std::initializer_list<std::string_view> names) const {
    Group g;
    std::vector<std::int64_t> used(key_->ground.matrices.size(), 0);
    for (auto const& matrix : placement_->matrices) {
        auto const& tiling = key_->ground.matrices[matrix.tiling];
        if (std::find(names.begin(), names.end(), tiling.name) == names.end() || used[matrix.tiling]++ >= tiling.active)
            continue;
        g.matrices.push_back(&matrix);
        g.tiles.insert(g.tiles.end(), matrix.tiles.begin(), matrix.tiles.end());
    }
    if (!g.tiles.empty()) g.hub = hub_of(placement_->mesh, g.tiles);
    return g;
}

std::vector<Node> TreeProgram::roots(Group const& group, std::string_view name) const {
    std::vector<Node> nodes;
    for (auto const* matrix : group.matrices) {
        auto const& tiling = key_->ground.matrices[matrix->tiling];
        if (tiling.name != name) continue;
        for (std::int64_t col = 0; col < tiling.summed; ++col) nodes.push_back(root_of(matrix->column(col)));
    }
    return nodes;
}

Stage TreeProgram::gather(std::string_view name, std::vector<Node> const& from, Node hub) const {
    Stage stage{name, StageKind::gather, {}};
    for (Node const node : from) stage.phase.messages.emplace_back(sim::noc::Unicast{node, hub, flits_});
    return stage;
}

Stage TreeProgram::broadcast(std::string_view name, Node hub, std::span<Node const> tiles, std::int64_t vectors) const {
    Stage stage{name, StageKind::broadcast, {}};
    stage.phase.messages.emplace_back(sim::noc::Broadcast{sim::noc::Tree::xy(placement_->mesh, hub, tiles), flits_});
    stage.phase.repeats = static_cast<std::int32_t>(vectors);
    return stage;
}

Stage TreeProgram::reduce(std::string_view name, Group const& group) const {
    Stage stage{name, StageKind::reduction, {}};
    for (auto const* matrix : group.matrices) {
        for (std::int64_t col = 0; col < key_->ground.matrices[matrix->tiling].summed; ++col) {
            auto const column = matrix->column(col);
            stage.phase.messages.emplace_back(
                sim::noc::Reduction{sim::noc::Tree::path(placement_->mesh, column, column.size() / 2), flits_});
        }
    }
    return stage;
}

std::int64_t TreeProgram::holder_count(std::int64_t context) const {
    if (!key_->keeps_keys) return static_cast<std::int64_t>(qkv_.tiles.size());
    return std::min<std::int64_t>(cache_.needed(context), static_cast<std::int64_t>(pool_.size()));
}

std::int64_t TreeProgram::append_place(std::int64_t context) const {
    return key_->keeps_keys ? cache_.place(context, 0).router : 0;
}

std::vector<Node> TreeProgram::first_holders(std::int64_t count) const {
    auto const& from = key_->keeps_keys ? pool_ : qkv_.tiles;
    return {from.begin(), from.begin() + count};
}

std::int64_t TreeProgram::keys_per_router(std::int64_t context) const {
    return sim::divide_up(cache_.needed(context) / 2, static_cast<std::int64_t>(pool_.size()));
}

std::vector<Stage> TreeProgram::fixed_stages() const {
    std::vector<Stage> stages;
    stages.push_back(gather("hand over", roots(down_, "down"), qkv_.hub));
    stages.push_back(broadcast("input to q, k, v", qkv_.hub, qkv_.tiles, key_->n));
    stages.push_back(reduce("q, k, v", qkv_));
    stages.push_back(broadcast("attention to o", qkv_.hub, o_.tiles, key_->q));
    stages.push_back(reduce("o", o_));
    stages.push_back(gather("gather o", roots(o_, "o"), up_.hub));
    stages.push_back(broadcast("input to gate, up", up_.hub, up_.tiles, key_->n));
    stages.push_back(reduce("gate, up", up_));
    if (auto both = product(); !both.phase.messages.empty()) stages.push_back(std::move(both));
    stages.push_back(gather("gather up", roots(up_, "up"), down_.hub));
    stages.push_back(broadcast("input to down", down_.hub, down_.tiles, key_->f));
    stages.push_back(reduce("down", down_));
    return stages;
}

Stage TreeProgram::product() const {
    auto const gates = roots(up_, "gate"), ups = roots(up_, "up");
    Stage stage{"gate x up", StageKind::gather, {}};
    for (std::size_t i = 0; i < gates.size(); ++i)
        stage.phase.messages.emplace_back(sim::noc::Unicast{gates[i], ups[i], flits_});
    return stage;
}

Stage TreeProgram::gather_queries() const { return gather("append, gather q", roots(qkv_, "q"), qkv_.hub); }

std::vector<Node> TreeProgram::key_roots() const {
    if (!key_->keeps_keys) return {};
    auto from = roots(qkv_, "k");
    auto const values = roots(qkv_, "v");
    from.insert(from.end(), values.begin(), values.end());
    if (from.size() > static_cast<std::size_t>(cache_.slices())) from.resize(static_cast<std::size_t>(cache_.slices()));
    return from;
}

Stage TreeProgram::append(std::int64_t place) const {
    Stage stage = gather_queries();
    std::int64_t slice = place;
    for (Node const from : key_roots()) {
        Node const to = pool_[static_cast<std::size_t>(slice++ % cache_.routers())];
        stage.phase.messages.emplace_back(sim::noc::Unicast{from, to, flits_});
    }
    return stage;
}

Stage TreeProgram::query(std::int64_t holders) const {
    return broadcast("query to keys", qkv_.hub, first_holders(holders), key_->q);
}

Stage TreeProgram::attention_sum(std::int64_t holders) const {
    Stage sum{"attention sum", StageKind::reduction, {}};
    sum.phase.messages.emplace_back(
        sim::noc::Reduction{sim::noc::Tree::xy(placement_->mesh, qkv_.hub, first_holders(holders)), flits_});
    sum.phase.repeats = static_cast<std::int32_t>(key_->q);
    return sum;
}

std::vector<Stage> TreeProgram::stages(std::int64_t context) const {
    auto stages = fixed_stages();
    stages.push_back(append(append_place(context)));
    stages.push_back(query(holder_count(context)));
    stages.push_back(attention_sum(holder_count(context)));
    return stages;
}

std::int64_t busiest_link(std::span<std::int64_t const> flits) {
    std::int64_t busiest = 0;
    for (std::size_t first = 0; first < flits.size(); first += sim::noc::ports) {
        for (std::size_t port = 0; port < sim::noc::index(sim::noc::Port::local); ++port)
            busiest = std::max(busiest, flits[first + port]);
    }
    return busiest;
}

std::int32_t vector_flits(MachineConstants const& machine, Design const& design) {
    return static_cast<std::int32_t>(
        std::ceil(static_cast<double>(design.crossbar) * machine.value_bits / static_cast<double>(design.link_bits)));
}

}  // namespace pimdse::models::cim_mesh
