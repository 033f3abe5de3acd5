#pragma once

#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/dplena/design.hpp"

#include <algorithm>
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

/// Cycles from the issue of an instruction to its result in the authors' RTL (constants.toml).
struct RtlLatencies : FromConstants {
    std::int64_t sub = named("rtl_v_sub_vf"), multiply = named("rtl_v_mul_vf"), exp = named("rtl_v_exp_v"),
                 reduction = named("rtl_reduction"), sum_level = named("rtl_v_red_sum_level"),
                 max_level = named("rtl_v_red_max_level"), scalar_add = named("rtl_s_add_fp"),
                 scalar_multiply = named("rtl_s_mul_fp"), scalar_exp = named("rtl_s_exp_fp"),
                 reciprocal = named("rtl_s_reci_fp"), map = named("rtl_s_map_v_fp");
};

/// Cycles per instruction class (constants.toml).
struct InstructionCosts : FromConstants {
    std::int64_t red_max = named("v_red_max_idx"), sub = named("v_sub_vf"), exp = named("v_exp_v"),
                 red_sum = named("v_red_sum"), scalar = named("scalar"), scalar_exp = named("scalar_exp"),
                 scalar_multiply = named("scalar_multiply"), control = named("control");
    std::int64_t plain_max = named("v_red_max"), compare = named("v_cmp_vf"), find_first = named("v_first"),
                 multiply = named("v_mul_vf"), add = named("v_add_vv"), random = named("v_random");  ///< of ablations
    RtlLatencies rtl{source()};
    std::int64_t immediate_limit = named("immediate_limit");  ///< largest constant of a single-instruction load
};

/// Timing rules of the HBM, in ticks of 1 ns.
struct HbmTiming : FromConstants {
    std::int64_t burst = named("hbm_burst"), read_latency = named("hbm_read_latency"),
                 activate_to_read = named("hbm_activate_to_read"), precharge = named("hbm_precharge"),
                 activate_to_precharge = named("hbm_activate_to_precharge"), row_cycle = named("hbm_row_cycle"),
                 read_to_precharge = named("hbm_read_to_precharge"), same_group = named("hbm_same_group"),
                 activate_gap = named("hbm_activate_gap"), activate_gap_group = named("hbm_activate_gap_group"),
                 row_bus = named("hbm_row_bus"), four_activates = named("hbm_four_activates");
    /// Between reads of a pseudo-channel, indexed by Bus.
    std::array<std::int64_t, 2> bus{named("hbm_bus_compat"), named("hbm_bus_corrected")};
    std::int64_t refresh_interval = named("hbm_refresh_interval"), refresh_duration = named("hbm_refresh_duration"),
                 read_queue = named("hbm_read_queue");
    /// Ticks per microsecond.
    std::int64_t clock = std::max<std::int64_t>(1, megahertz(source().get<sim::Frequency>("frequency").si));
};

/// Sizes of the caches of simulated prefetches. They do not affect results.
struct PrefetchCacheLimits : FromConstants {
    std::int64_t outcomes = allowed("memory_outcomes"), whole_outcomes = allowed("memory_whole_outcomes"),
                 shapes = allowed("memory_shapes");  ///< a cache with more entries is emptied
    std::int64_t reads_worth_a_shape = allowed(
        "memory_reads_worth_a_shape");  ///< for prefetches with fewer reads, a shape costs more time than it saves
};

/// The part of the HBM model that is the same for all designs.
struct Hbm {
    HbmTiming timing;
    PrefetchCacheLimits cache_limits;
};

/// Mean times [ticks of either generation of HBM] of one prefetch, measured at cycle level, on a grid of powers of two.
struct PrefetchTable : FromConstants {
    static constexpr std::array<std::string_view, 2> buses{"compat", "corrected"};
    static constexpr std::array<std::int64_t, 7> widths{64, 128, 256, 512, 1024, 2048, 4096};
    static constexpr std::array<std::int64_t, 5> vectors{1, 2, 4, 8, 16};
    static constexpr std::int64_t channels = 16;  ///< number of channels of the measured design
    using Ticks = std::array<std::array<std::array<std::array<double, 5>, 7>, 2>, 2>;
    Ticks ticks = measured();  ///< [generation][bus][width][vectors]
    double base = named("estimate_ticks"),
           per_read = named("estimate_ticks_per_read");  ///< straight line for HBM2, used where line_holds()

    /// The name of one mean in constants.toml.
    [[nodiscard]] static std::string row(HbmGeneration generation, std::size_t bus, std::size_t width,
                                         std::size_t count);

  private:
    [[nodiscard]] Ticks measured() const;
};

/// The range in which the closed form of the time of a prefetch is valid, and its allowed error (constants.toml,
/// allowances).
struct EstimateAllowances : FromConstants {
    double reads_that_fill_the_bus = allowed("estimate_reads_that_fill_the_bus");
    std::int64_t line_min_vlen = allowed("estimate_line_least_vlen"), line_mx_block = allowed("estimate_line_mx_block"),
                 line_min_width = allowed("estimate_line_least_width");
    double line_max_reads = allowed("estimate_line_most_reads");
    double line_upper = allowed("estimate_line_high"), table_upper = allowed("estimate_table_high"),
           table_upper_ticks = allowed("estimate_table_high_ticks"), scales_upper = allowed("estimate_scales_high");
    double bus_never_full = allowed("estimate_bus_never_full");
    double refresh_upper = allowed("estimate_refresh_high"), refreshes_met = allowed("estimate_refreshes_met");
};

