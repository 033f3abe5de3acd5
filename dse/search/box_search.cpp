#include "dse/search/box_search.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <tuple>

namespace pimdse::dse::search {
namespace {

void put_box(Box const& box, space::PointId first, std::vector<space::PointId>& ids,
             std::vector<std::uint32_t>& counts) {
    ids.push_back(first);
    for (auto const& run : box.axes) counts.push_back(run.count);
}

/// Halves a box until no part contains a hole; single points that are holes are left out.
void cut_around(PrunedBoxes::Pruned whole, std::vector<Box> const& holes, std::vector<PrunedBoxes::Pruned>& into) {
    std::vector<Box> inside;
    std::ranges::copy_if(holes, std::back_inserter(inside), [&](Box const& hole) { return whole.box.contains(hole); });
    if (inside.empty()) return into.push_back(std::move(whole));
    if (whole.box.is_point()) return;
    auto const longest = std::ranges::max_element(whole.box.axes, {}, &Box::Run::count);
    auto [one, other] = whole.box.cut(static_cast<std::size_t>(longest - whole.box.axes.begin()));
    cut_around({whole.ideal, std::move(one), true}, inside, into);
    cut_around({whole.ideal, std::move(other), true}, inside, into);
}

}  // namespace

bool BoxSearch::Node::operator<(Node const& other) const {
    return std::tie(sum, ideal, first) < std::tie(other.sum, other.ideal, other.first);
}

BoxSearch::BoxSearch(Settings settings, Grids& grids, BoundedSearch::KeyOf key_of,
                     BoundedSearch::DifferenceOf difference_of, std::uint64_t patience)
    : settings_(settings),
      max_patience_(patience),
      grids_(grids),
      bounded_search_(settings, std::move(key_of), std::move(difference_of)),
      queue_(settings.objectives),
      patience_(patience) {
    for (auto& box : grids.whole()) {
        axes_ = box.axes.size();
        points_ += box.points();
        put(std::move(box), nullptr);
    }
}

/// A sum that is monotone in each number of the ideal point; the first known ideal point sets the scales.
double BoxSearch::sum_of(Values const& ideal) {
    auto const numbers = std::span(ideal).first(settings_.objectives);
    if (std::ranges::find(numbers, -infinite) != numbers.end()) return -infinite;
    if (!std::exchange(scaled_, true)) {
        std::ranges::transform(numbers, scale_.begin(), [](double number) {
            return std::isfinite(number) && number != 0.0 ? std::abs(number) : 1.0;
        });
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) sum += numbers[i] / scale_[i];
    return sum;
}

/// Bounds a box and queues it. The bounds of the enclosing box hold for its parts, too.
void BoxSearch::put(Box box, Values const* parent) {
    auto ideal = grids_.bound(box);
    ++bounded_;
    if (!ideal) {
        refused_points_ += box.points();
        return refused_.push_back(std::move(box));
    }
    for (std::size_t i = 0; parent != nullptr && i < settings_.objectives; ++i)
        (*ideal)[i] = std::max((*ideal)[i], (*parent)[i]);
    double const sum = sum_of(*ideal);
    auto const first = grids_.first_of(box);
    queue_.put({sum, *ideal, first, std::move(box)}, first, bounded_search_.reach(*ideal));
}

void BoxSearch::wait_for(space::PointId by, Node node) {
    auto const first = node.first;
    auto const reach = bounded_search_.reach(node.ideal);
    queue_.wait_for(by, std::move(node), first, reach);
}

void BoxSearch::visit_next(std::vector<space::PointId>& runs) {
    auto const judge = [this](space::PointId first, Values const& reach) {
        return bounded_search_.status(first, reach);
    };
    if (auto node = queue_.visit(judge, [this](Node dominated) { prune(std::move(dominated)); }))
        look_at(std::move(*node), runs);
}

std::vector<space::PointId> BoxSearch::ask(std::uint64_t max) {
    auto runs = bounded_search_.rest_of_batch(max);
    if (!runs.empty()) return runs;
    if (!bounded_search_.has_in_flight()) patience_ = max_patience_;
    auto const wanted = bounded_search_.begin_batch(max);
    while (runs.size() < wanted && !queue_.idle() && patience_ > 0 && bounded_search_.may_run()) {
        --patience_;
        visit_next(runs);
    }
    runs = bounded_search_.end_batch(std::move(runs), max);
    bool const all_seen = queue_.idle() || !bounded_search_.may_run();
    if (!runs.empty() || !all_seen) return runs;
    if (!bounded_search_.has_in_flight()) runs = bounded_search_.confirmations(max);
    if (runs.empty() && !bounded_search_.has_in_flight() && settings_.audit > 0 && !bounded_search_.auditing().begun())
        bounded_search_.auditing().begin(pruned_.points());
    if (runs.empty()) runs = audited(max);
    return runs.empty() ? bounded_search_.audited_equal_keys(max) : runs;
}

std::vector<space::PointId> BoxSearch::audited(std::uint64_t max) {
    std::vector<space::PointId> runs;
    auto& audit = bounded_search_.auditing();
    while (auto const next = runs.size() < max ? audit.next() : std::nullopt) {
        auto const place = pruned_.at(*next);
        auto ideal = grids_.bound(place.point);
        if (!ideal) {  // it has no feasible result
            audit.taken();
            continue;
        }
        for (std::size_t i = 0; i < settings_.objectives; ++i)
            (*ideal)[i] = std::max((*ideal)[i], pruned_.ideal_point_of(place)[i]);
        auto const point = grids_.first_of(place.point);
        bounded_search_.audit(point, {*ideal});
        audit.taken();
        pruned_.take_out(place);
        runs.push_back(point);
    }
    return runs;
}

void BoxSearch::look_at(Node node, std::vector<space::PointId>& runs) {
    auto const status = bounded_search_.status(node.first, bounded_search_.reach(node.ideal));
    if (status.kind == SearchStatus::Kind::dominated) return prune(std::move(node));
    if (status.kind == SearchStatus::Kind::blocked) return wait_for(status.by, std::move(node));
    if (node.box.is_point()) return run(std::move(node), runs);
    auto [one, other] = node.box.cut(grids_.axis_to_cut(node.box));
    put(std::move(one), &node.ideal);
    put(std::move(other), &node.ideal);
}

void BoxSearch::run(Node node, std::vector<space::PointId>& runs) {
    auto const status = bounded_search_.run(node.first, {node.ideal});
    if (status.kind == SearchStatus::Kind::free) runs.push_back(node.first);
    if (status.kind == SearchStatus::Kind::blocked) wait_for(status.by, std::move(node));
}

void BoxSearch::tell(space::PointId point, Reply const& reply) {
    patience_ = max_patience_;
    queue_.release(point);
    bounded_search_.tell(point, reply);
}

bool BoxSearch::waits() const {
    return !queue_.idle() && bounded_search_.may_run() && !bounded_search_.has_in_flight();
}

Standing BoxSearch::standing() const {
    auto lower_bounds = bounded_search_.possible();
    queue_.each(BoundedSearch::max_possible, [&](Node const& node) { lower_bounds.push_back(node.ideal); });
    auto standing = bounded_search_.standing(std::move(lower_bounds), queue_.size() <= BoundedSearch::max_possible);
    standing.pruned += pruned_.points();
    standing.open += points_ - pruned_.points() - refused_points_ - bounded_search_.points();
    return standing;
}

/// Records a leaf as pruned if the current front dominates it, even if it was not visited since; else as open.
void BoxSearch::put_leaf(Node const& node, Certificate& into) const {
    auto const witness = bounded_search_.witness_of(node.first, node.ideal);
    if (!witness) return put_box(node.box, node.first, into.open, into.open_extents);
    put_box(node.box, node.first, into.pruned, into.pruned_extents);
    into.witnesses.push_back(*witness);
    for (std::size_t i = 0; i < settings_.objectives; ++i) into.best[i].push_back(node.ideal[i]);
}

Certificate BoxSearch::certificate() const {
    auto certificate = bounded_search_.certificate();  // single points only, none of them pruned
    certificate.open_extents.assign(certificate.open.size() * axes_, 1);
    std::vector<Node> pruned;
    auto refused = refused_;
    for (auto& piece : pruned_.pieces()) {
        if (piece.cut && !grids_.bound(piece.box)) {
            refused.push_back(std::move(piece.box));
            continue;
        }
        auto const first = grids_.first_of(piece.box);
        pruned.push_back({0.0, piece.ideal, first, std::move(piece.box)});
    }
    std::vector<Node const*> leaves;
    for (auto const& node : pruned) leaves.push_back(&node);
    queue_.each(queue_.size(), [&](Node const& node) { leaves.push_back(&node); });
    std::ranges::sort(leaves, {}, [](Node const* node) { return node->first; });
    for (auto const* node : leaves) put_leaf(*node, certificate);
    for (auto const& box : refused)
        put_box(box, grids_.first_of(box), certificate.refused, certificate.refused_extents);
    return certificate;
}

std::uint64_t Box::points() const {
    std::uint64_t points = 1;
    for (auto const& run : axes) points *= run.count;
    return points;
}

std::pair<Box, Box> Box::cut(std::size_t axis) const {
    sim::expects(axes.at(axis).count >= 2, "the axis has two positions or more");
    std::pair<Box, Box> halves{*this, *this};
    std::uint32_t const more = axes[axis].count - axes[axis].count / 2;
    halves.first.axes[axis].count = more;
    halves.second.axes[axis] = {axes[axis].first + more, axes[axis].count - more};
    return halves;
}

bool Box::contains(Box const& point) const {
    return std::ranges::equal(axes, point.axes, [](Run const& run, Run const& at) {
        return at.first >= run.first && at.first - run.first < run.count;
    });
}

void PrunedBoxes::add(Pruned pruned) {
    before_.push_back(points_);
    points_ += pruned.box.points();
    pruned_.push_back(std::move(pruned));
}

PrunedBoxes::Place PrunedBoxes::at(std::uint64_t position) const {
    sim::expects(position < points_, "the position is below the number of points of all boxes");
    auto const after = std::ranges::upper_bound(before_, position);
    auto const index = static_cast<std::size_t>(after - before_.begin()) - 1;
    Place place{index, pruned_[index].box};
    std::uint64_t rest = position - before_[index];
    for (auto& run : place.point.axes) {
        auto const size = run.count;
        run = {run.first + static_cast<std::uint32_t>(rest % size), 1};
        rest /= size;
    }
    return place;
}

void PrunedBoxes::take_out(Place const& place) {
    holes_[place.box].push_back(place.point);
    ++taken_;
}

std::vector<PrunedBoxes::Pruned> PrunedBoxes::pieces() const {
    std::vector<Pruned> pieces;
    pieces.reserve(pruned_.size());
    for (std::size_t i = 0; i < pruned_.size(); ++i) {
        auto const holes = holes_.find(i);
        if (holes == holes_.end())
            pieces.push_back(pruned_[i]);
        else
            cut_around(pruned_[i], holes->second, pieces);
    }
    return pieces;
}

}  // namespace pimdse::dse::search
