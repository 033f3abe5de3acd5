#include "models/cim_mesh/layer/token_loads.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

namespace closed_form = sim::noc::closed_form;

/// The packets that pass a port: their number, the smallest number of hops of one of them, and the smallest numbers of
/// hops to the port and from there.
struct Passed {
    static constexpr auto none = std::numeric_limits<std::int32_t>::max();
    std::int32_t packets = 0, hops = none, before = none, behind = none;

    void add(std::int32_t all, std::int32_t hops_before) {
        ++packets;
        hops = std::min(hops, all);
        before = std::min(before, hops_before);
        behind = std::min(behind, all - hops_before);
    }
};

/// Ports by the number of packets that pass them: of all ports with the same number, the one that is reached last.
class LastPorts {
  public:
    void add(std::int32_t packets, std::int32_t hops) {
        auto const at = static_cast<std::size_t>(packets);
        if (hops_.size() <= at) hops_.resize(at + 1, -1);
        hops_[at] = std::max(hops_[at], hops);
    }
    /// Ports with fewer packets are omitted unless they are reached later.
    [[nodiscard]] std::vector<MeetingPort> ports(sim::noc::RouterTiming const& timing) const {
        std::vector<MeetingPort> ports;
        std::int32_t before = -1;
        for (std::size_t packets = hops_.size(); packets-- > 1;) {
            if (hops_[packets] <= before) continue;
            before = hops_[packets];
            ports.push_back(
                {static_cast<double>(packets), static_cast<double>(closed_form::unicast(timing, before, 1))});
        }
        return ports;
    }

  private:
    std::vector<std::int32_t> hops_;
};

/// The ports of a mesh, those of each direction in the order in which messages pass them, and what passes them.
class PassedPorts {
    enum Direction : std::uint8_t { injection, east, west, south, north, ejection, directions };

  public:
    explicit PassedPorts(sim::noc::Mesh mesh) : mesh_(mesh) {
        auto const nodes = static_cast<std::size_t>(mesh.nodes());
        if (ports_.front().size() >= nodes) return;
        for (auto& direction : ports_) direction.resize(nodes);
    }
    /// A message enters by the injection of its router, goes along its row and then along its column, and is ejected.
    void add(Route const& route) {
        auto const& [from, to] = route;
        std::int32_t const width = std::abs(to.col - from.col), height = std::abs(to.row - from.row);
        std::int32_t const hops = width + height;
        along(injection, from.row * mesh_.cols + from.col, 1, 1, hops, 0);
        along(to.col > from.col ? east : west, from.row * mesh_.cols + from.col, to.col > from.col ? 1 : -1, width,
              hops, 0);
        along(to.row > from.row ? south : north, to.col * mesh_.rows + from.row, to.row > from.row ? 1 : -1, height,
              hops, width);
        along(ejection, to.row * mesh_.cols + to.col, 1, 1, hops, hops);
    }
    /// Calls `visit(port)` for all ports that were passed, and empties them.
    void take(auto const& visit) {
        for (auto* port : used_) visit(std::exchange(*port, Passed{}));
    }

  private:
    void along(Direction direction, std::int32_t first, std::int32_t step, std::int32_t count, std::int32_t hops,
               std::int32_t before) {
        auto* const ports = ports_[direction].data();
        for (std::int32_t i = 0; i < count; ++i) {
            auto& port = ports[first + i * step];
            if (port.packets == 0) used_.push_back(&port);
            port.add(hops, before + i);
        }
    }

    sim::noc::Mesh mesh_;
    std::vector<Passed*> used_;
    /// Empty between stages: new ones for each stage would mostly cause page faults. Those along rows are ordered by
    /// row, those along columns by column.
    static thread_local std::array<std::vector<Passed>, directions> ports_;
};
thread_local std::array<std::vector<Passed>, PassedPorts::directions> PassedPorts::ports_;

/// The longest time of a sum along a tree, from its ends to the hub. A router adds if it has more than one operand.
class SumRoute {
  public:
    SumRoute(sim::noc::RouterTiming const& timing, TreeSpans const& tree) : timing_(timing), tree_(tree) {
        std::size_t const hub = tree.hub_stretch();
        auto const stretches = tree.stretches();
        bool const left = hub > 0, right = hub + 1 < stretches.size();
        at_hub_ = operands_of(stretches[hub], (left ? 1 : 0) + (right ? 1 : 0));
        up_columns(stretches[hub], 0, at_hub_);
        auto route = step(at_hub_);
        for (std::size_t i = hub; i-- > 0;) route = along(stretches[i], route, i > 0);
        route = step(at_hub_);
        for (std::size_t i = hub + 1; i < stretches.size(); ++i)
            route = along(stretches[i], route, i + 1 < stretches.size());
    }

