#include "dse/search/gap.hpp"

#include "dse/search/hypervolume.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pimdse::dse::search {
namespace {

/// Numbers of vectors whose hypervolume takes about a millisecond, by number of objectives.
constexpr std::array<std::size_t, ParetoTree::max_dimensions + 1> max_taken{0, 2000, 2000, 2000, 400, 150, 50};

/// An even selection of at most `max` vectors.
std::vector<Values> some_of(std::span<Values const> all, std::size_t max) {
    std::vector<Values> some;
    std::size_t const count = std::min(all.size(), max);
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
    return some;
}

/// Scales every objective to 0 at its best value, and 1 a tenth beyond its worst.
class Scale {
  public:
    explicit Scale(std::size_t objectives) : objectives_(objectives) {
        best_.fill(infinite);
        worst_.fill(-infinite);
    }
    void include(std::span<Values const> vectors) {
        for (auto const& vector : vectors) {
            for (std::size_t i = 0; i < objectives_; ++i) {
                if (!std::isfinite(vector[i])) continue;
                best_[i] = std::min(best_[i], vector[i]);
                worst_[i] = std::max(worst_[i], vector[i]);
            }
        }
    }
    void put(std::span<Values const> vectors, std::vector<double>& into) const {
        for (auto const& vector : vectors)
            for (std::size_t i = 0; i < objectives_; ++i) into.push_back(scaled(vector[i], i));
    }

  private:
    [[nodiscard]] double scaled(double value, std::size_t i) const {
        if (!std::isfinite(value)) return value;
        double const extent = worst_[i] - best_[i];
        return extent > 0.0 ? (value - best_[i]) / extent / 1.1 : 0.0;
    }
    std::size_t objectives_;
    Values best_{}, worst_{};
};

bool nothing_known(Values const& lower, std::size_t objectives) {
    return std::ranges::any_of(std::span(lower).first(objectives), [](double number) { return number == -infinite; });
}

}  // namespace

Gap gap_between(std::span<Values const> front, std::span<Values const> lower_bounds, std::size_t objectives) {
    std::size_t const max = max_taken.at(objectives);
    bool const rough = front.size() > max || lower_bounds.size() > max;
    if (lower_bounds.empty()) return {0.0, false};
    if (front.empty()) return {1.0, false};
    if (std::ranges::any_of(lower_bounds, [&](auto const& lower) { return nothing_known(lower, objectives); }))
        return {1.0, false};
    auto const members = some_of(front, max), others = some_of(lower_bounds, max);
    Scale scale(objectives);
    scale.include(members);
    scale.include(others);
    std::vector<double> vectors;
    scale.put(members, vectors);
    std::vector<double> const reference(objectives, 1.0);
    double const reached = search::hypervolume(vectors, reference);
    scale.put(others, vectors);
    double const possible = search::hypervolume(vectors, reference);
    return {possible > reached ? 1.0 - reached / possible : 0.0, rough};
}

Witnesses::Witnesses(std::vector<Entry> members, LowerBounds const& lower_bounds, std::size_t objectives)
    : members_(std::move(members)), lower_bounds_(lower_bounds), objectives_(objectives) {
    std::ranges::sort(members_, {}, &Entry::point);
}

bool Witnesses::put_pruned(LowerBounds::Item item, space::PointId point, Certificate& into) const {
    auto const ideal = lower_bounds_.of(item);
    auto const reach = lower_bounds_.reach(ideal);
    auto const witness = std::ranges::find_if(members_, [&](Entry const& member) {
        return dominates(member.values, member.point, reach, point, objectives_);
    });
    if (witness == members_.end()) return false;
    into.pruned.push_back(point);
    into.witnesses.push_back(witness->point);
    for (std::size_t i = 0; i < objectives_; ++i) {
        into.best[i].push_back(ideal[i]);
        if (lower_bounds_.is_calibrated(item, i)) into.grounds[i].kind = models::Bound::calibrated;
    }
    return true;
}

}  // namespace pimdse::dse::search
