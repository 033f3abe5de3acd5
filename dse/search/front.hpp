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

/// The finest fidelity at which the store has a point that is feasible or infeasible; analytic if there is none.
[[nodiscard]] models::Fidelity finest_fidelity(ResultStore const& store);

/// The front over the feasible answers of one fidelity (the finest by default): answers of different fidelities are
/// never compared with each other. `keep` leaves rows out.
[[nodiscard]] Archive front_of(ResultStore const& store, std::span<space::Objective const> objectives,
                               std::optional<models::Fidelity> fidelity = std::nullopt,
                               std::function<bool(ResultStore::Row)> const& keep = {});

/// The smallest box around all feasible answers of one fidelity: its worst corner is the reference point of the
/// history.
[[nodiscard]] ObjectiveBox box_of(ResultStore const& store, std::span<space::Objective const> objectives,
                                  models::Fidelity fidelity);

/// How the front grew over the ids, whatever the order of evaluation was: one row per block of 65,536 ids that holds an
/// answer; blocks are joined in pairs until there are at most 128.
struct FrontHistory {
    std::uint64_t ids_per_row = 0;           ///< 65,536 times a power of two
    std::vector<std::uint64_t> first_id;     ///< where the row's block begins
    std::vector<std::uint64_t> evaluations;  ///< answers up to and with this block
    /// Share of the box, 0 to 1; NaN where the front is too large for an exact one (16,384, 2048, 1024 members for 4,
    /// 5, 6 objectives; in the last row 131,072, 8192, 2048).
    std::vector<double> hypervolume;
    std::vector<std::uint64_t> size;    ///< members of the front
    std::vector<space::PointId> front;  ///< the members in the end, as front_of() has them
    ObjectiveBox box;
};
[[nodiscard]] FrontHistory front_history(ResultStore const& store, std::span<space::Objective const> objectives,
                                         models::Fidelity fidelity);

/// How the front was after so many answers, in the order of their ids.
struct HistoryStep {
    std::uint64_t evaluations = 0;
    double hypervolume = 0.0;  ///< as FrontHistory::hypervolume
    std::uint64_t size = 0;    ///< members of the front
};

/// What FrontHistory says block of ids by block, in equal steps of answers: of a store that has every answer. Empty for
/// more objectives than three, of which each step would take long.
[[nodiscard]] std::vector<HistoryStep> fine_history(ResultStore const& store,
                                                    std::span<space::Objective const> objectives,
                                                    models::Fidelity fidelity, std::size_t steps);

/// How many answers of a growing store nobody dominates, for people who watch: it looks at rows for as long as it is
/// given, so that a front that is dear to follow costs a small share of the time and the number falls behind instead.
class FrontCount {
  public:
    FrontCount(ResultStore const& store, std::span<space::Objective const> objectives, models::Fidelity fidelity);

    void look(std::chrono::microseconds at_most);
    /// Members among the rows looked at.
    [[nodiscard]] std::size_t members() const { return front_.size(); }
    [[nodiscard]] std::uint64_t rows() const { return next_; }

  private:
    ResultStore const& store_;
    std::vector<space::Objective> objectives_;
    models::Fidelity fidelity_;
    Archive front_;
    std::vector<double> values_;
    std::uint64_t next_ = 0;  ///< row
};

}  // namespace pimdse::dse::search
