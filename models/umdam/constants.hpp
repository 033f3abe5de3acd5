#pragma once

#include "models/contract/constants.hpp"
#include "models/umdam/design.hpp"
#include "sim/base/units.hpp"
#include "sim/dram/timing/standard.hpp"
#include "sim/workload.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// Names of models/llm whose attention is causal, sorted.
[[nodiscard]] std::vector<std::string> causal_model_names();

/// constants.toml of this folder, read once.
struct PimConstants {
    sim::Time extra_activate_to_mac;  ///< nRCD_MAC over nRCD
    double read_to_precharge = 4;     ///< nRTP of a MAC, cycles
    double buffer_write_cycles = 4;   ///< per WR_GB burst
    double results_per_burst = 16;    ///< accumulators one RD_MAC burst returns
    double mode_switch = 32;          ///< cycles to change between PIM and NPU accesses
};
struct NpuConstants {
    double cube_rows = 16, cube_depth = 16, cube_columns = 16;
    double chips = 2;
    double vector_lanes = 128;                           ///< fp16 elements per cycle and chip
    double norm_operations = 5, softmax_operations = 5;  ///< vector operations per element
};
struct EnergyConstants {
    sim::Energy activation;  ///< of a row of activation_row bytes
    sim::Data activation_row;
    sim::EnergyPerByte array, transfer, multiply, buffer;
    sim::EnergyPerOperation compute;
};
struct BaselineConstants {
    double fused_efficiency = 1.0;  ///< share of the bandwidth a swizzling DMA reaches
    sim::Data huge_page;            ///< facil keeps matrices in pages of this size
    sim::Data relayout_chunk;       ///< read, then written, before the bus turns around
};
struct Machine {
    PimConstants pim;
    NpuConstants npu;
    EnergyConstants energy;
    BaselineConstants baseline;
    double element_bytes = 2;

    static Machine load();
};

/// The timing set of a file at the point's density, with the point's channels, banks and rows.
[[nodiscard]] sim::dram::Standard standard_of(Settings const& settings, sim::dram::Standard const& file);

/// Share of time all-bank refresh takes from a saturated stream: (nRFC + nRP + nRCD + B - 1) / nREFI.
[[nodiscard]] double refresh_share(sim::dram::Standard const& standard);

/// Bytes per second of back-to-back bursts on all channels.
[[nodiscard]] double peak_bandwidth(sim::dram::Standard const& standard);

}  // namespace pimdse::models::umdam
