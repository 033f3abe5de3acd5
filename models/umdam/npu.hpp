#pragma once

#include "models/umdam/constants.hpp"
#include "sim/base/bounded.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::umdam {

/// Bytes of a partial sum: fp32 until it is final.
inline constexpr std::int64_t sum_bytes = 4;

/// C[M][N] = A[M][K] W[K][N] on the NPU with `buffer` bytes on chip; tiles are whole weight tiles of h x w elements.
struct GemmShape {
    std::int64_t rows = 0, inputs = 0, outputs = 0;   ///< M, K, N
    std::int64_t tile_height = 128, tile_width = 64;  ///< h, w
    std::int64_t weight_bytes = 0;                    ///< of the stored matrix, padding included
    std::int64_t buffer = 0;
    std::int64_t element_bytes = 2;
    auto operator<=>(GemmShape const&) const = default;
};

/// What one way of tiling moves between DRAM and buffer.
struct GemmTraffic {
    double read = 0.0, write = 0.0;  ///< bytes
    double ramp = 0.0;               ///< bytes moved before the first and after the last multiplication
};

/// The tilings worth considering: nobody else moves less and ramps less. At least one; the best depends on bandwidth
/// only. Traffic of tile (Mt, Kt, Nt) with K innermost: W ceil(M/Mt) + A ceil(N/Nt) (once if Kt = K) + C; with M
/// innermost: W + A ceil(N/Nt) + C + fp32 spills 2 C (ceil(K/Kt) - 1). Two tiles of each operand and the fp32 sums must
/// fit the buffer. Beside that, weights may pass once while activations stay on chip as far as they fit, the rest
/// spilling.
[[nodiscard]] std::vector<GemmTraffic> tilings(GemmShape const& shape);

/// Seconds the cubes need: 16 x 16 x 16 blocks over both chips.
[[nodiscard]] double cube_seconds(GemmShape const& shape, double flops, NpuConstants const& npu);
/// Seconds the vector units need for `operations` elementwise operations; their clock follows from the cubes' peak.
[[nodiscard]] double vector_seconds(double operations, double flops, NpuConstants const& npu);

/// Bytes per second of long transfers.
struct Bandwidths {
    sim::Bounded read, write;
};

/// The fastest tiling at these bandwidths, double-buffered: ramp + max(compute, transfers). Tiles are so large that
/// changing between reads and writes costs nothing.
struct GemmRun {
    sim::Bounded seconds;
    /// Bytes: at least what any tiling moves, at most what one does that may be the fastest within the bandwidth's
    /// interval.
    sim::Bounded read, write;
};
[[nodiscard]] GemmRun fastest_gemm(std::vector<GemmTraffic> const& menu, double compute_seconds,
                                   Bandwidths const& bandwidths);

}  // namespace pimdse::models::umdam
