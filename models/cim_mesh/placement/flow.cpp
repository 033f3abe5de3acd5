#include "models/cim_mesh/placement/flow.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;

double distance(RouterPosition a, RouterPosition b) { return std::abs(a.row - b.row) + std::abs(a.col - b.col); }

RouterPosition middle(Placement const& placement, std::span<Node const> nodes) {
    std::int64_t rows = 0, cols = 0;
    for (Node const node : nodes) {
        rows += placement.mesh.row(node);
        cols += placement.mesh.col(node);
    }
    auto const count = static_cast<double>(std::max<std::size_t>(1, nodes.size()));
    return {static_cast<double>(rows) / count, static_cast<double>(cols) / count};
}

}  // namespace

Flow::Flow(MachineConstants const& machine, LayerKey const& key, Schedule schedule)
    : key_(key),
      vector_bytes_(machine.vector_bytes(static_cast<double>(key.crossbar))),
      serial_(schedule == Schedule::serial),
      colocated_(key.kv_pool == KvPool::colocated) {
    constexpr std::array<std::string_view, 7> names{"q", "k", "v", "o", "gate", "up", "down"};
    for (auto const& matrix : key.ground.matrices) {
        holds_cache_.push_back(holds_cache(key.kv_pool, matrix.name));
        auto const at = std::find(names.begin(), names.end(), matrix.name);
        sim::expects(at != names.end(), "a matrix of a layer is one of seven");
        roles_.push_back(static_cast<std::size_t>(at - names.begin()));
    }
}

double Flow::byte_hops(std::vector<Middles> const& laid, std::vector<CrossbarOrder> const& directions) const {
    struct Matrix {
        RouterPosition tiles, sums;
        double columns = 0.0;
    };
    std::array<std::optional<Matrix>, 7> matrices;
    for (std::size_t i = 0; i < laid.size(); ++i) {
        matrices[roles_[i]] =
            Matrix{laid[i].tiles, laid[i].sums[static_cast<std::size_t>(directions[i])], laid[i].columns};
    }
    auto const& [q, k, v, o, gate, up, down] = matrices;
    RouterPosition const keys = colocated_ ? k->tiles : pool_, values = colocated_ ? v->tiles : pool_;
    double cost = 0.0;
    auto const edge = [&](double vectors, RouterPosition from, RouterPosition to) {
        cost += vectors * vector_bytes_ * distance(from, to);
    };
    for (auto const* to : {&q, &k, &v}) edge(static_cast<double>(key_.n), down->sums, (*to)->tiles);
    edge(q->columns, q->sums, keys);
    edge(k->columns, k->sums, keys);
    edge(v->columns, v->sums, values);
    edge(q->columns, values, o->tiles);
    for (auto const* to : {&gate, &up}) {
        if (to->has_value()) edge(o->columns, o->sums, (*to)->tiles);
    }
    if (gate) edge(up->columns, gate->sums, up->sums);
    edge(up->columns, up->sums, down->tiles);
    return cost;
}

std::vector<Middles> Flow::middles(Placement const& placement) {
    std::vector<Node> pool;
    std::vector<std::vector<Node>> tiles(key_.ground.matrices.size());
    std::vector<std::array<std::vector<Node>, 3>> sums(tiles.size());
    for (auto const& matrix : placement.matrices) {
        auto const which = matrix.tiling;
        tiles[which].insert(tiles[which].end(), matrix.tiles.begin(), matrix.tiles.end());
        if (holds_cache_[which]) pool.insert(pool.end(), matrix.tiles.begin(), matrix.tiles.end());
        for (std::int64_t col = 0; col < matrix.cols; ++col) {
            auto const column = matrix.column(col);
            std::size_t const middle_row = column.size() / 2, last = column.size() - 1;
            Node const ends = serial_ ? column.back() : column[middle_row];
            Node const turned = serial_ ? column.front() : column[last - middle_row];
            sums[which][0].push_back(ends);
            sums[which][1].push_back(turned);
            sums[which][2].push_back(col % 2 == 0 ? ends : turned);
        }
    }
    pool_ = middle(placement, pool);
    std::vector<Middles> result;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        auto const& tiling = key_.ground.matrices[i];
        Middles m{middle(placement, tiles[i]), {}, static_cast<double>(tiling.cols * tiling.active)};
        for (std::size_t turn = 0; turn < 3; ++turn) m.sums[turn] = middle(placement, sums[i][turn]);
        result.push_back(m);
    }
    return result;
}

}  // namespace pimdse::models::cim_mesh
