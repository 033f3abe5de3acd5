#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "models/gpu/design.hpp"
#include "models/llm/model_list.hpp"
#include "models/llm/workload.hpp"
#include "sim/base/units.hpp"

#include <array>
#include <memory>
#include <vector>

namespace pimdse::models::gpu {

using OperationRate = sim::Quantity<-1, 0, 0, 0, 1>;  ///< FLOP/s

/// Constants of one board. The shares are the fractions that programs attain of the figures of the data sheet.
struct BoardConstants {
    std::array<OperationRate, precision_names.size()> peak;  ///< dense; 0: the board does not compute in this format
    std::array<double, precision_names.size()> compute_share{};
    sim::Bandwidth bandwidth;
    double bandwidth_share = 0.0;  ///< attained by programs; under view hardware, the part that refresh leaves
    sim::Data memory;
    sim::Power max_power, min_power, idle_power;  ///< min_power: the lowest accepted limit
    Supply supply;                                ///< of the processor; nominal: the clock of the peaks
    double memory_bound_power = 0.0;              ///< fraction of max_power
    sim::Area die;
    sim::Area memory_die;
    double memory_dies = 0.0;
    sim::EnergyPerByte memory_array, memory_pins;
    double packages = 0.0;     ///< number of memory packages
    sim::Power package_limit;  ///< of one memory package
    sim::Bandwidth nvlink;     ///< one direction
    std::int64_t nvlink_devices = 0;
};

struct MachineConstants {
    std::array<BoardConstants, device_names.size()> boards;
    double memory_share = 0.0;
    double compute_bound_power = 0.0;  ///< fraction of max_power
    double memory_clock = 0.0;         ///< fraction of the nominal clock above which the memory is slower than the die
    sim::EnergyPerByte cache_access;
    double logit_walks = 0.0;
    sim::Data logit;
    sim::Power host;             ///< power of a host while the boards work; 0 if it is not counted
    double slow_software = 0.0;  ///< allowance: factor by which other programs may be slower than the closed form
};

/// Reads the constants. Throws InputError for a constant that is missing or has another dimension.
[[nodiscard]] MachineConstants load_constants(ModelOptions const& options = {});

/// Rules that the constants must satisfy for the bounds and slopes of this architecture (README.md, Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

/// Everything that is the same for all points.
struct Prepared {
    MachineConstants machine;
    ModelList models;                   ///< by choice of `llm`
    std::vector<LanguageModel> drafts;  ///< by choice of `draft_llm`
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::gpu
