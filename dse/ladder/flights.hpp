#pragma once

#include "dse/ladder/corner.hpp"
#include "dse/task/answer.hpp"
#include "models/contract/cycle_key.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::dse::ladder {

/// A point that was asked for and not told yet.
struct Flight {
    task::PointId point{};
    std::uint32_t item = 0;
    models::CycleKey key;
    Values corner{};
    enum class Why : std::uint8_t {
        undecided,
        confirms,     ///< is a twin on the front, answered so that the front has its answer
        audits,       ///< was closed, and is answered to see whether rightly
        audits_twin,  ///< has the result of its twin, and is simulated to compare both
    };
    Why why = Why::undecided;
    std::vector<std::uint32_t> waiting;  ///< items
};

/// What is under way, in the order in which it was asked for.
class Flights {
  public:
    explicit Flights(std::size_t objectives) : objectives_(objectives) {}

    [[nodiscard]] bool empty() const { return flights_.empty(); }
    void launch(Flight flight) { flights_.push_back(std::move(flight)); }
    /// The one of a point; precondition: it was launched.
    [[nodiscard]] Flight land(task::PointId point);
    /// One that may cover what can be no better than this corner and has no smaller ids, or nullptr: the one that will
    /// be answered last, so that what waits is looked at seldom.
    [[nodiscard]] Flight* blocker_of(task::PointId least, Values const& corner);
    [[nodiscard]] Flight const* blocker_of(task::PointId least, Values const& corner) const;
    [[nodiscard]] Flight* with(models::CycleKey key);
    [[nodiscard]] std::vector<Flight>& all() { return flights_; }
    [[nodiscard]] std::vector<Flight> const& all() const { return flights_; }

  private:
    std::size_t objectives_;
    std::vector<Flight> flights_;
};

}  // namespace pimdse::dse::ladder
