#include "models/cim_mesh/layer/flow.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::array<std::string_view, 7> role_names{"q", "k", "v", "o", "gate", "up", "down"};
constexpr std::size_t of_q = 0, of_k = 1, of_v = 2, of_o = 3, of_gate = 4, of_up = 5, of_down = 6;

double distance(RouterPosition a, RouterPosition b) { return std::abs(a.row - b.row) + std::abs(a.col - b.col); }

RouterPosition middle(RouterSum const& sum, std::int64_t routers) {
    auto const count = static_cast<double>(std::max<std::int64_t>(1, routers));
    return {static_cast<double>(sum.rows) / count, static_cast<double>(sum.cols) / count};
}

RouterSum at(Serpentine const& path, std::int32_t position) {
    auto const router = path.at(position);
    return {router.row, router.col};
}

/// Routes with given directions of the columns.
struct Turned {
    LaidLayer const& laid;
    std::array<std::size_t, 7> turns{};

    [[nodiscard]] RouterPosition end_of(std::size_t role) const { return laid.matrices[role].sums[turns[role]]; }
    double operator()(std::size_t role, RouterPosition to) const { return distance(end_of(role), to); }
};

/// Routes with the best direction for every edge from q, k, v, o; normal directions for the others.
struct Shortest {
    LaidLayer const& laid;

    [[nodiscard]] RouterPosition end_of(std::size_t role) const { return laid.matrices[role].sums[0]; }
    double operator()(std::size_t role, RouterPosition to) const {
        auto const& sums = laid.matrices[role].sums;
        double const straight = distance(sums[0], to);
        return role > of_o ? straight : std::min({straight, distance(sums[1], to), distance(sums[2], to)});
    }
};

}  // namespace

/// Sums over the placed output columns of a matrix: their routers and, by CrossbarOrder, the routers at which sums end.
/// The sums are integers and so do not depend on the order of placement.
class LaidMatrix {
  public:
    /// `serial`: sums arrive at an end of the column, not in its middle. `odd`: whether the column number is odd.
    void add(Serpentine const& path, bool odd, bool serial) {
        if (path.height != shape_.height || path.first != shape_.first || path.length != shape_.length) {
            shape_ = {0, 0, path.height, path.first, path.length};
            std::int32_t const last = path.length - 1, end = serial ? last : path.length / 2;
            shape_routers_ = shape_.sum();
            shape_end_ = at(shape_, end);
            shape_turned_ = at(shape_, last - end);
        }
        std::int64_t const top = path.top, left = path.left, length = path.length;
        routers_.add({shape_routers_.rows + top * length, shape_routers_.cols + left * length});
        router_count_ += length;
        ++columns_;
        RouterSum const end{shape_end_.rows + top, shape_end_.cols + left};
        RouterSum const turned{shape_turned_.rows + top, shape_turned_.cols + left};
        ends_[0].add(end);
        ends_[1].add(turned);
        ends_[2].add(odd ? turned : end);
    }

    [[nodiscard]] RouterSum const& routers() const { return routers_; }
    [[nodiscard]] std::int64_t router_count() const { return router_count_; }
    [[nodiscard]] RouterSum const& ends(std::size_t turn) const { return ends_[turn]; }
    [[nodiscard]] std::int64_t columns() const { return columns_; }

  private:
    RouterSum routers_;
    std::array<RouterSum, 3> ends_;
    std::int64_t router_count_ = 0, columns_ = 0;
    // The last column, moved to the corner of the mesh, and its contributions there.
    Serpentine shape_;
    RouterSum shape_routers_, shape_end_, shape_turned_;
};

