#pragma once

#include "models/text/part.hpp"

#include <algorithm>
#include <cstddef>

namespace pimdse::models::text {

/// Adds so many times the cost of a part to another one.
inline void add(PartCost& to, PartCost const& more, double times = 1.0) {
    to.seconds += sim::Bounded(times) * more.seconds;
    for (auto const amount : {&PartCost::read, &PartCost::joules_below, &PartCost::joules_above})
        to.*amount += times * (more.*amount);
    for (std::size_t row = 0; row < to.joules.size(); ++row) to.joules[row] += times * more.joules[row];
    to.amounts.resize(std::max(to.amounts.size(), more.amounts.size()));
    for (std::size_t i = 0; i < more.amounts.size(); ++i) to.amounts[i] += times * more.amounts[i];
}

}  // namespace pimdse::models::text
