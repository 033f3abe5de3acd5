#include "dse/search/crowding.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pimdse::dse::search {
namespace {

using Members = std::vector<std::size_t>;

/// Adds the crowding distances of one front in one objective; the outer members have infinite distance.
void add_distances(std::span<std::size_t> members, std::span<ObjectiveValues const> population, std::size_t objective,
                   std::vector<Fitness>& into) {
    auto const value = [&](std::size_t member) { return population[member].values[objective]; };
    std::ranges::stable_sort(members, {}, value);
    double const range = value(members.back()) - value(members.front());
    into[members.front()].distance = into[members.back()].distance = std::numeric_limits<double>::infinity();
    if (!(range > 0.0) || std::isinf(range)) return;
    for (std::size_t i = 1; i + 1 < members.size(); ++i)
        into[members[i]].distance += (value(members[i + 1]) - value(members[i - 1])) / range;
}

using Place = std::uint32_t;  ///< position in lexicographic order; equal vectors share one
using Places = std::vector<Place>;
using Rank = std::uint32_t;

/// The highest rank among the vectors added, by their second objective: a staircase that rises with it.
class RankStairs {
  public:
    /// The smallest rank that a vector may have after all vectors that were added.
    [[nodiscard]] Rank behind(double y) const {
        auto const above = first_above(y);
        return above == steps_.begin() ? 0 : std::prev(above)->rank + 1;
    }
    void add(double y, Rank rank) {
        auto at = steps_.begin() + (first_above(y) - steps_.begin());
        if (at != steps_.begin() && std::prev(at)->rank >= rank) return;
        if (at != steps_.begin() && std::prev(at)->y == y) --at;
        auto const kept = std::find_if(at, steps_.end(), [&](Step const& step) { return step.rank > rank; });
        if (at == kept) {
            steps_.insert(at, {y, rank});
            return;
        }
        *at = {y, rank};
        steps_.erase(std::next(at), kept);
    }

  private:
    struct Step {
        double y;
        Rank rank;
    };
    [[nodiscard]] std::vector<Step>::const_iterator first_above(double y) const {
        return std::partition_point(steps_.begin(), steps_.end(), [&](Step const& step) { return step.y <= y; });
    }
    std::vector<Step> steps_;
};

/// Divide and conquer over objectives (Jensen, 2003; as corrected by Fortin, Grenier and Parizeau, 2013): the ranks of
/// one half are final and then raise those of the other half, using one objective less. Every list of places ascends.
class Peeling {
  public:
    Peeling(std::vector<double> values, std::size_t objectives)
        : values_(std::move(values)), objectives_(objectives), ranks_(values_.size() / objectives, 0) {}

    std::vector<Rank> ranks() && {
        Places all(ranks_.size());
        for (Place place = 0; place < all.size(); ++place) all[place] = place;
        if (objectives_ == 1)
            ranks_.assign(all.begin(), all.end());
        else
            rank_within(all, objectives_);
        return std::move(ranks_);
    }

  private:
    static constexpr std::size_t few = 48, few_pairs = 64 * 64;  // below: pairwise is faster; measured

    [[nodiscard]] double value(Place place, std::size_t objective) const {
        return values_[place * objectives_ + objective];
    }
    [[nodiscard]] bool as_good(Place a, Place b, std::size_t objectives) const {
        for (std::size_t i = 1; i < objectives; ++i) {  // the first objective follows from the order of places
            if (value(a, i) > value(b, i)) return false;
        }
        return true;
    }
    void put_behind(Place a, Place b, std::size_t objectives) {
        if (ranks_[a] >= ranks_[b] && as_good(a, b, objectives)) ranks_[b] = ranks_[a] + 1;
    }

