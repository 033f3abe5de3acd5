#include "models/cim_mesh/layer/stage_counter.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cstdlib>

namespace pimdse::models::cim_mesh {
namespace {

namespace closed_form = sim::noc::closed_form;

/// A message of a gather.
struct Sender {
    std::int32_t row, along, hops;  ///< along: columns to the hub's, negative from the right
};

/// Links along the rows: behind every sender of one row and side, nearest last.
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

/// Links of the hub's column: all senders of the rows beyond, from above and from below.
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

/// How long a sum up a tree is on its way from the farthest ends: a router adds where more than one comes in.
class SumWay {
  public:
    SumWay(sim::noc::RouterTiming const& timing, TreeSpans const& tree) : timing_(timing), tree_(tree) {
        std::size_t const hub = tree.hub_stretch();
        auto const stretches = tree.stretches();
        bool const left = hub > 0, right = hub + 1 < stretches.size();
        at_hub_ = operands_of(stretches[hub], (left ? 1 : 0) + (right ? 1 : 0));
        up_columns(stretches[hub], 0, at_hub_);
        auto way = step(at_hub_);
        for (std::size_t i = hub; i-- > 0;) way = along(stretches[i], way, i > 0);
        way = step(at_hub_);
        for (std::size_t i = hub + 1; i < stretches.size(); ++i)
            way = along(stretches[i], way, i + 1 < stretches.size());
    }

    [[nodiscard]] sim::noc::Cycle longest() const { return longest_; }
    [[nodiscard]] bool adds_at_hub() const { return at_hub_ > 1; }

  private:
    using Cycle = sim::noc::Cycle;

    [[nodiscard]] Cycle step(int operands) const {
        return closed_form::per_hop(timing_) + (operands > 1 ? timing_.adder : 0);
    }
    /// What comes in on the hub's row.
    [[nodiscard]] int operands_of(TreeSpans::Stretch const& column, int along_the_row) const {
        std::int32_t const row = tree_.hub().row;
        return along_the_row + (column.on_row ? 1 : 0) + (column.top < row ? 1 : 0) + (column.bottom > row ? 1 : 0);
    }
    /// Outwards along a stretch, from the way at its nearest column to that behind its last, which is the longest.
    Cycle along(TreeSpans::Stretch const& columns, Cycle way, bool goes_on) {
        int const operands = operands_of(columns, goes_on ? 1 : 0);
        Cycle const last = way + step(operands) * (columns.right - columns.left);
        up_columns(columns, last, operands);
        return last + step(operands);
    }
    /// Both ends of a mesh column.
    void up_columns(TreeSpans::Stretch const& column, Cycle way, int operands) {
        std::int32_t const row = tree_.hub().row;
        longest_ = std::max(longest_, way);
        for (auto const& [height, routers] :
             {std::pair{row - column.top, column.above}, std::pair{column.bottom - row, column.below}}) {
            if (height == 0) continue;
            Cycle const behind = (height - 1) * closed_form::per_hop(timing_) + (routers - 1) * timing_.adder;
            longest_ = std::max(longest_, way + step(operands) + behind);
        }
    }

    sim::noc::RouterTiming const& timing_;
    TreeSpans const& tree_;
    Cycle longest_ = 0;
    int at_hub_ = 0;
};

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
    SumWay const way(timing_, tree);
    StageShape shape{StageKind::reduction, false, static_cast<double>(vectors)};
    shape.slowest = static_cast<double>(closed_form::fixed(timing_) + way.longest());
    shape.borders = borders(tree);
    if (way.longest() > 0)
        shape.loop = closed_form::credit_round_trip(timing_) + (way.adds_at_hub() ? timing_.adder : 0);
    return shape;
}

StageShape StageCounter::unicasts(std::span<Way const> ways) const {
    StageShape shape{StageKind::gather, ways.empty()};
    if (ways.empty()) return shape;
    std::int32_t farthest = 0, borders = 0;
    for (auto const& way : ways) {
        farthest = std::max(farthest, hops_between(way.from, way.to));
        borders = std::max(borders, ruler_.crossed(way.from.col, way.to.col));
    }
    auto meetings = meetings_of(ruler_.mesh, timing_, ways);
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

}  // namespace pimdse::models::cim_mesh