    [[nodiscard]] sim::noc::Cycle longest() const { return longest_; }
    [[nodiscard]] bool adds_at_hub() const { return at_hub_ > 1; }

  private:
    using Cycle = sim::noc::Cycle;

    [[nodiscard]] Cycle step(int operands) const {
        return closed_form::per_hop(timing_) + (operands > 1 ? timing_.adder : 0);
    }
    /// Number of operands of a router on the row of the hub.
    [[nodiscard]] int operands_of(TreeSpans::Stretch const& column, int along_the_row) const {
        std::int32_t const row = tree_.hub().row;
        return along_the_row + (column.on_row ? 1 : 0) + (column.top < row ? 1 : 0) + (column.bottom > row ? 1 : 0);
    }
    /// Goes outwards along a stretch: from the time at its nearest column to that beyond its last one, which is the
    /// longest.
    Cycle along(TreeSpans::Stretch const& columns, Cycle route, bool goes_on) {
        int const operands = operands_of(columns, goes_on ? 1 : 0);
        Cycle const last = route + step(operands) * (columns.right - columns.left);
        up_columns(columns, last, operands);
        return last + step(operands);
    }
    /// Considers both ends of a mesh column.
    void up_columns(TreeSpans::Stretch const& column, Cycle route, int operands) {
        std::int32_t const row = tree_.hub().row;
        longest_ = std::max(longest_, route);
        for (auto const& [height, routers] :
             {std::pair{row - column.top, column.above}, std::pair{column.bottom - row, column.below}}) {
            if (height == 0) continue;
            Cycle const rest = (height - 1) * closed_form::per_hop(timing_) + (routers - 1) * timing_.adder;
            longest_ = std::max(longest_, route + step(operands) + rest);
        }
    }

    sim::noc::RouterTiming const& timing_;
    TreeSpans const& tree_;
    Cycle longest_ = 0;
    int at_hub_ = 0;
};

/// Memory of the last loads of this thread: new memory for each would mostly cause page faults.
thread_local std::array<std::vector<std::int32_t>, 6> kept;

}  // namespace

StageShape StageCounter::broadcast(TreeSpans const& tree, std::int64_t vectors) const {
    StageShape shape{StageKind::broadcast, false, static_cast<double>(vectors)};
    shape.slowest = static_cast<double>(closed_form::broadcast(timing_, tree.depth(), 1));
    shape.borders = borders(tree);
    shape.loop = tree.depth() > 0 ? closed_form::credit_round_trip(timing_) : 0;
    return shape;
}

StageShape StageCounter::reduction(TreeProgram const& program, TreeProgram::Group const& group) const {
    StageShape shape{StageKind::reduction};
    std::int32_t depth = 0, borders = 0;
    program.each_sum(group, [&](OutputColumn const& column) {
        std::int32_t const root = column.middle().col;
        shape.empty = false;
        depth = std::max(depth, column.path.length / 2);
        // Mesh columns follow each other along a path.
        borders = std::max({borders, ruler_.crossed(column.start().col, root), ruler_.crossed(column.end().col, root)});
    });
    if (shape.empty) return shape;
    shape.slowest = static_cast<double>(closed_form::reduction(timing_, depth, 1));
    shape.borders = borders;
    shape.loop = depth > 0 ? closed_form::credit_round_trip(timing_) + timing_.adder : 0;
    return shape;
}

StageShape StageCounter::sum(TreeSpans const& tree, std::int64_t vectors) const {
    SumRoute const route(timing_, tree);
    StageShape shape{StageKind::reduction, false, static_cast<double>(vectors)};
    shape.slowest = static_cast<double>(closed_form::fixed(timing_) + route.longest());
    shape.borders = borders(tree);
    if (route.longest() > 0)
        shape.loop = closed_form::credit_round_trip(timing_) + (route.adds_at_hub() ? timing_.adder : 0);
    return shape;
}

