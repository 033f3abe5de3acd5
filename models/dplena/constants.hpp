#pragma once

#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/dplena/design.hpp"

#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <string_view>

namespace pimdse::models::dplena {

/// A frequency in whole MHz.
[[nodiscard]] inline std::int64_t megahertz(double frequency) {
    constexpr double unit = 1'000'000;
    return std::llround(frequency / unit);
}

/// Cycles per instruction class (constants.toml).
struct InstructionCosts {
    std::int64_t red_max = 0, sub = 0, exp = 0, red_sum = 0, scalar = 0, scalar_exp = 0, scalar_multiply = 0,
                 control = 0;
    std::int64_t plain_max = 0, compare = 0, find_first = 0, multiply = 0, add = 0, random = 0;  ///< of ablations
    std::int64_t immediate_limit = 0;  ///< largest constant of a single-instruction load
};

/// Timing rules of the HBM, in ticks of 1 ns. Each member is the constant hbm_NAME of constants.toml.
struct HbmTiming {
    std::int64_t burst = 0, read_latency = 0, activate_to_read = 0, precharge = 0, activate_to_precharge = 0,
                 row_cycle = 0;
    std::int64_t read_to_precharge = 0, same_group = 0, activate_gap = 0, activate_gap_group = 0, row_bus = 0,
                 four_activates = 0;
    std::array<std::int64_t, 2> bus{};  ///< between reads of a pseudo-channel, indexed by Bus
    std::int64_t refresh_interval = 0, refresh_duration = 0;
    std::int64_t read_queue = 0;
    std::int64_t clock = 1000;  ///< ticks per microsecond
};

/// Sizes of the caches of simulated prefetches. They do not affect results.
struct PrefetchCacheLimits {
    std::int64_t outcomes = 0, whole_outcomes = 0, shapes = 0;  ///< a cache with more entries is emptied
    std::int64_t reads_worth_a_shape = 0;  ///< for prefetches with fewer reads, a shape costs more time than it saves
};

/// The part of the HBM model that is the same for all designs.
struct Hbm {
    HbmTiming timing;
    PrefetchCacheLimits cache_limits;
};

/// Mean times [ticks of either generation of HBM] of one prefetch, measured at cycle level, on a grid of powers of two.
struct PrefetchTable {
    static constexpr std::array<std::string_view, 2> buses{"compat", "corrected"};
    static constexpr std::array<std::int64_t, 7> widths{64, 128, 256, 512, 1024, 2048, 4096};
    static constexpr std::array<std::int64_t, 5> vectors{1, 2, 4, 8, 16};
    static constexpr std::int64_t channels = 16;  ///< number of channels of the measured design
    std::array<std::array<std::array<std::array<double, 5>, 7>, 2>, 2> ticks{};  ///< [generation][bus][width][vectors]
    double base = 0.0, per_read = 0.0;  ///< straight line for HBM2, used where line_holds()