    /// Places below, at and above the middle value.
    struct Parts {
        Places below, at, above;
    };
    [[nodiscard]] Parts split(Places const& places, std::size_t objective, double middle) const {
        Parts parts;
        for (auto const place : places) {
            double const v = value(place, objective);
            (v < middle ? parts.below : v > middle ? parts.above : parts.at).push_back(place);
        }
        return parts;
    }
    static Places merged(Places const& a, Places const& b) {
        Places all;
        all.reserve(a.size() + b.size());
        std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
        return all;
    }
    [[nodiscard]] double middle_of(Places const& a, Places const& b, std::size_t objective) {
        column_.clear();
        for (auto const place : a) column_.push_back(value(place, objective));
        for (auto const place : b) column_.push_back(value(place, objective));
        auto const middle = column_.begin() + static_cast<std::ptrdiff_t>(column_.size() / 2);
        std::nth_element(column_.begin(), middle, column_.end());
        return *middle;
    }

    /// Ranks places that differ in the first objectives only, or are ordered in the others.
    void rank_within(Places const& places, std::size_t objectives) {
        if (places.size() <= few) return one_by_one(places, objectives);
        if (objectives == 2) return sweep(places);
        auto const parts = split(places, objectives - 1, middle_of(places, {}, objectives - 1));
        rank_within(parts.below, objectives);
        rank_behind(parts.below, parts.at, objectives - 1);
        rank_within(parts.at, objectives - 1);
        rank_behind(merged(parts.below, parts.at), parts.above, objectives - 1);
        rank_within(parts.above, objectives);
    }

    /// Raises the ranks of `worse`; the ranks of `better` are final, and its members are at least as good in all
    /// objectives after the first `objectives`.
    void rank_behind(Places const& better, Places const& worse, std::size_t objectives) {
        if (better.empty() || worse.empty()) return;
        if (better.size() * worse.size() <= few_pairs) return one_by_one(better, worse, objectives);
        if (objectives == 2) return sweep(better, worse);
        double const middle = middle_of(better, worse, objectives - 1);
        auto const b = split(better, objectives - 1, middle), w = split(worse, objectives - 1, middle);
        rank_behind(b.below, w.below, objectives);
        rank_behind(merged(b.below, b.at), merged(w.at, w.above), objectives - 1);
        rank_behind(b.above, w.above, objectives);
    }

    void one_by_one(Places const& places, std::size_t objectives) {
        for (std::size_t i = 1; i < places.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) put_behind(places[j], places[i], objectives);
        }
    }
    void one_by_one(Places const& better, Places const& worse, std::size_t objectives) {
        for (auto const b : worse) {
            for (auto const a : better) {
                if (a > b) break;
                put_behind(a, b, objectives);
            }
        }
    }

    void sweep(Places const& places) {
        RankStairs stairs;
        for (auto const place : places) {
            ranks_[place] = std::max(ranks_[place], stairs.behind(value(place, 1)));
            stairs.add(value(place, 1), ranks_[place]);
        }
    }
    void sweep(Places const& better, Places const& worse) {
        RankStairs stairs;
        auto next = better.begin();
        for (auto const place : worse) {
            for (; next != better.end() && *next < place; ++next) stairs.add(value(*next, 1), ranks_[*next]);
            ranks_[place] = std::max(ranks_[place], stairs.behind(value(place, 1)));
        }
    }

    std::vector<double> values_;
    std::size_t objectives_;
    std::vector<Rank> ranks_;
    std::vector<double> column_;
};