StageShape StageCounter::unicasts(std::span<Route const> routes) const {
    StageShape shape{StageKind::gather, routes.empty()};
    if (shape.empty) return shape;
    PassedPorts ports(ruler_.mesh);
    std::int32_t farthest = 0, borders = 0;
    for (auto const& route : routes) {
        ports.add(route);
        farthest = std::max(farthest, hops_between(route.from, route.to));
        borders = std::max(borders, ruler_.crossed(route.from.col, route.to.col));
    }
    LastPorts soonest, sure;
    ports.take([&](Passed const& port) {
        soonest.add(port.packets, port.hops);
        sure.add(port.packets, port.before + port.behind);
    });
    shape.ports = soonest.ports(timing_);
    shape.sure = sure.ports(timing_);
    shape.slowest = static_cast<double>(closed_form::unicast(timing_, farthest, 1));
    shape.borders = borders;
    return shape;
}

double StageCounter::borders(TreeSpans const& tree) const {
    std::int32_t const hub = tree.hub().col;
    return std::max(ruler_.crossed(tree.left(), hub), ruler_.crossed(hub, tree.right()));
}

TreeSpans::TreeSpans(Router hub, Area const& area) : hub_(hub) {
    cut(area);
    for (auto const& part : area.rectangles()) {
        fill(part);
        depth_ = std::max(depth_, max_hops(hub, part));
    }
}

void TreeSpans::cut(Area const& area) {
    std::int32_t left = hub_.col, right = hub_.col;
    std::vector<std::int32_t> begins{hub_.col, hub_.col + 1};
    for (auto const& part : area.rectangles()) {
        left = std::min(left, part.left);
        right = std::max(right, part.right());
        begins.insert(begins.end(), {part.left, part.right() + 1});
    }
    begins.insert(begins.end(), {left + 1, right});
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    for (std::size_t i = 0; i < begins.size() && begins[i] <= right; ++i) {
        std::int32_t const end = i + 1 < begins.size() ? begins[i + 1] : right + 1;
        if (begins[i] >= left) stretches_.push_back({begins[i], end - 1, hub_.row, hub_.row});
    }
}

void TreeSpans::fill(Rectangle const& part) {
    std::int32_t const row = hub_.row;
    for (auto at = find(part.left); at < stretches_.size() && stretches_[at].left <= part.right(); ++at) {
        auto& stretch = stretches_[at];
        stretch.top = std::min(stretch.top, part.top);
        stretch.bottom = std::max(stretch.bottom, part.bottom());
        stretch.above += std::clamp(row - part.top, 0, part.height);
        stretch.below += std::clamp(part.bottom() - row, 0, part.height);
        stretch.on_row = stretch.on_row || (part.top <= row && row <= part.bottom());
    }
}

std::size_t TreeSpans::find(std::int32_t col) const {
    auto const next = std::upper_bound(stretches_.begin(), stretches_.end(), col,
                                       [](std::int32_t c, Stretch const& s) { return c < s.left; });
    return static_cast<std::size_t>(next - stretches_.begin()) - 1;
}

TokenLoads::TokenLoads(sim::noc::Mesh mesh) : mesh_(mesh), stride_(static_cast<std::size_t>(mesh.rows) + 1) {
    auto from = kept.begin();
    for (auto* changes : all()) {
        changes->swap(*from++);
        changes->assign(at(0, mesh.cols + 1), 0);
    }
}

TokenLoads::~TokenLoads() {
    auto to = kept.begin();
    for (auto* changes : all()) changes->swap(*to++);
}

void TokenLoads::along_column(Changes& changes, std::int32_t col, std::int32_t first, std::int32_t last,
                              std::int32_t load) {
    if (first > last) return;
    changes[at(first, col)] += load;
    changes[at(last + 1, col)] -= load;
}

void TokenLoads::along_row(Changes& changes, std::int32_t row, std::int32_t first, std::int32_t last,
                           std::int32_t load) {
    if (first > last) return;
    changes[at(row, first)] += load;
    changes[at(row, last + 1)] -= load;
}

/// Every router receives the vectors once; in the hub they start.
void TokenLoads::add_broadcast(TreeSpans const& tree, std::int32_t vectors) {
    auto const [row, hub] = tree.hub();
    for (auto const& part : tree.stretches()) {
        for (std::int32_t col = part.left; col <= part.right; ++col) {
            along_column(entering_, col, part.top, part.bottom, vectors);
            along_column(north_, col, part.top + 1, row, vectors);
            along_column(south_, col, row, part.bottom - 1, vectors);
        }
    }
    along_row(west_, row, tree.left() + 1, hub, vectors);
    along_row(east_, row, hub, tree.right() - 1, vectors);
}

