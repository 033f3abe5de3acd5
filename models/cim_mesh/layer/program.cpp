#include "models/cim_mesh/layer/program.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/hubs.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;

bool is_among(std::initializer_list<std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The first router of a column at this distance from `middle`.
Router first_at(OutputColumn const& column, Router middle, std::int32_t hops) {
    std::int32_t row = 0;
    while (hops_between(middle, column.at(row)) != hops) ++row;
    return column.at(row);
}

/// Scores of a position are computed where queries and keys meet. serial: a router holds a slice of queries, which all
/// keys of the context pass. tree, leap-d: a router holds keys, at most in all its slots, which the queries of all
/// their heads reach. Other machines have room for either schedule, so that it does not depend on the choice.
std::int64_t score_slots_of(Design const& design, Partition const& p, std::int64_t routers) {
    if (!design.keeps_scores()) return 0;
    std::int64_t const context = max_keys(design, design.longest_context());
    std::int64_t const at_queries = p.heads_per_slice * context;
    std::int64_t const at_keys = p.heads_per_slice * sim::divide_up(p.q, p.kv) *
                                 sim::divide_up(2 * p.kv * context, std::max<std::int64_t>(1, routers));
    bool const in_region = design.machine == Machine::leap_d;
    return sim::divide_up(in_region ? at_keys : std::max(at_keys, at_queries), design.crossbar);
}

}  // namespace

TreeProgram::TreeProgram(LayerKey const& key, Placement const& placement, std::int32_t flits)
    : key_(&key),
      placement_(&placement),
      cache_(2 * key.kv, kv_pool_tiles(key.kv_pool, key.ground.matrices)),
      flits_(flits) {
    form_groups();
    if (key.kv_pool == KvPool::layer)
        pool_ = Holders(placement);
    else
        pool_ =
            Holders(placement, key.kv_pool == KvPool::colocated ? active({"k", "v"}) : active({"q", "k", "v", "o"}));
    move_hubs();
}

std::vector<PlacedMatrix const*> TreeProgram::active(std::initializer_list<std::string_view> names) const {
    std::vector<PlacedMatrix const*> matrices;
    std::vector<std::int64_t> used(key_->ground.matrices.size(), 0);
    for (auto const& matrix : placement_->matrices) {
        auto const& tiling = key_->ground.matrices[matrix.tiling];
        if (is_among(names, tiling.name) && used[matrix.tiling]++ < tiling.active) matrices.push_back(&matrix);
    }
    return matrices;
}

void TreeProgram::form_groups() {
    std::vector<Group*> group_of(placement_->matrices.size(), nullptr);
    auto const form = [&](Group& group, std::initializer_list<std::string_view> names) {
        group.matrices = active(names);
        for (auto const* matrix : group.matrices)
            group_of[static_cast<std::size_t>(matrix - placement_->matrices.data())] = &group;
    };
    form(qkv_, {"q", "k", "v"});
    form(o_, {"o"});
    form(up_, {"gate", "up"});
    form(down_, {"down"});
    for (auto const& column : placement_->columns) {
        if (auto* group = group_of[column.matrix]; group != nullptr) group->area.add(column.path);
    }
    for (auto* group : {&qkv_, &o_, &up_, &down_}) {
        if (!group->area.empty()) group->hub = hub_of(*group);
    }
}

/// The router of a group nearest to its centroid; the first of equally near ones.
Router TreeProgram::hub_of(Group const& group) const {
    auto const sum = group.area.sum();
    std::int64_t const count = group.area.routers();
    Router const middle{static_cast<std::int32_t>((sum.rows + count / 2) / count),
                        static_cast<std::int32_t>((sum.cols + count / 2) / count)};
    std::int32_t const min = group.area.distance(middle);
    if (min == 0) return middle;
    for (auto const* matrix : group.matrices) {
        for (std::int64_t col = 0; col < matrix->cols; ++col) {
            auto const& column = placement_->column(*matrix, col);
            if (min_hops(middle, column.path) == min) return first_at(column, middle, min);
        }
    }
    sim::ensures(false, "one of the crossbars is the nearest");
    return middle;
}

/// Hubs that are not nearest to the centroid. The routers that a hub serves are those of its group; the hub of q, k, v
/// serves those that hold keys. Its routes are those of the stages that start or end there.
void TreeProgram::move_hubs() {
    auto const longest = [&](Group& group, std::vector<FarthestOf> const& sets) {
        group.hub = center_of(group.area, sets);
    };
    if (!qkv_.area.empty() && key_->attention_hub != Hubs::centroid) {
        auto const keys = pool_.first(pool_.size());
        if (key_->attention_hub == Hubs::median) {
            qkv_.hub = median_of(qkv_.area, keys);
        } else {
            FarthestOf const of_keys(keys);  // of the query, and of the sum
            longest(qkv_, {FarthestOf(roots(down_, "down")), FarthestOf(qkv_.area), FarthestOf(o_.area),
                           FarthestOf(roots(qkv_, "q")), of_keys, of_keys});
        }
    }
    if (key_->ffn_hubs == Hubs::centroid) return;
    auto const move = [&](Group& group, std::vector<Router> const& gathered) {
        if (group.area.empty()) return;
        if (key_->ffn_hubs == Hubs::median)
            group.hub = median_of(group.area, group.area);
        else
            longest(group, {FarthestOf(gathered), FarthestOf(group.area)});
    };
    move(up_, roots(o_, "o"));
    move(down_, roots(up_, "up"));
}

