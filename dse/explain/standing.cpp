#include "dse/explain/standing.hpp"

#include "dse/explain/share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pimdse::dse::explain {
namespace {

constexpr std::size_t most_rivals = 5;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What one point is among others, gathered one by one.
class Gathering {
  public:
    Gathering(Landscape const& landscape, task::PointId point, std::span<double const> vector)
        : landscape_(landscape), point_(point), own_(vector), turns_(vector.size()) {
        standing_.turns.resize(own_.size());
    }

    PointStanding run() {
        for (auto const at : landscape_.front()) look_at_member(at);
        standing_.on_front = witnesses_.empty();
        for (std::size_t at = 0; at < landscape_.size(); ++at) look_at(at);
        name_turns();
        standing_.witnesses = in_order(witnesses_, witnesses_.size());
        standing_.rivals = in_order(rivals_, most_rivals);
        return std::move(standing_);
    }

  private:
    using Ranked = std::pair<double, task::PointId>;  ///< what comes first is less

    static std::vector<task::PointId> in_order(std::vector<Ranked>& ranked, std::size_t most) {
        std::ranges::sort(ranked);
        std::vector<task::PointId> points;
        for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) points.push_back(ranked[i].second);
        return points;
    }

    [[nodiscard]] bool equals_own(std::size_t at) const { return std::ranges::equal(landscape_.vector(at), own_); }

    void look_at_member(std::size_t at) {
        auto const id = landscape_.id(at);
        if (id == point_) return;
        double const lead = lead_of(landscape_.vector(at), own_);
        if (lead >= 0.0 && !(equals_own(at) && point_ < id)) witnesses_.emplace_back(-lead, id);
        rivals_.emplace_back(distance(at), id);
    }

    /// The largest share by which the two differ.
    [[nodiscard]] double distance(std::size_t at) const {
        double most = 0.0;
        for (std::size_t i = 0; i < own_.size(); ++i)
            most = std::max(most, std::abs(share_below(own_[i], landscape_.vector(at)[i])));
        return most;
    }

    void look_at(std::size_t at) {
        if (landscape_.id(at) == point_) return;
        auto const other = landscape_.vector(at);
        if (lead_of(own_, other) >= 0.0) ++standing_.covers;
        standing_.behind = std::max(standing_.behind.value_or(-infinity), lead_of(other, own_));
        std::size_t worse = 0, where = 0;
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (other[i] <= own_[i]) continue;
            ++worse;
            where = i;
        }
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (worse == 0 || (worse == 1 && where == i)) offer(i, at);
        }
    }

    /// This point is as good in all but objective i; the one that is least there counts.
    void offer(std::size_t i, std::size_t at) {
        auto& turn = turns_[i];
        if (!turn || landscape_.vector(at)[i] < landscape_.vector(*turn)[i]) turn = at;
    }

    void name_turns() {
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (!turns_[i]) continue;
            double const there = landscape_.vector(*turns_[i])[i];
            standing_.turns[i] =
                Turn{landscape_.id(*turns_[i]), landscape_.as_metric(i, there), std::abs(share_below(own_[i], there))};
        }
    }

    Landscape const& landscape_;
    task::PointId point_;
    std::span<double const> own_;
    std::vector<std::optional<std::size_t>> turns_;
    std::vector<Ranked> witnesses_, rivals_;
    PointStanding standing_;
};

}  // namespace

PointStanding standing_of(Landscape const& landscape, task::PointId point, std::span<double const> vector) {
    return Gathering(landscape, point, vector).run();
}

}  // namespace pimdse::dse::explain
