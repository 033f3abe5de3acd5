#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program/program.hpp"

namespace pimdse::models::dplena {

/// Cycles that the sampling never goes below at cycle fidelity (README.md, Lows). No number in it is fitted.
struct SamplingLow {
    double memory = 0.0;  ///< with a prefetch under way
    double total = 0.0;
};
[[nodiscard]] SamplingLow sampling_low(Program const& program, HbmTiming const& timing);

}  // namespace pimdse::models::dplena