    /// The name of one mean in constants.toml.
    [[nodiscard]] static std::string row(HbmGeneration generation, std::size_t bus, std::size_t width,
                                         std::size_t count);
};

/// The range in which the closed form of the time of a prefetch is valid, and its allowed error (constants.toml,
/// allowances).
struct EstimateAllowances {
    double reads_that_fill_the_bus = 0.0;
    std::int64_t line_min_vlen = 0, line_mx_block = 0, line_min_width = 0;
    double line_max_reads = 0.0;
    double line_upper = 0.0, table_upper = 0.0, table_upper_ticks = 0.0, scales_upper = 0.0;
    double bus_never_full = 0.0;
    double refresh_upper = 0.0, refreshes_met = 0.0;
};

/// Allowed error of the closed form of a pipeline (constants.toml, allowances).
struct SamplingAllowances {
    double refreshes_missed = 0.0;
    double analytic_slack = 0.0;
};

/// Area, energy and power of units and on-chip memories, and sizes of elements.
struct SiliconConstants {
    sim::Frequency frequency;
    sim::Area vector_area_per_lane, vector_area_offset, scalar_area;
    sim::Energy vector_energy_per_lane, vector_energy_offset;  ///< per active cycle
    sim::AreaPerByte sram_area;
    sim::EnergyPerByte sram_energy;     ///< of an access to the vector memory
    sim::EnergyPerByte operand_energy;  ///< of an access to the tiles of the matrix unit
    sim::Quantity<-1, 1, -1, 0, 0> sram_leakage;
    sim::Data hbm_capacity_per_channel, vector_element, token_element;
    double exponential_share = 0.0;  ///< share of the area and power of a lane
    sim::Area fetch_slot, issue_slot;
    sim::AreaPerByte accumulator;
    sim::Area index_path, mask_encoder, dequantizer, random_source;  ///< per lane
    sim::Area topk_entry;
    double published_entries = 0.0;  ///< of the list in the published area
    sim::AreaPerByte fifo_cell;      ///< of the FIFO to the host
    sim::EnergyPerByte fifo_access;  ///< a write or a read of it
    double waiting_share = 0.0;      ///< power of a waiting unit over its active power
};

/// The matrix unit, per multiply-add with weights of 4, 8 and 16 bits.
struct MatrixConstants {
    static constexpr std::array<double, 3> bits{4, 8, 16};
    std::array<sim::Area, bits.size()> area;
    std::array<sim::Energy, bits.size()> energy;
    double tiles = 0.0;  ///< number of tiles of MLEN x BLEN bytes on chip
};

/// Energy, power and area of the HBM stacks and of their PHYs and controllers.
struct StackConstants {
    sim::EnergyPerByte array, interface;
    sim::Energy row_activation;
    sim::Data row;
    sim::Power open_standby, closed_standby, refreshing;  ///< per pseudo-channel
    sim::AreaPerByte die;
    sim::Area base_die, phy, controller;  ///< per channel
    sim::Power channel_standing;          ///< static power of PHY and controller, per channel
    sim::Power channel_standing_hbm2e;    ///< the same with HBM2E
    double standby_hbm2e = 0.0;           ///< power of a stack in standby with HBM2E over that with HBM2
    std::int64_t stack_channels = 0;
    sim::Power package_limit;  ///< per stack
};

struct ModelConstants {
    double weight_scale = 0.0;  ///< bytes of scale per weight
    sim::Data kv_element;
};

/// The host that samples in place of the NPU.
struct HostConstants {
    sim::Bandwidth link;  ///< each way
    sim::Time link_latency;
    sim::Frequency logit_rate;  ///< logits per second
    sim::Frequency noise_rate;  ///< Gumbel-distributed numbers per second
    sim::EnergyPerByte link_energy;
    sim::Power power;  ///< while it samples
};

/// Distribution of the synthetic logits: each row has a bulk, a peak and a runner-up at pseudo-random positions.
struct ProxyConstants {
    std::uint64_t seed = 0;
    std::int64_t blocks = 0, block_length = 0, transfers = 0;
    double bulk_spread = 0.0, peak_lower = 0.0, peak_upper = 0.0, gap = 0.0;
    auto operator<=>(ProxyConstants const&) const = default;
};

/// All constants of constants.toml.
struct MachineConstants {
    InstructionCosts costs;
    Hbm hbm;
    PrefetchTable prefetch;
    EstimateAllowances estimate;
    SamplingAllowances sampling;
    SiliconConstants silicon;
    MatrixConstants matrix;
    StackConstants stack;
    ModelConstants model;
    ProxyConstants proxy;
    HostConstants sampling_host;
    sim::Power host;  ///< power of the host during a request; 0 if it is not counted
};

/// Throws InputError that names the first constant that is missing or has the wrong dimension.
[[nodiscard]] MachineConstants bind_constants(Constants const& constants);

/// Properties of the constants that the bounds and the monotone directions of this architecture rely on (README.md,
/// Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::dplena