/// Ranks for two objectives: each vector belongs to the first front whose last member does not dominate it.
class Planar {
  public:
    explicit Planar(std::span<double const> points) : rows_(points.size() / 2) {
        for (std::uint32_t i = 0; i < rows_.size(); ++i) rows_[i] = {points[2 * i], points[2 * i + 1], i};
        std::sort(rows_.begin(), rows_.end(),
                  [](Row const& a, Row const& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    }

    std::vector<Rank> ranks() {
        std::vector<Rank> ranks(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            bool const again = i > 0 && rows_[i].x == rows_[i - 1].x && rows_[i].y == rows_[i - 1].y;
            ranks[rows_[i].index] = again ? ranks[rows_[i - 1].index] : place(rows_[i].y);
        }
        return ranks;
    }

  private:
    struct Row {
        double x, y;
        std::uint32_t index;
    };
    Rank place(double y) {
        std::size_t const front = fronts_before(y);
        if (front == last_.size())
            last_.push_back(y);
        else
            last_[front] = y;
        return static_cast<Rank>(front);
    }
    /// A branch-free binary search, because its branches would be unpredictable.
    [[nodiscard]] std::size_t fronts_before(double y) const {
        if (last_.empty()) return 0;
        auto const* at = last_.data();
        for (std::size_t left = last_.size(); left > 1; left -= left / 2) at += at[left / 2 - 1] <= y ? left / 2 : 0;
        return static_cast<std::size_t>(at - last_.data()) + (*at <= y ? 1 : 0);
    }
    std::vector<Row> rows_;
    std::vector<double> last_;  ///< second objective of the last member of each front; ascending
};

struct FirstValue {
    double first;
    std::uint32_t index;
};

/// Rows in lexicographic order.
std::vector<FirstValue> in_order(std::span<double const> points, std::size_t objectives) {
    std::vector<FirstValue> rows(points.size() / objectives);
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = {points[i * objectives], i};
    std::sort(rows.begin(), rows.end(), [&](FirstValue const& a, FirstValue const& b) {
        if (a.first != b.first) return a.first < b.first;
        auto const* const x = &points[a.index * objectives];
        auto const* const y = &points[b.index * objectives];
        return std::lexicographical_compare(x, x + objectives, y, y + objectives);
    });
    return rows;
}

}  // namespace

std::vector<Fitness> fitness_of(std::span<ObjectiveValues const> population, std::size_t objectives) {
    std::vector<Fitness> fitness(population.size());
    Members members;
    std::vector<double> values;
    for (std::size_t i = 0; i < population.size(); ++i) {
        if (!population[i].feasible) {
            fitness[i].distance = -population[i].violation;
            continue;
        }
        members.push_back(i);
        values.insert(values.end(), population[i].values.begin(),
                      population[i].values.begin() + static_cast<std::ptrdiff_t>(objectives));
    }
    auto const ranks = search::front_ranks(values, objectives);
    for (std::size_t i = 0; i < members.size(); ++i) fitness[members[i]].rank = ranks[i];
    std::ranges::stable_sort(members, {}, [&](std::size_t member) { return fitness[member].rank; });
    for (auto first = members.begin(); first != members.end();) {
        auto const last =
            std::find_if(first, members.end(), [&](auto m) { return fitness[m].rank != fitness[*first].rank; });
        for (std::size_t i = 0; i < objectives; ++i) add_distances({first, last}, population, i, fitness);
        first = last;
    }
    return fitness;
}

std::vector<std::uint32_t> front_ranks(std::span<double const> points, std::size_t objectives) {
    sim::expects(objectives >= 1 && points.size() % objectives == 0, "one value per objective");
    sim::expects(points.size() / objectives < std::numeric_limits<Place>::max(), "fewer than 2^32 vectors are ranked");
    if (objectives == 2) return Planar(points).ranks();
    auto const rows = in_order(points, objectives);
    std::vector<double> distinct;
    distinct.reserve(points.size());
    Places places(rows.size());
    for (auto const& row : rows) {
        auto const* const vector = &points[row.index * objectives];
        if (distinct.empty() || !std::equal(vector, vector + objectives, distinct.end() - std::ptrdiff_t(objectives)))
            distinct.insert(distinct.end(), vector, vector + objectives);
        places[row.index] = static_cast<Place>(distinct.size() / objectives - 1);
    }
    auto const ranks = Peeling(std::move(distinct), objectives).ranks();
    for (auto& place : places) place = ranks[place];
    return places;
}

}  // namespace pimdse::dse::search
