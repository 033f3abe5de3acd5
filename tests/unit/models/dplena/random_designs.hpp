#pragma once

#include "models/dplena/program.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <functional>

namespace support {

enum class Kind { serial, overlapped, refreshing, everything };

std::string told(pimdse::models::dplena::Design const& design);

/// How long the programs are. The usual ones run in milliseconds.
struct Sizes {
    std::int64_t min_prefetches = 0, max_prefetches = 12000, max_cycles = 4'000'000;
};
inline constexpr Sizes long_programs{65'537, 200'000, 40'000'000};

/// Calls `check(design, program)` for `count` random feasible designs in the campaign, otherwise for a tenth (5 at
/// least).
void for_random_designs(
    std::uint64_t seed, int count, Kind kind,
    std::function<void(pimdse::models::dplena::Design const&, pimdse::models::dplena::Program const&)> const& check,
    Sizes const& sizes = {});

}  // namespace support
