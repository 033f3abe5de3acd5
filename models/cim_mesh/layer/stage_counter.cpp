#include "models/cim_mesh/layer/stage_counter.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>

namespace pimdse::models::cim_mesh {

/// StageShape::ports and StageShape::sure of unicasts of one flit. Links are grouped into stretches of a line on which
/// no message enters or leaves the line.
struct Meetings {
    std::vector<MeetingPort> ports, sure;
};

/// Ports of a gather by the number of packets that pass them: of all ports with the same number, the one that is
/// reached last.
class PortTimes {
  public:
    explicit PortTimes(std::size_t messages) : max_(messages + 1, -1) {}

    void add(std::size_t packets, std::int32_t hops) { max_[packets] = std::max(max_[packets], hops); }

    /// Ports with fewer packets are omitted unless they are reached later.
    [[nodiscard]] std::vector<MeetingPort> latest(sim::noc::RouterTiming const& timing) const;

  private:
    std::vector<std::int32_t> max_;
};

[[nodiscard]] Meetings meetings_of(sim::noc::Mesh mesh, sim::noc::RouterTiming const& timing,
                                   std::span<Route const> routes);

namespace {

namespace closed_form = sim::noc::closed_form;

/// A message of a gather.
struct Sender {
    std::int32_t row, along, hops;  ///< along: columns to the hub, negative from the right
};

/// Adds the links along the rows: after every sender of a row on one side of the hub, the nearest one last.
void add_rows(PortTimes& ports, std::vector<Sender>& senders) {
    std::sort(senders.begin(), senders.end(), [](Sender const& a, Sender const& b) {
        bool const left = a.along > 0, other = b.along > 0;
        if (a.row != b.row) return a.row < b.row;
        return left != other ? left : a.hops > b.hops;
    });
    std::size_t passed = 0;
    for (std::size_t i = 0; i < senders.size(); ++i) {
        bool const same_side = i > 0 && senders[i - 1].row == senders[i].row && senders[i - 1].along != 0 &&
                               (senders[i - 1].along > 0) == (senders[i].along > 0);
        passed = same_side && senders[i].along != 0 ? passed + 1 : 1;
        ports.add(passed, senders[i].hops);
    }
}

/// Adds the links of the column of the hub: all senders of the rows beyond, from above and from below.
void add_column(PortTimes& ports, std::vector<Sender> const& by_row, std::int32_t hub_row) {
    auto const sweep = [&](auto first, auto last, auto is_beyond) {
        std::size_t passed = 0;
        std::int32_t nearest = -1;
        for (auto at = first; at != last && is_beyond(at->row);) {
            auto const row = at->row;
            for (; at != last && at->row == row; ++at, ++passed)
                nearest = nearest < 0 ? at->hops : std::min(nearest, at->hops);
            ports.add(passed, nearest);
        }
    };
    sweep(by_row.begin(), by_row.end(), [&](std::int32_t row) { return row < hub_row; });
    sweep(by_row.rbegin(), by_row.rend(), [&](std::int32_t row) { return row > hub_row; });
}

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

/// The part of a message on a line of links in one direction; positions count along it. At position p on the line, the
/// message has done before + p hops and has behind - p hops left.
struct Leg {
    std::int32_t line, start, end, hops, before, behind;
};

void add_legs(std::vector<Leg>& legs, sim::noc::Mesh mesh, Route const& route) {
    std::int32_t const cols = route.to.col - route.from.col, rows = route.to.row - route.from.row;
    std::int32_t const width = std::abs(cols), height = std::abs(rows), hops = width + height;
    if (width > 0) {
        std::int32_t const start = cols > 0 ? route.from.col : -route.from.col;
        legs.push_back(
            {2 * route.from.row + (cols > 0 ? 0 : 1), start, start + width, hops, -start, start + width + height});
    }
    if (height > 0) {
        std::int32_t const start = rows > 0 ? route.from.row : -route.from.row;
        legs.push_back({2 * (mesh.rows + route.to.col) + (rows > 0 ? 0 : 1), start, start + height, hops, width - start,
                        start + height});
    }
}

/// Messages at the same position of a line.
struct Together {
    std::size_t packets = 0;
    std::int32_t hops = std::numeric_limits<std::int32_t>::max(), before = hops, behind = hops;

