#pragma once

#include "models/text/tilings.hpp"
#include "models/umdam/constants.hpp"

namespace pimdse::models::umdam {

using text::Bandwidths;
using text::chosen_gemm;
using text::GemmRun;
using text::GemmShape;
using text::GemmTraffic;
using text::min_tiling;
using text::stays_on_chip;
using text::sum_bytes;
using text::tilings;

/// The block of products that a matrix unit computes per cycle, in the format of the point.
struct CubeBlock {
    double edge, inputs;  ///< rows and outputs; inputs
    CubeBlock(NpuConstants const& npu, bool of_bytes)
        : edge(npu.cube_edge), inputs(of_bytes ? npu.byte_inputs : npu.cube_edge) {}
    /// Its products over those of a block of fp16, whose peak is `flops`.
    [[nodiscard]] double faster() const { return inputs / edge; }
};

/// Seconds that the matrix units need: whole blocks over both chips. `flops`: of fp16.
[[nodiscard]] double cube_seconds(GemmShape const& shape, double flops, CubeBlock const& block);
/// Seconds that the vector units need for `operations` elementwise operations; their clock follows from the peak of the
/// matrix units.
[[nodiscard]] double vector_seconds(double operations, double flops, NpuConstants const& npu);

/// Seconds that the first-level memories of all chips need to move `bytes` from and to the buffer, at the clock of the
/// matrix units.
[[nodiscard]] double first_level_seconds(double bytes, double flops, NpuConstants const& npu);

}  // namespace pimdse::models::umdam