Flow::Flow(MachineConstants const& machine, LayerKey const& key, Schedule schedule)
    : key_(key),
      vector_bytes_(machine.vector_bytes(static_cast<double>(key.crossbar))),
      serial_(schedule == Schedule::serial),
      colocated_(key.kv_pool == KvPool::colocated) {
    for (auto const& matrix : key.ground.matrices) {
        holds_cache_.push_back(holds_cache(key.kv_pool, matrix.name));
        auto const found = std::find(role_names.begin(), role_names.end(), matrix.name);
        sim::expects(found != role_names.end(), "a matrix of a layer is one of seven");
        roles_.push_back(static_cast<std::size_t>(found - role_names.begin()));
        gated_ = gated_ || roles_.back() == of_gate;
    }
}

bool Flow::lay_out(Genes const& genes, LaidLayer& laid) const {
    thread_local std::vector<LaidMatrix> matrices;
    matrices.assign(key_.ground.matrices.size(), {});
    bool const fits =
        lay(key_.ground, genes, [&](std::size_t which, std::int64_t, std::int64_t col, Serpentine const& path) {
            matrices[which].add(path, col % 2 != 0, serial_);
        });
    if (!fits) return false;
    laid = {};
    for (std::size_t i = 0; i < matrices.size(); ++i) add(laid, i, matrices[i]);
    return true;
}

bool Flow::lay_rectangles(std::size_t which, std::int64_t height, Shelves& shelves, LaidLayer& laid) const {
    auto const& tiling = key_.ground.matrices[which];
    LaidMatrix matrix;
    for (std::int64_t copy = 0; copy < tiling.stored; ++copy) {
        for (std::int64_t col = 0; col < tiling.cols; ++col) {
            auto const path = shelves.next(tiling.rows, height);
            if (!path) return false;
            matrix.add(*path, col % 2 != 0, serial_);
        }
    }
    add(laid, which, matrix);
    return true;
}

void Flow::add(LaidLayer& laid, std::size_t which, LaidMatrix const& matrix) const {
    auto const& tiling = key_.ground.matrices[which];
    auto& m = laid.matrices[roles_[which]];
    m.tiles = middle(matrix.routers(), matrix.router_count());
    for (std::size_t turn = 0; turn < m.sums.size(); ++turn) m.sums[turn] = middle(matrix.ends(turn), matrix.columns());
    m.columns = static_cast<double>(tiling.cols * tiling.active);
    if (!holds_cache_[which]) return;
    laid.pool.add(matrix.routers());
    laid.pool_routers += matrix.router_count();
}

/// `route(role, to)`: distance from the routers at which the sums of a matrix end to `to`.
template <class Route>
double Flow::add_up(LaidLayer const& laid, Route const& route) const {
    auto const& [q, k, v, o, gate, up, down] = laid.matrices;
    auto const pool = middle(laid.pool, laid.pool_routers);
    RouterPosition const keys = colocated_ ? k.tiles : pool, values = colocated_ ? v.tiles : pool;
    auto const inputs = static_cast<double>(key_.n);
    double cost = 0.0;
    auto const edge = [&](double vectors, double length) { cost += vectors * vector_bytes_ * length; };
    for (auto const* to : {&q, &k, &v}) edge(inputs, route(of_down, to->tiles));
    edge(q.columns, route(of_q, keys));
    edge(k.columns, route(of_k, keys));
    edge(v.columns, route(of_v, values));
    edge(q.columns, distance(values, o.tiles));
    if (gated_) edge(o.columns, route(of_o, gate.tiles));
    edge(o.columns, route(of_o, up.tiles));
    // To the end of the sums of up, not to its crossbars: the sums of gate are multiplied with them.
    if (gated_) edge(up.columns, route(of_gate, route.end_of(of_up)));
    edge(up.columns, route(of_up, down.tiles));
    return cost;
}

double Flow::byte_hops(LaidLayer const& laid, std::vector<CrossbarOrder> const& directions) const {
    Turned route{laid};
    for (std::size_t i = 0; i < roles_.size(); ++i) route.turns[roles_[i]] = static_cast<std::size_t>(directions[i]);
    return add_up(laid, route);
}

double Flow::min_byte_hops(LaidLayer const& laid) const { return add_up(laid, Shortest{laid}); }

}  // namespace pimdse::models::cim_mesh
