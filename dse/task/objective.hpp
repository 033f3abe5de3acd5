#pragma once

#include "models/contract/architecture.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::task {

/// One goal: a metric and which way is better.
struct Objective {
    std::size_t metric = 0;
    models::Sense better = models::Sense::minimize;
    bool operator==(Objective const&) const = default;
};

/// Which way is better, for each objective.
[[nodiscard]] inline std::vector<models::Sense> senses_of(std::span<Objective const> objectives) {
    std::vector<models::Sense> senses;
    for (auto const& objective : objectives) senses.push_back(objective.better);
    return senses;
}

}  // namespace pimdse::dse::task
