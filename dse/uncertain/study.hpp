#pragma once

#include "dse/search/result_store.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/robust_front.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain {

/// Evaluates tasks in the space of a pass; nullopt if the run was stopped. The results do not depend on who evaluates
/// what.
using EvaluatePass =
    std::function<std::optional<search::ResultStore>(Pass const& pass, std::vector<space::Task> const& tasks)>;

/// Evaluates on `threads` threads of this process. `space` must outlive the result.
[[nodiscard]] EvaluatePass evaluate_here(space::Space const& space, int threads);

struct StudySettings {
    std::function<void(std::string const&)> progress{};  ///< receives the name of each step; may be empty
    /// A study that is repeated in part.
    struct Part {
        std::vector<space::PointId> designs;   ///< to evaluate, beside those that no constant changes
        std::vector<space::PointId> possible;  ///< designs that the whole study found to be possible
        models::Fidelity fidelity{};           ///< of the whole study
    };
    std::optional<Part> part{};
};

/// Identifies a study of these results: equal texts have equal results.
[[nodiscard]] std::string key_of(space::Space const& space, search::ResultStore const& store,
                                 Uncertainty const& uncertainty);

/// Draws the uncertain constants for every design that a run has evaluated at its final fidelity. Four steps: a few
/// designs of each machine tell which constants matter (Pilot); the ends of all ranges exclude designs that others
/// dominate whatever the constants are; for machines whose objectives are polynomials of the constants, those of each
/// design are determined, and checked in two draws; all other designs are evaluated in every draw. nullopt if a pass
/// was stopped. Throws InputError.
[[nodiscard]] std::optional<RobustFront> study(space::Space const& space, search::ResultStore const& store,
                                               Uncertainty const& uncertainty, EvaluatePass const& evaluate,
                                               StudySettings const& settings = {});

}  // namespace pimdse::dse::uncertain
