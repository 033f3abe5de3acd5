#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/front/archive.hpp"
#include "dse/front/hypervolume.hpp"
#include "dse/task/objective.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// The finest fidelity at which the store has a point that is feasible or infeasible; analytic if there is none.
[[nodiscard]] models::Fidelity finest_fidelity(answers::ResultStore const& store);

/// The front over the feasible answers of one fidelity (the finest by default): answers of different fidelities are
/// never compared with each other. `keep` leaves rows out.
[[nodiscard]] Archive front_of(answers::ResultStore const& store, std::span<task::Objective const> objectives,
                               std::optional<models::Fidelity> fidelity = std::nullopt,
                               std::function<bool(answers::ResultStore::Row)> const& keep = {});

/// The smallest box around all feasible answers of one fidelity: its worst corner is the reference point of the
/// history.
[[nodiscard]] ObjectiveBox box_of(answers::ResultStore const& store, std::span<task::Objective const> objectives,
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
    std::vector<std::uint64_t> size;   ///< members of the front
    std::vector<task::PointId> front;  ///< the members in the end, as front_of() has them
    ObjectiveBox box;
};
[[nodiscard]] FrontHistory front_history(answers::ResultStore const& store, std::span<task::Objective const> objectives,
                                         models::Fidelity fidelity);

}  // namespace pimdse::dse::front
