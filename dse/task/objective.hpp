#pragma once

#include "models/contract/architecture.hpp"

#include <cstddef>

namespace pimdse::dse::task {

/// One goal: a metric and which way is better.
struct Objective {
    std::size_t metric = 0;
    models::Sense better = models::Sense::minimize;
    bool operator==(Objective const&) const = default;
};

}  // namespace pimdse::dse::task
