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

/// The points that a search by lows knows, numbered as they came, and what became of each.
class CandidateTable {
  public:
    using Item = std::uint32_t;
    enum class State : std::uint8_t { ready, waiting, in_flight, evaluated, pruned, equal_key, failed };

    /// Points come in the order of their ids, or else by add_anywhere(). Precondition: fewer than 2^32.
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
    static constexpr std::size_t state_count = 7;
    std::vector<space::PointId> ids_;
    std::map<space::PointId, Item> places_;  ///< of points that came in no order
    std::vector<State> states_;
    std::array<std::uint64_t, state_count> counts_{};  ///< of points by state
    std::vector<Item> failed_;
};

/// A point that was asked for and not told yet.
struct InFlight {
    space::PointId point{};
    std::uint32_t item = 0;
    models::CycleKey key;
    Values ideal{};
    enum class Why : std::uint8_t {
        undecided,
        confirms,          ///< is a twin on the front, answered so that the front has its answer
        audits,            ///< was closed, and is answered to see whether rightly
        audits_equal_key,  ///< has the result of its twin, and is simulated to compare both
    };
    Why why = Why::undecided;
    std::vector<std::uint32_t> waiting;  ///< items
};

/// What is under way, in the order in which it was asked for.
class InFlightPoints {
  public:
    explicit InFlightPoints(std::size_t objectives) : objectives_(objectives) {}

    [[nodiscard]] bool empty() const { return in_flight_.empty(); }
    void submit(InFlight flight) { in_flight_.push_back(std::move(flight)); }
    /// The one of a point; precondition: it was launched.
    [[nodiscard]] InFlight complete(space::PointId point);
    /// One that may cover what can be no better than this ideal point and has no smaller ids, or nullptr: the one that
    /// will be answered last, so that what waits is looked at seldom.
    [[nodiscard]] InFlight* blocker_of(space::PointId min_id, Values const& ideal);
    [[nodiscard]] InFlight const* blocker_of(space::PointId min_id, Values const& ideal) const;
    [[nodiscard]] InFlight* with(models::CycleKey key);
    [[nodiscard]] std::vector<InFlight>& all() { return in_flight_; }
    [[nodiscard]] std::vector<InFlight> const& all() const { return in_flight_; }

  private:
    std::size_t objectives_;
    std::vector<InFlight> in_flight_;
};

/// Closed points to be answered after all, in a random order: how often a covering was wrong.
class Audit {
  public:
    /// `wanted`: how many points are to be known.
    Audit(std::uint64_t wanted, std::uint64_t seed) : wanted_(wanted), seed_(seed) {}

    [[nodiscard]] bool begun() const { return order_.has_value(); }
    /// Of so many closed points.
    void begin(std::uint64_t pruned) {
        pruned_ = pruned;
        order_.emplace(std::max<std::uint64_t>(pruned, 1), seed_);
    }
    /// The number of the one that is next, if another one is wanted; taken() goes on to the one after it.
    [[nodiscard]] std::optional<std::uint64_t> next() const {
        if (!begun() || known_ + under_way_ >= wanted_ || at_ == pruned_) return std::nullopt;
        return order_->at(at_);
    }
    void taken() { ++at_; }
    void submitted() { ++under_way_, ++submitted_; }
    void completed(bool was_wrong) {
        --under_way_;
        known(was_wrong);
    }
    void known(bool was_wrong) {
        ++known_;
        wrong_ += was_wrong ? 1 : 0;
    }
    [[nodiscard]] std::uint64_t submissions() const { return submitted_; }
    [[nodiscard]] std::uint64_t points() const { return known_; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

  private:
    std::uint64_t wanted_, seed_;
    std::uint64_t pruned_ = 0;
    std::optional<sim::Shuffle> order_;
    std::uint64_t at_ = 0, under_way_ = 0, submitted_ = 0, known_ = 0, wrong_ = 0;
};

/// What a ladder knows of a closed point.
struct Pruned {
    std::function<bool(LowerBounds::Item, Values const& ideal)> is_dominated;
    std::function<std::optional<models::CycleKey>(LowerBounds::Item)> unevaluated_key;  ///< none: its key was answered
};

/// How many more answers it would have taken, had lows that are not exact been lower by 1, 2, 5 and 10 %: closed points
/// that nobody covers then, one per cycle key.
[[nodiscard]] std::vector<Certificate::BoundSensitivity> sensitivities_of(LowerBounds const& lower_bounds,
                                                                          std::span<LowerBounds::Item const> pruned,
                                                                          Pruned const& known);

}  // namespace pimdse::dse::search
