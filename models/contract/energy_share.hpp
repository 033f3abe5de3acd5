#pragma once

#include "models/contract/architecture.hpp"

#include <string>
#include <vector>

namespace pimdse::models {

/// A share of a request's energy with its bounds, called by a row of the ledger ("dram_array/prefill").
struct EnergyShare {
    std::string what;
    Estimate joules;
};

/// The metric `energy` of these shares.
[[nodiscard]] inline Estimate sum_of(std::vector<EnergyShare> const& shares) {
    Estimate sum;
    for (auto const& share : shares) sum += share.joules;
    return sum;
}

/// The same area as a metric has it.
[[nodiscard]] inline double sum_of(std::vector<Share> const& shares) {
    double sum = 0.0;
    for (auto const& share : shares) sum += share.amount;
    return sum;
}

}  // namespace pimdse::models
