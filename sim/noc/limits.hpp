#pragma once

#include <cstdint>

namespace pimdse::sim::noc {

/// Rows or columns of a mesh: a message's way has 13 bits for the links of a leg.
inline constexpr std::int32_t most_in_line = (1 << 13) - 1;

}  // namespace pimdse::sim::noc
