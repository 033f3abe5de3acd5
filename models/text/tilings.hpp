#pragma once

#include "sim/base/bounded.hpp"

#include <cstdint>
#include <vector>

/// Products through an on-chip buffer, tile by tile: what they move between it and the memory of the weights.
namespace pimdse::models::text {

/// Rows of a tile are whole blocks of this many.
inline constexpr std::int64_t tile_block = 16;
/// Bytes of a partial sum, which is fp32 until it is final.
inline constexpr std::int64_t sum_bytes = 4;
/// Bytes of a buffer in which tiles of one block fit: two of weights and of inputs, 2 B an element, and sums.
inline constexpr std::int64_t min_buffer = tile_block * tile_block * (2 * (2 + 2) + sum_bytes);

/// C[M][N] = A[M][K] W[K][N] on a unit with `buffer` bytes on chip; tiles are whole weight tiles of h x w elements.
struct GemmShape {
    std::int64_t rows = 0, inputs = 0, outputs = 0;   ///< M, K, N
    std::int64_t tile_height = 128, tile_width = 64;  ///< h, w
    std::int64_t weight_bytes = 0;                    ///< of the stored matrix, including padding
    std::int64_t buffer = 0;
    std::int64_t element_bits = 16;  ///< of activations
    std::int64_t weight_bits = 16;
    auto operator<=>(GemmShape const&) const = default;
};

/// Data that a tiling moves between DRAM and buffer.
struct GemmTraffic {
    double read = 0.0, write = 0.0;  ///< bytes
    double ramp = 0.0;               ///< bytes moved before the first and after the last multiplication
};

/// The tilings that are not dominated in moved bytes and ramp; at least one. Which of them is fastest depends on the
/// bandwidth only. Traffic of tile (Mt, Kt, Nt) with K innermost: W ceil(M/Mt) + A ceil(N/Nt) (once if Kt = K) + C;
/// with M innermost: W + A ceil(N/Nt) + C + fp32 spills 2 C (ceil(K/Kt) - 1). Two tiles of each operand and the fp32
/// sums must fit the buffer. In addition, weights may be read once while activations stay on chip as far as they fit
/// and the rest is spilled.
[[nodiscard]] std::vector<GemmTraffic> tilings(GemmShape const& shape);
/// One of those that move least. Precondition: blocks of the smallest tile fit the buffer.
[[nodiscard]] GemmTraffic min_tiling(GemmShape const& shape);
/// Whether weights are read once, and nothing else is moved.
[[nodiscard]] bool stays_on_chip(GemmShape const& shape);

/// Bytes per second of long transfers.
struct Bandwidths {
    sim::Bounded read, write;
};

/// The tiling that a program takes at these bandwidths, double-buffered: ramp + max(compute, transfers), which is at
/// most a hundredth longer than the fastest. Of tilings that are nearly as fast it is the one that moves less. Tiles
/// are so large that changing between reads and writes costs nothing.
struct GemmRun {
    sim::Bounded seconds;  ///< lower bound: that of the fastest
    /// Bytes. Lower bound: the least that any tiling moves. Upper bound: the most that a tiling moves which may be
    /// chosen within the interval of the bandwidth.
    sim::Bounded read, write;
};
[[nodiscard]] GemmRun chosen_gemm(std::vector<GemmTraffic> const& menu, double compute_seconds,
                                  Bandwidths const& bandwidths);

}  // namespace pimdse::models::text
