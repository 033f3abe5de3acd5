#include "models/cim_mesh/layer/stage_counter.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cstdlib>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;
using sim::noc::Port;
namespace closed_form = sim::noc::closed_form;

/// A message of a gather.
struct Sender {
    std::int32_t row, along, hops;  ///< along: columns to the hub's, negative from the right
};

/// Ports of a gather: how many pass each and the fewest hops of one of them.
class HubPorts {
  public:
    explicit HubPorts(std::size_t senders) : most_(senders + 1, -1) {}

    void add(std::size_t packets, std::int32_t hops) { most_[packets] = std::max(most_[packets], hops); }

    /// Of all ports as many pass, the one that is reached last; those that fewer pass sooner decide nothing.
    [[nodiscard]] std::vector<MeetingPort> latest(sim::noc::RouterTiming const& timing) const {
        std::vector<MeetingPort> ports;
        std::int32_t before = -1;
        for (std::size_t packets = most_.size(); packets-- > 1;) {
            if (most_[packets] <= before) continue;
            before = most_[packets];
            ports.push_back(
                {static_cast<double>(packets), static_cast<double>(closed_form::unicast(timing, before, 1))});
        }
        return ports;
    }

  private:
    std::vector<std::int32_t> most_;
};

/// Links along the rows: behind every sender of one row and side, nearest last.
void add_rows(HubPorts& ports, std::vector<Sender>& senders) {
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
void add_column(HubPorts& ports, std::vector<Sender> const& by_row, std::int32_t hub_row) {
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

}  // namespace

StageShape StageCounter::gather(std::span<Node const> from, Node hub) {
    StageShape shape{StageKind::gather, from.empty()};
    if (from.empty()) return shape;
    auto const& mesh = ruler_.mesh;
    std::vector<Sender> senders;
    senders.reserve(from.size());
    std::int32_t nearest = mesh.nodes(), farthest = 0;
    for (Node const node : from) {
        std::int32_t const hops = mesh.distance(node, hub);
        senders.push_back({mesh.row(node), mesh.col(hub) - mesh.col(node), hops});
        nearest = std::min(nearest, hops);
        farthest = std::max(farthest, hops);
        shape.borders = std::max(shape.borders, ruler_.borders(node, hub));
        add_path(node, hub);
    }
    HubPorts ports(from.size());
    ports.add(from.size(), nearest);
    add_rows(ports, senders);
    add_column(ports, senders, mesh.row(hub));
    shape.ports = shape.sure = ports.latest(timing_);
    shape.slowest = static_cast<double>(closed_form::unicast(timing_, farthest, 1));
    return shape;
}

StageShape StageCounter::broadcast(Node hub, std::span<Node const> to, std::int64_t vectors) {
    auto const columns = columns_of(hub, to);
    add_tree(hub, columns, vectors, true);
    add_own(hub, vectors);
    StageShape shape{StageKind::broadcast, false, static_cast<double>(vectors)};
    shape.slowest = static_cast<double>(closed_form::broadcast(timing_, columns.depth, 1));
    shape.borders = columns.borders;
    shape.loop = columns.depth > 0 ? closed_form::credit_round_trip(timing_) : 0;
    return shape;
}

StageShape StageCounter::reduction(Ground const& ground, TreeProgram::Group const& group) {
    StageShape shape{StageKind::reduction};
    std::size_t depth = 0;
    for (auto const* matrix : group.matrices) {
        for (std::int64_t col = 0; col < ground.matrices[matrix->tiling].summed; ++col) {
            auto const path = matrix->column(col);
            std::size_t const root = path.size() / 2;
            shape.empty = false;
            depth = std::max({depth, root, path.size() - 1 - root});
            for (std::size_t i = 0; i < path.size(); ++i) {
                add_own(path[i], 1);
                shape.borders = std::max(shape.borders, ruler_.borders(path[i], path[root]));
                if (i != root && counts_ != nullptr)
                    add_link(path[i], ruler_.mesh.towards(path[i], path[i < root ? i + 1 : i - 1]), 1);
            }
        }
    }
    if (shape.empty) return shape;
    shape.slowest = static_cast<double>(closed_form::reduction(timing_, static_cast<int>(depth), 1));
    shape.loop = depth > 0 ? closed_form::credit_round_trip(timing_) + timing_.adder : 0;
    return shape;
}

StageShape StageCounter::sum(Node hub, std::span<Node const> from, std::int64_t vectors) {
    auto const columns = columns_of(hub, from);
    add_tree(hub, columns, vectors, false);
    auto const& mesh = ruler_.mesh;
    std::vector<std::uint8_t> member(static_cast<std::size_t>(mesh.nodes()), 0);
    for (Node const node : from) {
        member[static_cast<std::size_t>(node)] = 1;
        add_own(node, vectors);
    }
    std::int32_t const row = mesh.row(hub), col = mesh.col(hub);
    auto const is_member = [&](std::int32_t y, std::int32_t x) {
        return member[static_cast<std::size_t>(mesh.at(y, x))];
    };
    auto const span_of = [&](std::int32_t x) { return columns.spans[static_cast<std::size_t>(x - columns.left)]; };
    // A router adds where more than one sum comes in.
    auto const step = [&](int operands) { return closed_form::per_hop(timing_) + (operands > 1 ? timing_.adder : 0); };
    sim::noc::Cycle longest = 0;
    auto const up_a_column = [&](std::int32_t x, sim::noc::Cycle way, int on_the_row) {
        auto const [top, bottom] = span_of(x);
        int const operands = on_the_row + is_member(row, x) + (top < row ? 1 : 0) + (bottom > row ? 1 : 0);
        for (std::int32_t const by : {-1, 1}) {
            std::int32_t const end = by < 0 ? top : bottom;
            auto there = way;
            int here = operands;
            for (std::int32_t y = row; y != end; y += by) {
                there += step(here);
                here = is_member(y + by, x) + (y + by != end ? 1 : 0);
            }
            longest = std::max(longest, there);
        }
        return operands;
    };
    int const beside = (columns.left < col ? 1 : 0) + (columns.right > col ? 1 : 0);
    int const at_hub = up_a_column(col, 0, beside);
    for (std::int32_t const by : {-1, 1}) {
        std::int32_t const end = by < 0 ? columns.left : columns.right;
        sim::noc::Cycle way = 0;
        int here = at_hub;
        for (std::int32_t x = col; x != end; x += by) {
            way += step(here);
            here = up_a_column(x + by, way, x + by != end ? 1 : 0);
        }
    }
    StageShape shape{StageKind::reduction, false, static_cast<double>(vectors)};
    shape.slowest = static_cast<double>(closed_form::fixed(timing_) + longest);
    shape.borders = columns.borders;
    if (longest > 0) shape.loop = closed_form::credit_round_trip(timing_) + (at_hub > 1 ? timing_.adder : 0);
    return shape;
}

void StageCounter::count(Stage const& unicasts) {
    for (auto const& message : unicasts.phase.messages) {
        auto const& one = std::get<sim::noc::Unicast>(message);
        add_path(one.source, one.destination);
    }
}

StageShape StageCounter::unicasts(Stage const& stage) {
    count(stage);
    return shape_of(ruler_, timing_, stage);
}

StageCounter::Columns StageCounter::columns_of(Node hub, std::span<Node const> nodes) const {
    auto const& mesh = ruler_.mesh;
    std::int32_t const row = mesh.row(hub), col = mesh.col(hub);
    Columns all{col, col, {}, 0.0, 0};
    std::vector<Span> spans(static_cast<std::size_t>(mesh.cols), Span{row, row});
    for (Node const node : nodes) {
        std::int32_t const y = mesh.row(node), x = node - y * mesh.cols;
        auto& span = spans[static_cast<std::size_t>(x)];
        span = {std::min(span.top, y), std::max(span.bottom, y)};
        all.left = std::min(all.left, x);
        all.right = std::max(all.right, x);
        all.depth = std::max(all.depth, std::abs(x - col) + std::abs(y - row));
    }
    all.spans.assign(spans.begin() + all.left, spans.begin() + all.right + 1);
    all.borders = std::max(ruler_.borders(mesh.at(0, all.left), mesh.at(0, col)),
                           ruler_.borders(mesh.at(0, col), mesh.at(0, all.right)));
    return all;
}

void StageCounter::add_tree(Node hub, Columns const& columns, std::int64_t vectors, bool outwards) {
    if (counts_ == nullptr) return;
    auto const& mesh = ruler_.mesh;
    std::int32_t const row = mesh.row(hub), col = mesh.col(hub);
    auto const add = [&](Node inner, Port out) {
        if (outwards)
            add_link(inner, out, vectors);
        else
            add_link(mesh.neighbour(inner, out), sim::noc::opposite(out), vectors);
    };
    for (std::int32_t x = columns.left; x < col; ++x) add(mesh.at(row, x + 1), Port::west);
    for (std::int32_t x = col; x < columns.right; ++x) add(mesh.at(row, x), Port::east);
    for (std::int32_t x = columns.left; x <= columns.right; ++x) {
        auto const [top, bottom] = columns.spans[static_cast<std::size_t>(x - columns.left)];
        for (std::int32_t y = top; y < row; ++y) add(mesh.at(y + 1, x), Port::north);
        for (std::int32_t y = row; y < bottom; ++y) add(mesh.at(y, x), Port::south);
    }
}

void StageCounter::add_path(Node from, Node to) {
    auto const& mesh = ruler_.mesh;
    add_own(from, 1);
    while (counts_ != nullptr && from != to) {
        Port const port = mesh.towards(from, to);
        add_link(from, port, 1);
        from = mesh.neighbour(from, port);
    }
}

}  // namespace pimdse::models::cim_mesh
