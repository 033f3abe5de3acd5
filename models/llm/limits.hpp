#pragma once

#include <cstdint>

namespace pimdse::models {

// Limits of the dimensions of a model: far beyond any existing one, and small enough that every product of them that is
// computed fits 64 bits.
inline constexpr std::int64_t max_layers = 4096, max_heads = 4096, max_experts = 16384, max_width = 1 << 24;
inline constexpr std::int64_t max_context = std::int64_t{1} << 40;
inline constexpr double real_max_context = 0x1p40;

}  // namespace pimdse::models