/// Vectors enter by every link of the tree, and start in every router of the area.
void TokenLoads::add_sum(TreeSpans const& tree, Area const& from, std::int32_t vectors) {
    auto const [row, hub] = tree.hub();
    for (auto const& part : tree.stretches()) {
        for (std::int32_t col = part.left; col <= part.right; ++col) {
            along_column(south_, col, part.top, row - 1, vectors);
            along_column(north_, col, row + 1, part.bottom, vectors);
            along_column(entering_, col, part.top + 1, row, vectors);
            along_column(entering_, col, row, part.bottom - 1, vectors);
        }
    }
    along_row(passing_, row, tree.left() + 1, hub, vectors);
    along_row(passing_, row, hub, tree.right() - 1, vectors);
    along_row(east_, row, tree.left(), hub - 1, vectors);
    along_row(west_, row, hub + 1, tree.right(), vectors);
    for (auto const& part : from.rectangles()) {
        for (std::int32_t col = part.left; col <= part.right(); ++col)
            along_column(entering_, col, part.top, part.bottom(), vectors);
    }
}

void TokenLoads::add(Route const& route) {
    auto const& [from, to] = route;
    along_row(passing_, from.row, std::min(from.col, to.col), std::max(from.col, to.col), 1);
    along_row(east_, from.row, from.col, to.col - 1, 1);
    along_row(west_, from.row, to.col + 1, from.col, 1);
    along_column(entering_, to.col, from.row + 1, to.row, 1);
    along_column(entering_, to.col, to.row, from.row - 1, 1);
    along_column(south_, to.col, from.row, to.row - 1, 1);
    along_column(north_, to.col, to.row + 1, from.row, 1);
}

/// A router forwards its sum towards the middle; a sum to another mesh column leaves along the row.
void TokenLoads::add(OutputColumn const& column) {
    auto const& path = column.path;
    std::int32_t const half = path.length / 2, root = column.backwards ? path.length - 1 - half : half;
    for (std::int32_t col = path.left_col(); col <= path.right_col(); ++col) {
        std::int32_t const fold = col - path.left, start = fold * path.height - path.first;
        std::int32_t const first = std::max(0, start), last = std::min(path.length, start + path.height) - 1;
        bool const down = fold % 2 == 0;
        std::int32_t const step = down ? 1 : -1, origin = path.top + (down ? -start : path.height - 1 + start);
        auto const row = [&](std::int32_t i) { return origin + step * i; };
        auto const positions = [&, top = at(0, col)](Changes& changes, std::int32_t from, std::int32_t to) {
            from = std::max(from, first);
            to = std::min(to, last);
            if (from > to) return;
            auto const one = row(from), other = row(to);
            ++changes[top + static_cast<std::size_t>(std::min(one, other))];
            --changes[top + static_cast<std::size_t>(std::max(one, other)) + 1];
        };
        positions(entering_, first, last);
        positions(entering_, 1, root);
        positions(entering_, root, path.length - 2);
        positions(down ? south_ : north_, first, std::min(root, last) - 1);
        positions(down ? north_ : south_, std::max(root, first) + 1, last);
        if (last < root) along_row(east_, row(last), col, col, 1);
        if (first > root) along_row(west_, row(first), col, col, 1);
    }
}

VectorLoads TokenLoads::busiest() && {
    std::int32_t link = 0, router = 0;
    std::size_t here = 0, next = at(0, 1);
    auto const [cols, rows] = std::pair{mesh_.cols, mesh_.rows};
    for (std::int32_t col = 0; col < cols; ++col, ++here, ++next) {
        std::int32_t entering = 0, north = 0, south = 0;
        for (std::int32_t row = 0; row < rows; ++row, ++here, ++next) {
            entering += entering_[here];
            north += north_[here];
            south += south_[here];
            std::int32_t const passing = passing_[here], east = east_[here], west = west_[here];
            passing_[next] += passing;
            east_[next] += east;
            west_[next] += west;
            router = std::max(router, entering + passing);
            link = std::max(link, std::max(std::max(north, south), std::max(east, west)));
        }
    }
    return {link, router};
}

}  // namespace pimdse::models::cim_mesh
