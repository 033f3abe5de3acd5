#pragma once

#include "sim/dram/timing/standard.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

using sim::dram::Organisation;

/// Banks of one rank, of all groups.
[[nodiscard]] inline std::int64_t banks_per_rank(Organisation const& o) {
    return std::int64_t{o.bank_groups} * o.banks;
}
/// Banks of the whole memory: the units that multiply at the same time.
[[nodiscard]] inline std::int64_t lanes(Organisation const& o) {
    return std::int64_t{o.channels} * o.banks_per_channel();
}

}  // namespace pimdse::models::umdam
