#pragma once

#include "dse/cli/asked_point.hpp"

namespace pimdse::dse::cli {

/// What a point answers.
struct Evaluated {
    AskedPoint asked;
    models::Outcome outcome;
    models::Breakdown breakdown;  ///< of a feasible point that is asked as it is
};

/// Fidelity, changed parameters, metrics, and where time, energy and area go.
void print_evaluated(Evaluated const& evaluated, Format format);

}  // namespace pimdse::dse::cli
