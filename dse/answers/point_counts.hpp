#pragma once

#include "dse/answers/result_store.hpp"

#include <cstdint>

namespace pimdse::dse::answers {

/// Points of a store, each counted once however many fidelities it was evaluated at: its finest evaluation decides.
struct EvaluatedPoints {
    std::uint64_t points = 0, feasible = 0, infeasible = 0, failed = 0;
};

[[nodiscard]] EvaluatedPoints count_points(ResultStore const& store);

}  // namespace pimdse::dse::answers
