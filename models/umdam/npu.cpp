#include "models/umdam/npu.hpp"

#include <cmath>

namespace pimdse::models::umdam {
namespace {

/// Clock of the matrix units, one block per cycle and chip.
double cube_clock(double flops, NpuConstants const& npu) {
    return flops / (2.0 * npu.chips * npu.cube_edge * npu.cube_edge * npu.cube_edge);
}

}  // namespace

double cube_seconds(GemmShape const& s, double flops, CubeBlock const& block) {
    double const edge = block.edge;
    double const blocks = std::ceil(static_cast<double>(s.rows) / edge) *
                          std::ceil(static_cast<double>(s.inputs) / block.inputs) *
                          std::ceil(static_cast<double>(s.outputs) / edge);
    return blocks * 2.0 * edge * edge * edge / flops;
}

double vector_seconds(double operations, double flops, NpuConstants const& npu) {
    return operations / (npu.vector_lanes * npu.chips * cube_clock(flops, npu));
}

double first_level_seconds(double bytes, double flops, NpuConstants const& npu) {
    return bytes / (npu.first_level_fill * npu.chips * cube_clock(flops, npu));
}

}  // namespace pimdse::models::umdam
