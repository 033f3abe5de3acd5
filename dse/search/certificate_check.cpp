#include "dse/search/certificate_check.hpp"

#include "dse/search/ideal_point.hpp"
#include "dse/search/space_grids.hpp"
#include "dse/space/space.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace pimdse::dse::search {
namespace {

using models::Fidelity;
using space::PointId;

class Check {
  public:
    Check(Certificate const& certificate, ResultStore const& store, space::Space const& space)
        : certificate_(certificate), store_(store), space_(space) {}

    std::vector<std::string> run() {
        if (certificate_.points != space_.size())
            return {"the certificate is for a space with another number of points"};
        if (!certificate_.grids.empty()) return run_on_boxes();
        places_.assign(space_.size(), 0);
        place(certificate_.pruned);
        place(certificate_.equal_keys);
        place(certificate_.open);
        if (!wrong_.empty()) return sentences();
        for (std::size_t i = 0; i < certificate_.pruned.size(); ++i) check_pruned(i);
        check_grounds();
        check_runs();
        check_audit(evaluated_only(), [this](PointId id) {
            auto const coarse = result(id, Fidelity::analytic);
            auto const ideal = coarse ? coarse_ideal_point(space_, *coarse) : std::nullopt;
            return ideal ? std::optional(widened(*ideal)) : std::nullopt;
        });
        for (std::size_t i = 0; i < certificate_.equal_keys.size(); ++i) check_equal_key(i);
        std::uint64_t infeasible = 0;
        for (std::uint64_t id = 0; id < space_.size(); ++id) infeasible += check_rest(PointId{id});
        if (infeasible != certificate_.infeasible && wrong_.empty())
            return {fmt::format("the certificate counts {} infeasible points, and there are {}",
                                certificate_.infeasible, infeasible)};
        return sentences();
    }

  private:
    /// As run(), for pruned, open and refused boxes; coarse results are recomputed.
    std::vector<std::string> run_on_boxes() {
        SpaceGrids grids(space_);
        if (certificate_.grids != grids.axes().numbering())
            return {"the certificate numbers points in another way than its space"};
        auto alone = evaluated_only();
        if (!has_each_point_once(alone)) {
            leave_out_boxed(alone, grids.axes());  // an earlier search simulated them
            if (!has_each_point_once(alone)) return {"certificate: a point is in no list, or in two"};
        }
        std::size_t const axes = certificate_.grids.front().sizes.size();
        for (std::size_t i = 0; i < certificate_.pruned.size(); ++i) {
            auto const counts = std::span(certificate_.pruned_extents).subspan(i * axes, axes);
            check_dominating(i, grids.bound(grids.axes().box_of(certificate_.pruned[i], counts)));
        }
        for (std::size_t i = 0; i < certificate_.refused.size(); ++i) {
            auto const counts = std::span(certificate_.refused_extents).subspan(i * axes, axes);
            if (grids.bound(grids.axes().box_of(certificate_.refused[i], counts)))
                report("is refused although its bounds allow it to be feasible", certificate_.refused[i]);
        }
        for (std::size_t i = 0; i < certificate_.equal_keys.size(); ++i) check_equal_key(i);
        check_grounds();
        check_runs();
        for (auto const id : alone) check_bounds(id, coarse_ideal_point(space_, id));
        check_audit(alone, [&](PointId id) { return grids.bound(point_at(grids.axes(), id)); });
        return sentences();
    }

    [[nodiscard]] bool has_each_point_once(std::vector<PointId> const& alone) const {
        BoxTally tally(certificate_.grids);
        tally.add(certificate_.pruned, certificate_.pruned_extents);
        tally.add(certificate_.open, certificate_.open_extents);
        tally.add(certificate_.refused, certificate_.refused_extents);
        tally.add(certificate_.equal_keys, {});
        tally.add(alone, {});
        return tally.has_each_point_once();
    }

    [[nodiscard]] Box point_at(SpaceAxes const& axes, PointId id) const {
        std::vector<std::uint32_t> const one(certificate_.grids.front().sizes.size(), 1);
        return axes.box_of(id, one);
    }

