#include "models/cim_mesh/layer/meetings.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace pimdse::models::cim_mesh {
namespace {

/// What a message has on a line of links in one direction, counted along it. `before` and `behind` plus and minus the
/// place on the line are its hops up to there and from there on.
struct Leg {
    std::int32_t line, start, end, hops, before, behind;
};

void add_legs(std::vector<Leg>& legs, sim::noc::Mesh mesh, Way const& way) {
    std::int32_t const cols = way.to.col - way.from.col, rows = way.to.row - way.from.row;
    std::int32_t const width = std::abs(cols), height = std::abs(rows), hops = width + height;
    if (width > 0) {
        std::int32_t const start = cols > 0 ? way.from.col : -way.from.col;
        legs.push_back(
            {2 * way.from.row + (cols > 0 ? 0 : 1), start, start + width, hops, -start, start + width + height});
    }
    if (height > 0) {
        std::int32_t const start = rows > 0 ? way.from.row : -way.from.row;
        legs.push_back({2 * (mesh.rows + way.to.col) + (rows > 0 ? 0 : 1), start, start + height, hops, width - start,
                        start + height});
    }
}

/// Messages on a line at the same place.
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

/// The least of what is on its way, by when it ends.
class LeastOnItsWay {
  public:
    void add(std::int32_t value, std::int32_t end) {
        heap_.push_back({value, end});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }
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

/// Walks along lines from one start or end of a leg to the next.
class Sweep {
  public:
    explicit Sweep(std::size_t messages) : soonest_(messages), sure_(messages) {}

    /// Of one line, by start.
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
    /// Of messages that start or end in the same router, the least hops.
    void end(std::size_t packets, std::int32_t hops) { add(packets, hops, hops); }
    [[nodiscard]] Meetings result(sim::noc::RouterTiming const& timing) const {
        return {soonest_.latest(timing), sure_.latest(timing)};
    }

  private:
    /// All of them start before one ends: they come one after the other, and go so.
    void meet(std::span<Leg const> legs, std::int32_t Leg::*place) {
        Together all;
        for (std::size_t i = 0; i < legs.size(); ++i) {
            all.add(legs[i]);
            if (i + 1 == legs.size() || legs[i + 1].*place != legs[i].*place)
                add(all.packets, all.hops, all.before + all.behind);
        }
    }
    void cross(std::span<Leg const> legs) {
        for (auto* least : {&hops_, &before_, &behind_}) least->clear();
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
    LeastOnItsWay hops_, before_, behind_;
    std::vector<std::int32_t> ends_;
    std::vector<Leg> part_;
};

void add_lines(Sweep& sweep, sim::noc::Mesh mesh, std::span<Way const> ways) {
    std::vector<Leg> legs;
    legs.reserve(2 * ways.size());
    for (auto const& way : ways) add_legs(legs, mesh, way);
    std::sort(legs.begin(), legs.end(),
              [](Leg const& a, Leg const& b) { return a.line != b.line ? a.line < b.line : a.start < b.start; });
    for (std::size_t first = 0, last = 0; first < legs.size(); first = last) {
        while (last < legs.size() && legs[last].line == legs[first].line) ++last;
        sweep.line(std::span(legs).subspan(first, last - first));
    }
}

/// Routers in which messages start, or end.
void add_ends(Sweep& sweep, sim::noc::Mesh mesh, std::span<Way const> ways, Router Way::*end) {
    std::vector<std::pair<sim::noc::Node, std::int32_t>> hops;
    hops.reserve(ways.size());
    for (auto const& way : ways)
        hops.emplace_back(mesh.at((way.*end).row, (way.*end).col), hops_between(way.from, way.to));
    std::sort(hops.begin(), hops.end());
    for (std::size_t first = 0, last = 0; first < hops.size(); first = last) {
        while (last < hops.size() && hops[last].first == hops[first].first) ++last;
        sweep.end(last - first, hops[first].second);
    }
}

}  // namespace

std::vector<MeetingPort> PortTimes::latest(sim::noc::RouterTiming const& timing) const {
    std::vector<MeetingPort> ports;
    std::int32_t before = -1;
    for (std::size_t packets = most_.size(); packets-- > 1;) {
        if (most_[packets] <= before) continue;
        before = most_[packets];
        ports.push_back(
            {static_cast<double>(packets), static_cast<double>(sim::noc::closed_form::unicast(timing, before, 1))});
    }
    return ports;
}

Meetings meetings_of(sim::noc::Mesh mesh, sim::noc::RouterTiming const& timing, std::span<Way const> ways) {
    Sweep sweep(ways.size());
    add_lines(sweep, mesh, ways);
    add_ends(sweep, mesh, ways, &Way::from);
    add_ends(sweep, mesh, ways, &Way::to);
    return sweep.result(timing);
}

}  // namespace pimdse::models::cim_mesh