std::vector<Router> TreeProgram::roots(Group const& group, std::string_view name) const {
    std::vector<Router> routers;
    for (auto const* matrix : group.matrices) {
        auto const& tiling = key_->ground.matrices[matrix->tiling];
        if (tiling.name != name) continue;
        for (std::int64_t col = 0; col < tiling.summed; ++col)
            routers.push_back(placement_->column(*matrix, col).middle());
    }
    return routers;
}

Stage TreeProgram::gather(std::string_view name, std::vector<Router> const& from, Router hub) const {
    Stage stage{name, StageKind::gather, {}};
    for (auto const at : from) stage.phase.messages.emplace_back(sim::noc::Unicast{node(at), node(hub), flits_});
    return stage;
}

sim::noc::Tree TreeProgram::tree(Router hub, Area const& members) const {
    std::vector<Node> nodes;
    for (auto const& part : members.rectangles()) {
        for (std::int32_t row = part.top; row <= part.bottom(); ++row) {
            for (std::int32_t col = part.left; col <= part.right(); ++col) nodes.push_back(node({row, col}));
        }
    }
    return sim::noc::Tree::xy(placement_->mesh, node(hub), nodes);
}

Stage TreeProgram::broadcast(std::string_view name, Router hub, Area const& to, std::int64_t vectors) const {
    Stage stage{name, StageKind::broadcast, {}};
    stage.phase.messages.emplace_back(sim::noc::Broadcast{tree(hub, to), flits_});
    stage.phase.repeats = static_cast<std::int32_t>(vectors);
    return stage;
}

Stage TreeProgram::reduce(std::string_view name, Group const& group) const {
    Stage stage{name, StageKind::reduction, {}};
    each_sum(group, [&](OutputColumn const& column) {
        auto const routers = routers_of(placement_->mesh, column);
        stage.phase.messages.emplace_back(
            sim::noc::Reduction{sim::noc::Tree::path(placement_->mesh, routers, routers.size() / 2), flits_});
    });
    return stage;
}

std::int64_t TreeProgram::holder_count(std::int64_t context) const {
    return std::min<std::int64_t>(cache_.needed(context), pool_.size());
}

std::int64_t TreeProgram::filling_context() const { return sim::divide_up(pool_.size(), cache_.slices()); }

std::int64_t TreeProgram::append_place(std::int64_t context) const { return cache_.place(context, 0).router; }

std::int64_t TreeProgram::keys_per_router(std::int64_t context) const {
    return sim::divide_up(cache_.needed(context) / 2, pool_.size());
}

std::vector<Stage> TreeProgram::fixed_stages() const {
    std::vector<Stage> stages;
    stages.push_back(gather("hand over", roots(down_, "down"), qkv_.hub));
    stages.push_back(broadcast("input to q, k, v", qkv_.hub, qkv_.area, key_->n));
    stages.push_back(reduce("q, k, v", qkv_));
    stages.push_back(broadcast("attention to o", qkv_.hub, o_.area, key_->q));
    stages.push_back(reduce("o", o_));
    stages.push_back(gather("gather o", roots(o_, "o"), up_.hub));
    stages.push_back(broadcast("input to gate, up", up_.hub, up_.area, key_->n));
    stages.push_back(reduce("gate, up", up_));
    if (auto both = product(); !both.phase.messages.empty()) stages.push_back(std::move(both));
    stages.push_back(gather("gather up", roots(up_, "up"), down_.hub));
    stages.push_back(broadcast("input to down", down_.hub, down_.area, key_->f));
    stages.push_back(reduce("down", down_));
    return stages;
}

Stage TreeProgram::product() const {
    auto const gates = roots(up_, "gate"), ups = roots(up_, "up");
    Stage stage{"gate x up", StageKind::gather, {}};
    for (std::size_t i = 0; i < gates.size(); ++i)
        stage.phase.messages.emplace_back(sim::noc::Unicast{node(gates[i]), node(ups[i]), flits_});
    return stage;
}

Stage TreeProgram::gather_queries() const { return gather("append, gather q", roots(qkv_, "q"), qkv_.hub); }

std::vector<Router> TreeProgram::key_roots() const {
    auto from = roots(qkv_, "k");
    auto const values = roots(qkv_, "v");
    from.insert(from.end(), values.begin(), values.end());
    if (from.size() > static_cast<std::size_t>(cache_.slices()))
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(cache_.slices()), from.end());
    return from;
}