    /// Removes the points that are in a box.
    void leave_out_boxed(std::vector<PointId>& alone, SpaceAxes const& axes) const {
        std::vector<Box> points;
        for (auto const id : alone) points.push_back(point_at(axes, id));
        std::vector<bool> boxed(alone.size(), false);
        auto const look_in = [&](std::vector<PointId> const& firsts, std::vector<std::uint32_t> const& extents) {
            std::size_t const width = certificate_.grids.front().sizes.size();
            for (std::size_t i = 0; i < firsts.size(); ++i) {
                if (static_cast<std::uint64_t>(firsts[i]) >= space_.size()) continue;
                auto const box = axes.box_of(firsts[i], std::span(extents).subspan(i * width, width));
                for (std::size_t p = 0; p < points.size(); ++p)
                    if (points[p].grid == box.grid && box.contains(points[p])) boxed[p] = true;
            }
        };
        look_in(certificate_.pruned, certificate_.pruned_extents);
        look_in(certificate_.open, certificate_.open_extents);
        look_in(certificate_.refused, certificate_.refused_extents);
        std::size_t kept = 0;
        for (std::size_t p = 0; p < points.size(); ++p)
            if (!boxed[p]) alone[kept++] = alone[p];
        alone.resize(kept);
    }

    /// Points evaluated at cycle level that are in no other list; with boxes, some of them may be in one.
    [[nodiscard]] std::vector<PointId> evaluated_only() const {
        std::vector<PointId> elsewhere = certificate_.equal_keys, ids;
        elsewhere.insert(elsewhere.end(), certificate_.open.begin(), certificate_.open.end());
        if (certificate_.grids.empty())
            elsewhere.insert(elsewhere.end(), certificate_.pruned.begin(), certificate_.pruned.end());
        std::ranges::sort(elsewhere);
        for (auto const id : at_cycle_level())
            if (decided_at_cycle_level(id) && !std::ranges::binary_search(elsewhere, id)) ids.push_back(id);
        return ids;
    }

    [[nodiscard]] std::vector<PointId> at_cycle_level() const {
        std::vector<PointId> ids;
        for (std::size_t row = 0; row < store_.size(); ++row)
            if (auto const task = store_.task(row); task.fidelity == Fidelity::cycle) ids.push_back(task.point);
        return ids;
    }

    void report(std::string const& what, PointId id) { wrong_.emplace(what, index_of(id)); }

    std::vector<std::string> sentences() const {
        std::vector<std::string> list;
        list.insert(list.end(), general_.begin(), general_.end());
        for (auto const& [what, id] : wrong_) list.push_back(fmt::format("certificate: point {} {}", id, what));
        return list;
    }

    void place(std::vector<PointId> const& ids) {
        for (auto const id : ids) {
            if (index_of(id) >= places_.size())
                report("is beyond its space", id);
            else if (places_[index_of(id)]++ != 0)
                report("is in two lists", id);
        }
    }

    [[nodiscard]] std::optional<space::Result> result(PointId id, Fidelity fidelity) const {
        auto const row = store_.find({id, fidelity});
        return row ? std::optional(store_.result(*row)) : std::nullopt;
    }
    [[nodiscard]] bool decided_at_cycle_level(PointId id) const {
        auto const row = store_.find({id, Fidelity::cycle});
        return row && (store_.status(*row) == Status::ok || store_.status(*row) == Status::infeasible);
    }
    /// The objectives of the cycle-level result, all minimised.
    [[nodiscard]] std::optional<Values> fine_values(PointId id) const {
        auto const fine = result(id, Fidelity::cycle);
        auto const* metrics = fine ? std::get_if<models::Metrics>(&fine->outcome) : nullptr;
        return metrics != nullptr ? std::optional(search::values_of(*metrics, space_.objectives())) : std::nullopt;
    }

    [[nodiscard]] bool is_known(Values const& values) const {
        return std::none_of(values.begin(), values.begin() + std::ptrdiff_t(space_.objectives().size()),
                            [](double value) { return std::isnan(value); });
    }

    [[nodiscard]] double best(std::size_t objective, std::size_t pruned) const {
        return space::minimised(certificate_.best[objective][pruned], space_.objectives()[objective].better);
    }

    void check_pruned(std::size_t at) {
        auto const id = certificate_.pruned[at];
        auto const coarse = result(id, Fidelity::analytic);
        auto const ideal = coarse ? coarse_ideal_point(space_, *coarse) : std::nullopt;
        if (!ideal) return report("is pruned by bounds that it does not have", id);
        for (std::size_t i = 0; i < space_.objectives().size(); ++i) {
            calibrated_[i] = calibrated_[i] || ideal->is_calibrated(i);
            if (ideal->is_calibrated(i) && certificate_.grounds[i].kind == models::Bound::proved)
                report("is pruned by a bound that is stated as proved and is not", id);
        }
        check_dominating(at, widened(*ideal));
    }

    /// To be called after all pruned points were checked.
    void check_grounds() {
        for (std::size_t i = 0; i < space_.objectives().size(); ++i) {
            if (certificate_.grounds[i].kind != models::Bound::proved && !calibrated_[i])
                general_.push_back(fmt::format(
                    "the certificate states that bounds of {} are {}, and those that pruned a point are proved",
                    space_.metrics()[space_.objectives()[i].metric].name,
                    sim::name_of(sim::BoundKinds(certificate_.grounds[i].kind))));
        }
    }