    void add(Leg const& leg) {
        ++packets;
        hops = std::min(hops, leg.hops);
        before = std::min(before, leg.before);
        behind = std::min(behind, leg.behind);
    }
};

/// The smallest value of all messages that have not ended yet.
class RouteLowerBound {
  public:
    void add(std::int32_t value, std::int32_t end) {
        heap_.push_back({value, end});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }
    /// Positions must not decrease from call to call.
    [[nodiscard]] std::int32_t at(std::int32_t place) {
        while (heap_.front().second <= place) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
            heap_.pop_back();
        }
        return heap_.front().first;
    }
    void clear() { heap_.clear(); }

  private:
    std::vector<std::pair<std::int32_t, std::int32_t>> heap_;
};

/// Visits lines from one start or end of a leg to the next.
class Sweep {
  public:
    explicit Sweep(std::size_t messages) : soonest_(messages), sure_(messages) {}

    /// Adds the legs of one line, which are ordered by start.
    void line(std::span<Leg const> legs) {
        std::int32_t first = legs.front().end, last = first;
        for (auto const& leg : legs) {
            first = std::min(first, leg.end);
            last = std::max(last, leg.end);
        }
        if (first <= legs.back().start) return cross(legs);
        meet(legs, &Leg::start);
        if (first == last) return;
        part_.assign(legs.begin(), legs.end());
        std::sort(part_.begin(), part_.end(), [](Leg const& a, Leg const& b) { return a.end > b.end; });
        meet(part_, &Leg::end);
    }
    /// Adds messages that start or end in the same router; `hops` is their smallest number of hops.
    void end(std::size_t packets, std::int32_t hops) { add(packets, hops, hops); }
    [[nodiscard]] Meetings result(sim::noc::RouterTiming const& timing) const {
        return {soonest_.latest(timing), sure_.latest(timing)};
    }

  private:
    /// All legs start before the first one ends, so that their number only grows, and later only falls.
    void meet(std::span<Leg const> legs, std::int32_t Leg::*place) {
        Together all;
        for (std::size_t i = 0; i < legs.size(); ++i) {
            all.add(legs[i]);
            if (i + 1 == legs.size() || legs[i + 1].*place != legs[i].*place)
                add(all.packets, all.hops, all.before + all.behind);
        }
    }
    void cross(std::span<Leg const> legs) {
        for (auto* min : {&hops_, &before_, &behind_}) min->clear();
        ends_.clear();
        for (auto const& leg : legs) ends_.push_back(leg.end);
        std::sort(ends_.begin(), ends_.end());
        std::size_t begun = 0, ended = 0;
        while (ended < legs.size()) {
            std::int32_t const place = begun < legs.size() ? std::min(legs[begun].start, ends_[ended]) : ends_[ended];
            for (; begun < legs.size() && legs[begun].start == place; ++begun) begin(legs[begun]);
            while (ended < legs.size() && ends_[ended] == place) ++ended;
            if (begun > ended) add(begun - ended, hops_.at(place), before_.at(place) + behind_.at(place));
        }
    }
    void begin(Leg const& leg) {
        hops_.add(leg.hops, leg.end);
        before_.add(leg.before, leg.end);
        behind_.add(leg.behind, leg.end);
    }
    void add(std::size_t packets, std::int32_t hops, std::int32_t sure) {
        soonest_.add(packets, hops);
        sure_.add(packets, sure);
    }

