#pragma once

#include "models/contract/constants.hpp"
#include "models/dplena/numerics/accuracy.hpp"
#include "sim/workload.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace pimdse::models::dplena {

/// Cycles per instruction class (constants.toml).
struct InstructionCosts {
    std::int64_t red_max = 0, sub = 0, exp = 0, red_sum = 0, scalar = 0, scalar_exp = 0, scalar_multiply = 0,
                 control = 0;
    std::int64_t immediate_limit = 0;  ///< largest constant of a single-instruction load
};

/// Timing rules of the HBM, in ticks of 1 ns; names as in constants.toml.
struct HbmTiming {
    std::int64_t burst = 0, read_latency = 0, activate_to_read = 0, precharge = 0, activate_to_precharge = 0,
                 row_cycle = 0;
    std::int64_t read_to_precharge = 0, same_group = 0, activate_gap = 0, activate_gap_group = 0, row_bus = 0,
                 four_activates = 0;
    std::array<std::int64_t, 2> bus{};  ///< by Bus
    std::int64_t refresh_interval = 0, refresh_duration = 0;
    std::int64_t read_queue = 0;
};

/// Measured means of the time of one prefetch at 16 channels; widths and counts of the grid are powers of two.
struct PrefetchTable {
    static constexpr std::array<std::int64_t, 7> widths{64, 128, 256, 512, 1024, 2048, 4096};
    static constexpr std::array<std::int64_t, 5> vectors{1, 2, 4, 8, 16};
    std::array<std::array<std::array<double, 5>, 7>, 2> ticks{};  ///< [bus][width][vectors]
    double base = 0.0, per_read = 0.0;                            ///< straight line where it holds
};

struct SiliconConstants {
    sim::Frequency frequency;
    sim::Area vector_area_per_lane, vector_area_offset, scalar_area;
    sim::Power vector_power_per_lane, vector_power_offset;
    sim::AreaPerByte sram_area;
    sim::EnergyPerByte sram_energy, hbm_energy;
    sim::Data hbm_capacity_per_channel, vector_element, token_element;
};

struct ModelConstants {
    double weight_scale = 0.0;  ///< bytes of scale per weight
    sim::Data kv_element;
};

struct Memories;

/// All that is fixed while points vary.
struct Machine {
    InstructionCosts costs;
    HbmTiming hbm;
    PrefetchTable prefetch;
    SiliconConstants silicon;
    ModelConstants model_constants;
    ProxyConstants proxy;
    std::vector<sim::LanguageModel> models;
    std::vector<std::int64_t> vocabularies;    ///< of `models`
    std::shared_ptr<Memories const> memories;  ///< what evaluations remember; never changes an answer

    /// Throws InputError for a missing or mistyped constant.
    static Machine load(std::vector<std::string> const& model_names);
};

}  // namespace pimdse::models::dplena