    /// A complete search has a row for each point that it simulated.
    void check_runs() {
        auto const fine = at_cycle_level().size();
        auto const& c = certificate_;
        if ((c.open.empty() && c.runs > fine) || c.audited > c.runs || c.audited_equal_keys > c.runs ||
            c.audited_wrong > c.audited)
            general_.push_back(
                fmt::format("the certificate counts {} points simulated, {} of them pruned points and {} equal-key "
                            "points of an audit, and there are {} rows of cycle level",
                            c.runs, c.audited, c.audited_equal_keys, fine));
        bool const widened =
            std::ranges::any_of(c.grounds, [](Certificate::Ground const& ground) { return ground.slack > 0.0; });
        if (widened != (c.below > 0))
            general_.push_back(fmt::format(
                "the certificate counts {} results better than a calibrated bound, and its bounds were {}widened",
                c.below, widened ? "" : "not "));
    }

    /// Only an audit simulates a point that a member of the front dominates by its bounds: the search visits such a
    /// member first. (Not so if bounds were widened meanwhile, or if members prune more than they dominate.) `alone`:
    /// evaluated points that are in no list.
    template <class BoundsOf>
    void check_audit(std::vector<PointId> alone, BoundsOf const& bounds_of) {
        auto const& c = certificate_;
        if (c.epsilon > 0.0 || c.below > 0) return;
        auto const objectives = space_.objectives().size();
        ParetoTree front(objectives);
        auto open = c.open;
        std::ranges::sort(open);
        for (auto const id : at_cycle_level()) {
            if (auto const fine = fine_values(id); fine && is_known(*fine)) front.insert({*fine, id});
            if (!decided_at_cycle_level(id) && std::ranges::binary_search(open, id)) alone.push_back(id);
        }
        std::uint64_t dominated = 0;
        for (auto const id : alone) {
            auto const lower_bounds = bounds_of(id);
            auto const* member = lower_bounds ? front.dominator(*lower_bounds) : nullptr;
            if (member != nullptr && search::dominates(member->values, member->point, *lower_bounds, id, objectives))
                ++dominated;
        }
        if (c.audited == dominated && c.audited_wrong == 0) return;
        general_.push_back(
            fmt::format("the certificate counts {} pruned points that an audit simulated, {} of them wrong, and {} "
                        "points were simulated although a member of the front dominates their bounds",
                        c.audited, c.audited_wrong, dominated));
    }

    [[nodiscard]] Values widened(IdealPoint const& ideal) const {
        Values lower_bounds = ideal.lower;
        for (std::size_t i = 0; i < space_.objectives().size(); ++i) {
            if (ideal.is_calibrated(i))
                lower_bounds[i] = search::widened(lower_bounds[i], certificate_.grounds[i].slack);
        }
        return lower_bounds;
    }

    void check_dominating(std::size_t at, std::optional<Values> const& lower_bounds) {
        auto const id = certificate_.pruned[at];
        if (!lower_bounds) return report("is pruned although none of its points is feasible", id);
        auto const witness = fine_values(certificate_.witnesses[at]);
        if (!witness) return report("has a witness without a result at cycle level", id);
        Values stated{};
        for (std::size_t i = 0; i < space_.objectives().size(); ++i) {
            stated[i] = best(i, at);
            if (stated[i] > (*lower_bounds)[i]) report("could be better than the certificate states", id);
        }
        auto const objectives = space_.objectives().size();
        auto const reach = search::relaxed(stated, certificate_.epsilon, objectives);
        if (!search::dominates(*witness, certificate_.witnesses[at], reach, id, objectives))
            report("could be better than its witness, or equal with the smaller id", id);
    }

    void check_equal_key(std::size_t at) {
        auto const id = certificate_.equal_keys[at], other = certificate_.representatives[at];
        if (index_of(other) >= space_.size() || space::cycle_key(space_, id) != space::cycle_key(space_, other))
            report("does not have the cycle key of its representative", id);
        else if (!decided_at_cycle_level(other))
            report("has a representative without a result at cycle level", id);
        else if (auto const difference = difference_of_equal_keys(space_, other, id))
            report(fmt::format("has the cycle key of point {} and {}", index_of(other), *difference), id);
        else if (auto const ideal = coarse_ideal_point(space_, id); !ideal)
            report("is an equal-key point although its bounds refuse it", id);
        else if (auto const fine = fine_values(other); fine && is_below_proved(*fine, *ideal))
            report("has the result of its representative, which is better than its proved bounds", id);
    }