    PortTimes soonest_, sure_;
    RouteLowerBound hops_, before_, behind_;
    std::vector<std::int32_t> ends_;
    std::vector<Leg> part_;
};

void add_lines(Sweep& sweep, sim::noc::Mesh mesh, std::span<Route const> routes) {
    std::vector<Leg> legs;
    legs.reserve(2 * routes.size());
    for (auto const& route : routes) add_legs(legs, mesh, route);
    std::sort(legs.begin(), legs.end(),
              [](Leg const& a, Leg const& b) { return a.line != b.line ? a.line < b.line : a.start < b.start; });
    for (std::size_t first = 0, last = 0; first < legs.size(); first = last) {
        while (last < legs.size() && legs[last].line == legs[first].line) ++last;
        sweep.line(std::span(legs).subspan(first, last - first));
    }
}

/// Adds the routers in which messages start, or end.
void add_ends(Sweep& sweep, sim::noc::Mesh mesh, std::span<Route const> routes, Router Route::*end) {
    std::vector<std::pair<sim::noc::Node, std::int32_t>> hops;
    hops.reserve(routes.size());
    for (auto const& route : routes)
        hops.emplace_back(mesh.at((route.*end).row, (route.*end).col), hops_between(route.from, route.to));
    std::sort(hops.begin(), hops.end());
    for (std::size_t first = 0, last = 0; first < hops.size(); first = last) {
        while (last < hops.size() && hops[last].first == hops[first].first) ++last;
        sweep.end(last - first, hops[first].second);
    }
}

}  // namespace

StageShape StageCounter::gather(std::span<Router const> from, Router hub) const {
    StageShape shape{StageKind::gather, from.empty()};
    if (from.empty()) return shape;
    std::vector<Sender> senders;
    senders.reserve(from.size());
    std::int32_t nearest = ruler_.mesh.nodes(), farthest = 0, borders = 0;
    for (auto const router : from) {
        std::int32_t const hops = hops_between(router, hub);
        senders.push_back({router.row, hub.col - router.col, hops});
        nearest = std::min(nearest, hops);
        farthest = std::max(farthest, hops);
        borders = std::max(borders, ruler_.crossed(router.col, hub.col));
    }
    PortTimes ports(from.size());
    ports.add(from.size(), nearest);
    add_rows(ports, senders);
    add_column(ports, senders, hub.row);
    shape.ports = shape.sure = ports.latest(timing_);
    shape.slowest = static_cast<double>(closed_form::unicast(timing_, farthest, 1));
    shape.borders = borders;
    return shape;
}

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
    if (routes.empty()) return shape;
    std::int32_t farthest = 0, borders = 0;
    for (auto const& route : routes) {
        farthest = std::max(farthest, hops_between(route.from, route.to));
        borders = std::max(borders, ruler_.crossed(route.from.col, route.to.col));
    }
    auto meetings = meetings_of(ruler_.mesh, timing_, routes);
    shape.ports = std::move(meetings.ports);
    shape.sure = std::move(meetings.sure);
    shape.slowest = static_cast<double>(closed_form::unicast(timing_, farthest, 1));
    shape.borders = borders;
    return shape;
}

double StageCounter::borders(TreeSpans const& tree) const {
    std::int32_t const hub = tree.hub().col;
    return std::max(ruler_.crossed(tree.left(), hub), ruler_.crossed(hub, tree.right()));
}

std::vector<MeetingPort> PortTimes::latest(sim::noc::RouterTiming const& timing) const {
    std::vector<MeetingPort> ports;
    std::int32_t before = -1;
    for (std::size_t packets = max_.size(); packets-- > 1;) {
        if (max_[packets] <= before) continue;
        before = max_[packets];
        ports.push_back(
            {static_cast<double>(packets), static_cast<double>(sim::noc::closed_form::unicast(timing, before, 1))});
    }
    return ports;
}

Meetings meetings_of(sim::noc::Mesh mesh, sim::noc::RouterTiming const& timing, std::span<Route const> routes) {
    Sweep sweep(routes.size());
    add_lines(sweep, mesh, routes);
    add_ends(sweep, mesh, routes, &Route::from);
    add_ends(sweep, mesh, routes, &Route::to);
    return sweep.result(timing);
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

}  // namespace pimdse::models::cim_mesh
