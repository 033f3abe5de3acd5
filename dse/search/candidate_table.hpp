#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/space/result.hpp"
#include "models/contract/cycle_key.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The points known to a search by lower bounds, numbered in the order in which they were added, and the state of each.
class CandidateTable {
  public:
    using Item = std::uint32_t;
    enum class State : std::uint8_t { ready, in_flight, evaluated, pruned, equal_key, failed };

    /// Adds points in ascending order of their ids; add_anywhere() adds them in any order. Precondition: fewer than
    /// 2^32 points.
    Item add(space::PointId point);
    Item add_anywhere(space::PointId point);
    void set(Item item, State state);

    [[nodiscard]] std::size_t size() const { return ids_.size(); }
    [[nodiscard]] space::PointId id(Item item) const { return ids_[item]; }
    [[nodiscard]] State state(Item item) const { return states_[item]; }
    /// Precondition: the point was added.
    [[nodiscard]] Item item_of(space::PointId point) const;
    [[nodiscard]] std::vector<Item> in(State state) const;
    [[nodiscard]] std::uint64_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }
    [[nodiscard]] std::vector<Item> const& failed() const { return failed_; }

  private:
    static constexpr std::size_t state_count = 6;
    std::vector<space::PointId> ids_;
    std::map<space::PointId, Item> places_;  ///< of points added by add_anywhere()
    std::vector<State> states_;
    std::array<std::uint64_t, state_count> counts_{};  ///< number of points in each state
    std::vector<Item> failed_;
};

/// A point that was requested and has no result yet.
struct InFlight {
    space::PointId point{};
    std::uint32_t item = 0;
    models::CycleKey key;
    Values ideal{};
    enum class Why : std::uint8_t {
        undecided,
        confirms,          ///< is an equal-key point on the front, evaluated so that the front has its own result
        audits,            ///< was pruned, and is evaluated to check the pruning
        audits_equal_key,  ///< has the result of its representative, and is simulated to compare both
    };
    Why why = Why::undecided;
};

/// The points in flight, in the order in which they were requested.
class InFlightPoints {
  public:
    explicit InFlightPoints(std::size_t objectives) : objectives_(objectives) {}

    [[nodiscard]] bool empty() const { return in_flight_.empty(); }
    void submit(InFlight flight) { in_flight_.push_back(std::move(flight)); }
    /// Removes and returns the entry of a point; precondition: it was submitted.
    [[nodiscard]] InFlight complete(space::PointId point);
    /// A point in flight that may dominate every point with this ideal point (or a worse one) and an id not smaller
    /// than `min_id`, or nullptr: the latest one, so that waiting points are revisited as rarely as possible.
    [[nodiscard]] InFlight const* blocker_of(space::PointId min_id, Values const& ideal) const;
    [[nodiscard]] InFlight const* with(models::CycleKey key) const;
    [[nodiscard]] std::vector<InFlight>& all() { return in_flight_; }
    [[nodiscard]] std::vector<InFlight> const& all() const { return in_flight_; }

  private:
    std::size_t objectives_;
    std::vector<InFlight> in_flight_;
};

/// The audit: a random sample of pruned points that are evaluated to check how often pruning was wrong.
class Audit {
  public:
    /// `wanted`: number of points to check.
    Audit(std::uint64_t wanted, std::uint64_t seed) : wanted_(wanted), seed_(seed) {}

    [[nodiscard]] bool begun() const { return order_.has_value(); }
    /// Starts the audit of this many pruned points.
    void begin(std::uint64_t pruned) {
        pruned_ = pruned;
        order_.emplace(std::max<std::uint64_t>(pruned, 1), seed_);
    }
    /// The number of the next point to check, if another one is wanted; taken() moves on to the point after it. Points
    /// that need no check are passed over, a hundred for each that is wanted at most.
    [[nodiscard]] std::optional<std::uint64_t> next() const {
        if (!begun() || known_ + in_flight_ >= wanted_ || at_ == pruned_ || at_ / passed_over >= wanted_)
            return std::nullopt;
        return order_->at(at_);
    }
    void taken() { ++at_; }
    void submitted() { ++in_flight_, ++submitted_; }
    void completed(bool was_wrong) {
        --in_flight_;
        ++known_;
        wrong_ += was_wrong ? 1 : 0;
    }
    [[nodiscard]] std::uint64_t submissions() const { return submitted_; }
    [[nodiscard]] std::uint64_t points() const { return known_; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

  private:
    static constexpr std::uint64_t passed_over = 100;
    std::uint64_t wanted_, seed_;
    std::uint64_t pruned_ = 0;
    std::optional<sim::Shuffle> order_;
    std::uint64_t at_ = 0, in_flight_ = 0, submitted_ = 0, known_ = 0, wrong_ = 0;
};

/// What sensitivities_of() needs to know about pruned points.
struct PrunedPointQueries {
    std::function<bool(LowerBounds::Item, Values const& ideal)> is_dominated;
    std::function<std::optional<models::CycleKey>(LowerBounds::Item)>
        unevaluated_key;  ///< nullopt: its key was evaluated
};

/// The bound sensitivities: how many more evaluations the search would have needed if all lower bounds that are not
/// exact had been lower by 1, 2, 5 and 10 %. Counts pruned points that no member of the front would dominate then, one
/// per cycle key.
[[nodiscard]] std::vector<Certificate::BoundSensitivity> sensitivities_of(LowerBounds const& lower_bounds,
                                                                          std::span<LowerBounds::Item const> pruned,
                                                                          PrunedPointQueries const& known);

}  // namespace pimdse::dse::search