Stage TreeProgram::append(std::int64_t place) const {
    Stage stage = gather_queries();
    auto const from = key_roots(), to = key_places(place, from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        stage.phase.messages.emplace_back(sim::noc::Unicast{node(from[i]), node(to[i]), flits_});
    return stage;
}

Stage TreeProgram::query(std::int64_t owners) const {
    return broadcast("query to keys", qkv_.hub, pool_.first(owners), key_->q);
}

Stage TreeProgram::attention_sum(std::int64_t owners) const {
    Stage sum{"attention sum", StageKind::reduction, {}};
    sum.phase.messages.emplace_back(sim::noc::Reduction{tree(qkv_.hub, pool_.first(owners)), flits_});
    sum.phase.repeats = static_cast<std::int32_t>(key_->q);
    return sum;
}

std::vector<Stage> TreeProgram::stages(std::int64_t context) const {
    std::vector<Stage> stages;
    for (auto& stage : fixed_stages()) {
        bool const attends_next = stage.name == "q, k, v";
        stages.push_back(std::move(stage));
        if (!attends_next) continue;
        stages.push_back(append(append_place(context)));
        stages.push_back(query(holder_count(context)));
        stages.push_back(attention_sum(holder_count(context)));
    }
    return stages;
}

std::int32_t vector_flits(MachineConstants const& machine, Design const& design) {
    return static_cast<std::int32_t>(
        std::ceil(static_cast<double>(design.crossbar) * machine.value_bits / static_cast<double>(design.link_bits)));
}

Holders::Holders(Placement const& placement) : placement_(&placement), along_ribbon_(true) {
    for (std::size_t i = 0; i < placement.columns.size(); ++i) add(i);
}

Holders::Holders(Placement const& placement, std::span<PlacedMatrix const* const> matrices) : placement_(&placement) {
    for (auto const* matrix : matrices) {
        for (std::size_t col = 0; col < static_cast<std::size_t>(matrix->cols); ++col)
            add(matrix->first + col * matrix->step);
    }
}

void Holders::add(std::size_t column) {
    columns_.push_back(static_cast<std::uint32_t>(column));
    ends_.push_back(size() + placement_->columns[column].path.length);
}

std::size_t Holders::find(std::int64_t place) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), place) - ends_.begin());
}

Router Holders::at(std::size_t on, std::int64_t place) const {
    auto const& path = column(on).path;
    auto const row = static_cast<std::int32_t>(place - ends_[on]) + path.length;
    return turned(column(on)) ? column(on).at(row) : path.at(row);
}

std::vector<Router> Holders::from(std::int64_t place, std::size_t count) const {
    std::vector<Router> routers;
    routers.reserve(count);
    for (auto on = find(place); routers.size() < count; ++place) {
        if (place == size()) place = 0;
        if (place == 0) on = 0;
        if (place == ends_[on]) ++on;
        routers.push_back(at(on, place));
    }
    return routers;
}

Area Holders::first(std::int64_t count) const {
    if (along_ribbon_ && count == size()) return placement_->area;
    Area area;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < columns_.size() && before < count; ++i) {
        auto path = column(i).path;
        if (auto const rest = static_cast<std::int32_t>(std::min<std::int64_t>(count - before, path.length));
            rest < path.length) {
            if (turned(column(i))) path.first += path.length - rest;
            path.length = rest;
        }
        area.add(path);
        before = ends_[i];
    }
    return area;
}

KvCache::KvCache(MachineConstants const& machine, Design const& design, Partition const& partition)
    : CacheRing(2 * partition.kv, kv_pool_tiles(design.kv_pool, partition.matrices)),
      slots_(0),
      score_slots_(score_slots_of(design, partition, routers())),
      slot_bytes_(machine.vector_bytes(static_cast<double>(design.crossbar))),
      keepers_(!design.writes_cells() ? design.batch : 0),
      scores_per_key_(design.multiplies_in_place()
                          ? sim::divide_up(partition.q * partition.heads_per_slice, partition.slices_per_head)
                          : 0),
      scores_per_slot_(design.crossbar) {
    double const reserve = 2.0 * machine.live_intermediates * slot_bytes_;
    double const pads = design.machine == Machine::leap_d ? machine.leap_decode_scratchpads : 1.0;
    double const bytes = pads * static_cast<double>(design.scratchpad) - reserve;
    slots_ = std::max<std::int64_t>(0, sim::whole_part(std::floor(bytes / slot_bytes_)) - score_slots_);
}

std::int64_t KvCache::needed_for_scores(std::int64_t context) const {
    constexpr std::int64_t buffers = 2;
    return buffers * sim::divide_up(scores_per_key_ * context, scores_per_slot_);
}

CacheRing::Slot CacheRing::place(std::int64_t token, std::int64_t slice) const {
    std::int64_t const at = slices_ * token + slice;
    return {at % routers_, at / routers_};
}

}  // namespace pimdse::models::cim_mesh
