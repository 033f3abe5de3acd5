#include "dse/ladder/closed_boxes.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pimdse::dse::ladder {
namespace {

bool is_in(Box const& point, Box const& box) {
    for (std::size_t a = 0; a < box.axes.size(); ++a) {
        auto const at = point.axes[a].first;
        if (at < box.axes[a].first || at - box.axes[a].first >= box.axes[a].count) return false;
    }
    return true;
}

/// Halves until none has a hole.
void cut_around(ClosedBoxes::Closed whole, std::vector<Box> const& holes, std::vector<ClosedBoxes::Closed>& into) {
    std::vector<Box> inside;
    std::ranges::copy_if(holes, std::back_inserter(inside), [&](Box const& hole) { return is_in(hole, whole.box); });
    if (inside.empty()) return into.push_back(std::move(whole));
    if (whole.box.is_point()) return;
    auto const longest = std::ranges::max_element(whole.box.axes, {}, &Box::Run::count);
    auto [one, other] = whole.box.cut(static_cast<std::size_t>(longest - whole.box.axes.begin()));
    cut_around({whole.corner, std::move(one), true}, inside, into);
    cut_around({whole.corner, std::move(other), true}, inside, into);
}

}  // namespace

void ClosedBoxes::add(Closed closed) {
    before_.push_back(points_);
    points_ += closed.box.points();
    closed_.push_back(std::move(closed));
}

ClosedBoxes::Place ClosedBoxes::at(std::uint64_t position) const {
    sim::expects(position < points_, "the position is one of the boxes'");
    auto const after = std::ranges::upper_bound(before_, position);
    auto const index = static_cast<std::size_t>(after - before_.begin()) - 1;
    Place place{index, closed_[index].box};
    std::uint64_t rest = position - before_[index];
    for (auto& run : place.point.axes) {
        auto const size = run.count;
        run = {run.first + static_cast<std::uint32_t>(rest % size), 1};
        rest /= size;
    }
    return place;
}

void ClosedBoxes::take_out(Place const& place) {
    holes_[place.box].push_back(place.point);
    ++taken_;
}

std::vector<ClosedBoxes::Closed> ClosedBoxes::pieces() const {
    std::vector<Closed> pieces;
    pieces.reserve(closed_.size());
    for (std::size_t i = 0; i < closed_.size(); ++i) {
        auto const holes = holes_.find(i);
        if (holes == holes_.end())
            pieces.push_back(closed_[i]);
        else
            cut_around(closed_[i], holes->second, pieces);
    }
    return pieces;
}

}  // namespace pimdse::dse::ladder