/// Allowed error of the closed form of a pipeline (constants.toml, allowances).
struct SamplingAllowances : FromConstants {
    double refreshes_missed = allowed("sampling_refreshes_missed");
    double analytic_slack = allowed("sampling_analytic_slack");
};

/// Area, energy and power of units and on-chip memories, and sizes of elements.
struct SiliconConstants : FromConstants {
    sim::Frequency frequency = named("frequency");
    sim::Area vector_area_per_lane = named("vector_area_per_lane"), vector_area_offset = named("vector_area_offset"),
              scalar_area = named("scalar_area");
    sim::Energy vector_energy_per_lane = named("vector_energy_per_lane"),
                vector_energy_offset = named("vector_energy_offset");  ///< per active cycle
    sim::AreaPerByte sram_area = named("sram_area_per_bit");
    sim::EnergyPerByte sram_energy = named("sram_energy_per_bit");  ///< of an access to the vector memory
    sim::Quantity<-1, 1, -1, 0, 0> sram_leakage = named("sram_leakage");
    sim::Data hbm_capacity_per_channel = named("hbm_capacity_per_channel"), vector_element = named("vector_element"),
              token_element = named("token_element");
    double exponential_share = named("exponential_share");  ///< share of the area and power of a lane
    sim::Area fetch_slot = named("fetch_slot_area"), issue_slot = named("issue_slot_area");
    sim::AreaPerByte accumulator = named("accumulator_area");
    sim::Area index_path = named("index_path_area"), mask_encoder = named("mask_encoder_area"),
              dequantizer = named("dequantizer_area"), random_source = named("random_source_area");  ///< per lane
    sim::Area topk_entry = named("topk_entry_area");
    double published_entries = named("topk_published_entries");  ///< of the list in the published area
    sim::Area chain_registers = named("chain_registers_area");   ///< of a further interleaved row
    sim::AreaPerByte fifo_cell = named("host_fifo_area");        ///< of the FIFO to the host
    sim::EnergyPerByte fifo_access = named("host_fifo_energy");  ///< a write or a read of it
    double waiting_share = named("waiting_share");               ///< power of a waiting unit over its active power
};

/// Energy, power and area of the HBM stacks and of their PHYs and controllers.
struct StackConstants : FromConstants {
    sim::EnergyPerByte array = named("hbm_array_access"), interface = named("hbm_interface");
    sim::Energy row_activation = named("hbm_row_activation");
    sim::Data row = named("hbm_row");
    sim::Power open_standby = named("hbm_open_standby"), closed_standby = named("hbm_closed_standby"),
               refreshing = named("hbm_refresh_power");  ///< per pseudo-channel
    sim::AreaPerByte die = named("hbm_die");
    sim::Area base_die = named("hbm_base_die"), phy = named("hbm_phy_area"),
              controller = named("hbm_controller_area");          ///< per channel
    sim::Power channel_standing = named("hbm_channel_standing");  ///< static power of PHY and controller, per channel
    sim::Power channel_standing_hbm2e = named("hbm2e_channel_standing");  ///< the same with HBM2E
    double standby_hbm2e = named("hbm2e_standby");  ///< power of a stack in standby with HBM2E over that with HBM2
    std::int64_t stack_channels = named("hbm_stack_channels");
    sim::Power package_limit = named("hbm_package_limit");  ///< per stack
};

/// The host that samples in place of the NPU.
struct HostConstants : FromConstants {
    sim::Bandwidth link = named("host_link");  ///< each way
    sim::Time link_latency = named("host_link_latency");
    sim::Frequency logit_rate = named("host_logit_rate");  ///< logits per second
    sim::Frequency noise_rate = named("host_noise_rate");  ///< Gumbel-distributed numbers per second
    sim::EnergyPerByte link_energy = named("host_link_energy");
    sim::Power power = named("host_sampling_power");  ///< while it samples
};

/// Distribution of the synthetic logits: each row has a bulk, a peak and a runner-up at pseudo-random positions.
struct ProxyConstants {
    std::uint64_t seed = 0;
    std::int64_t blocks = 0, block_length = 0, transfers = 0;
    double bulk_spread = 0.0, peak_lower = 0.0, peak_upper = 0.0, gap = 0.0;
    auto operator<=>(ProxyConstants const&) const = default;
};

/// The constants of the sampler; those of the matrix unit and of passes are read by the machine file.
struct MachineConstants : FromConstants {
    InstructionCosts costs{source()};
    Hbm hbm{.timing = HbmTiming{source()}, .cache_limits = PrefetchCacheLimits{source()}};
    PrefetchTable prefetch{source()};
    EstimateAllowances estimate{source()};
    SamplingAllowances sampling{source()};
    SiliconConstants silicon{source()};
    StackConstants stack{source()};
    ProxyConstants proxy{.seed = named("proxy_seed"),
                         .blocks = named("proxy_blocks"),
                         .block_length = named("proxy_block_length"),
                         .transfers = named("proxy_transfers"),
                         .bulk_spread = named("proxy_bulk_spread"),
                         .peak_lower = named("proxy_peak_low"),
                         .peak_upper = named("proxy_peak_high"),
                         .gap = named("proxy_gap")};
    HostConstants sampling_host{source()};
};

/// Properties of the constants that the bounds and the monotone directions of this architecture rely on (README.md,
/// Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::dplena
