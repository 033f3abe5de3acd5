#pragma once

#include "sim/dram/timing/standard.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

using sim::dram::Organisation;

/// Banks of the whole memory: the units that multiply at the same time.
[[nodiscard]] inline std::int64_t lanes(Organisation const& o) {
    return std::int64_t{o.channels} * o.banks_per_channel();
}

}  // namespace pimdse::models::umdam
