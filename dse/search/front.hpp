#pragma once

#include "dse/search/archive.hpp"
#include "dse/search/hypervolume.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The finest fidelity at which the store has a feasible or infeasible result; analytic if there is none.
[[nodiscard]] models::Fidelity finest_fidelity(ResultStore const& store);

/// The front of the feasible results of one fidelity (the finest by default): results of different fidelities are never
/// compared. `keep` selects rows.
[[nodiscard]] Archive front_of(ResultStore const& store, std::span<space::Objective const> objectives,
                               std::optional<models::Fidelity> fidelity = std::nullopt,
                               std::function<bool(Row)> const& keep = {});

/// The smallest box around all feasible results of one fidelity; its worst corner is the reference point of the
/// history.
[[nodiscard]] ObjectiveBox box_of(ResultStore const& store, std::span<space::Objective const> objectives,
                                  models::Fidelity fidelity);

/// The growth of the front over the ids, independent of the order of evaluation: one row per block of 65,536 ids with a
/// result; blocks are joined in pairs until there are at most 128 rows.
struct FrontHistory {
    std::uint64_t ids_per_row = 0;           ///< 65,536 times a power of two
    std::vector<std::uint64_t> first_id;     ///< first id of the row's block
    std::vector<std::uint64_t> evaluations;  ///< number of results up to and including this block
    /// Share of the box, 0 to 1; NaN where the front is too large for an exact hypervolume (16,384, 2048, 1024 members
    /// for 4, 5, 6 objectives; in the last row 131,072, 8192, 2048).
    std::vector<double> hypervolume;
    std::vector<std::uint64_t> size;    ///< members of the front
    std::vector<space::PointId> front;  ///< the final members, as front_of() returns them
    ObjectiveBox box;
};
[[nodiscard]] FrontHistory front_history(ResultStore const& store, std::span<space::Objective const> objectives,
                                         models::Fidelity fidelity);

/// The front after a number of results, in the order of their ids.
struct HistoryStep {
    std::uint64_t evaluations = 0;
    double hypervolume = 0.0;  ///< as FrontHistory::hypervolume
    std::uint64_t size = 0;    ///< members of the front
};

/// As FrontHistory, but in equal steps of results instead of blocks of ids, for a store that keeps every result. Empty
/// for more than three objectives, for which each step would take long.
[[nodiscard]] std::vector<HistoryStep> fine_history(ResultStore const& store,
                                                    std::span<space::Objective const> objectives,
                                                    models::Fidelity fidelity, std::size_t steps);

/// The number of non-dominated results of a growing store, for progress displays. It processes rows for a given time
/// only, so that a front that is expensive to maintain takes a small share of the run and the number lags behind
/// instead.
class FrontCount {
  public:
    FrontCount(ResultStore const& store, std::span<space::Objective const> objectives, models::Fidelity fidelity);

    void look(std::chrono::microseconds at_most);
    /// Members of the front among the rows processed.
    [[nodiscard]] std::size_t members() const { return front_.size(); }
    [[nodiscard]] std::uint64_t rows() const { return next_; }

  private:
    ResultStore const& store_;
    std::vector<space::Objective> objectives_;
    models::Fidelity fidelity_;
    Archive front_;
    std::vector<double> values_;
    std::uint64_t next_ = 0;  ///< next row to process
};

}  // namespace pimdse::dse::search
