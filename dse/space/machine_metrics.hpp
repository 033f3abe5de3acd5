#pragma once

#include "dse/space/machine.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// The metrics of several machines as one list: those that every machine has under one name with one unit and sense,
/// then of each machine its own, as MACHINE.NAME. Of one machine: its metrics as they are.
struct MachineMetrics {
    models::MetricList list;
    std::size_t common = 0;                        ///< how many of the list every machine has
    std::vector<std::vector<std::size_t>> places;  ///< [machine][its metric]: where that is in the list
};

[[nodiscard]] MachineMetrics metrics_of(std::span<Machine const> machines);

}  // namespace pimdse::dse::space