    [[nodiscard]] bool is_below_proved(Values const& fine, IdealPoint const& ideal) const {
        for (std::size_t i = 0; i < space_.objectives().size(); ++i) {
            if (!ideal.is_calibrated(i) && fine[i] < ideal.lower[i]) return true;
        }
        return false;
    }

    /// Checks a point's bounds, and that it is in some list; returns 1 if it is infeasible at every level, else 0.
    int check_rest(PointId id) {
        auto const coarse = result(id, Fidelity::analytic);
        if (!coarse && places_[index_of(id)] == 0) report("has no result at all", id);
        if (!coarse) return 0;
        auto const ideal = coarse_ideal_point(space_, *coarse);
        check_bounds(id, ideal);
        if (places_[index_of(id)] != 0 || (ideal && decided_at_cycle_level(id))) return 0;
        if (ideal) report("is in no list", id);
        return ideal ? 0 : 1;
    }

    void check_bounds(PointId id, std::optional<IdealPoint> const& ideal) {
        auto const fine = fine_values(id);
        if (!fine) return;
        if (!ideal) return report("is feasible at cycle level although its bounds refuse it", id);
        if (is_below_proved(*fine, *ideal)) report("is better than its proved bounds", id);
    }

    Certificate const& certificate_;
    ResultStore const& store_;
    space::Space const& space_;
    std::vector<std::uint8_t> places_;  ///< number of lists that a point is in
    std::array<bool, ParetoTree::max_dimensions>
        calibrated_{};  ///< objectives with a calibrated bound that pruned a point
    std::map<std::string, std::uint64_t, std::less<>> wrong_;  ///< problem, and the first point that has it
    std::vector<std::string> general_;                         ///< problems that do not concern a single point
};

__extension__ using Product = unsigned __int128;  // product of two 64-bit numbers

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return (a + b) % prime; }
std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return (a + (prime - b)) % prime; }
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<Product>(a) * b % prime);
}

/// A sequence of pseudo-random weights.
class Weights {
  public:
    std::uint64_t next() { return sim::mixed_bits(sim::golden_step * ++count_) % prime; }

  private:
    std::uint64_t count_ = 0;
};

}  // namespace

std::vector<std::string> wrong_in_certificate(Certificate const& certificate, ResultStore const& store,
                                              space::Space const& space) {
    if (certificate.grounds.size() != space.objectives().size() || certificate.best.size() != space.objectives().size())
        return {"the certificate is for other objectives"};
    return Check(certificate, store, space).run();
}

std::uint64_t BoxTally::Weighed::whole() const {
    std::uint64_t all = factor;
    for (auto const& axis : before) all = times(all, axis.back());
    return all;
}

BoxTally::BoxTally(std::span<Certificate::Grid const> grids) {
    Weights weights;
    for (auto const& grid : grids) {
        Weighed weighed{grid.first, 1, weights.next(), {}};
        for (auto const size : grid.sizes) {
            std::vector<std::uint64_t> before{0};
            for (std::uint64_t i = 0; i < size; ++i) before.push_back(plus(before.back(), weights.next()));
            weighed.before.push_back(std::move(before));
            weighed.points *= size;
        }
        whole_ = plus(whole_, weighed.whole());
        grids_.push_back(std::move(weighed));
    }
}

std::optional<std::uint64_t> BoxTally::weight_of(space::PointId first, std::span<std::uint32_t const> counts) const {
    auto const id = index_of(first);
    auto const behind = std::ranges::upper_bound(grids_, id, {}, &Weighed::first);
    if (behind == grids_.begin()) return std::nullopt;
    auto const& grid = *(behind - 1);
    if (id - grid.first >= grid.points) return std::nullopt;
    std::uint64_t weight = grid.factor, rest = id - grid.first;
    for (std::size_t a = grid.before.size(); a-- > 0;) {
        auto const& before = grid.before[a];
        std::uint64_t const size = before.size() - 1, position = rest % size;
        std::uint64_t const count = counts.empty() ? 1 : counts[a];
        if (position + count > size) return std::nullopt;
        weight = times(weight, minus(before[position + count], before[position]));
        rest /= size;
    }
    return weight;
}

void BoxTally::add(std::span<space::PointId const> firsts, std::span<std::uint32_t const> extents) {
    std::size_t const axes = extents.empty() ? 0 : extents.size() / firsts.size();
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        auto const weight = weight_of(firsts[i], extents.subspan(i * axes, axes));
        beyond_ = beyond_ || !weight;
        sum_ = plus(sum_, weight.value_or(0));
    }
}

}  // namespace pimdse::dse::search
