#pragma once

#include "dse/run/work_settings.hpp"
#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// The exit code of a child that the host refused memory, a thread or a process.
inline constexpr int exit_code_of_refusal = 7;

/// Evaluates points that may end their process: a child runs the program again and evaluates them one after another.
/// A point that ends the child becomes a Defect of kind crash, one that takes too long a Defect of kind timeout, and
/// another child goes on behind it. If a child is killed from outside, the point is tried once more. `take` gets the
/// results in task order; if it returns false, the child is killed and no more points are evaluated. A child that
/// cannot be started, or reads other inputs than this process did (a file has changed since), is not used: points are
/// then evaluated in this process. If the host refuses the child memory or a thread, or this process a child, no point
/// is blamed: throws what sim::refused_by_host() recognises.
void evaluate_apart(space::Space const& space, WorkSettings const& settings, space::Batch const& batch,
                    std::function<bool(space::Result)> const& take);

/// The child's side: reads a request from this socket and replies with one frame for each result. The request is a
/// JSON object: text of the space, objectives, digest of its inputs, fidelity, and the ids of the points. `name` and
/// `overrides` of the space are those with which the parent read it. Throws InputError and MismatchError.
void serve_apart(int socket, std::string const& name,
                 std::vector<std::pair<std::string, std::string>> const& overrides);

/// The limit in seconds that ended the evaluation of a point; nullopt for any other result, also for work that is too
/// long at any limit (sim::TooLong).
[[nodiscard]] std::optional<double> time_limit_of(models::Outcome const& outcome);

}  // namespace pimdse::dse::run
