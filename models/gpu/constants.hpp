#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "models/gpu/design.hpp"
#include "models/llm/workload.hpp"
#include "sim/base/units.hpp"

#include <array>
#include <memory>
#include <vector>

namespace pimdse::models::gpu {

using OperationRate = sim::Quantity<-1, 0, 0, 0, 1>;  ///< FLOP/s

/// One board. The shares are what programs attain of the figures of the data sheet.
struct BoardConstants {
    std::array<OperationRate, precision_names.size()> peak;  ///< dense; 0: the board does not compute in this format
    std::array<double, precision_names.size()> compute_share{};
    sim::Bandwidth bandwidth;
    double bandwidth_share = 0.0;  ///< what programs attain; under view hardware what refresh leaves
    sim::Data memory;
    sim::Power max_power, min_power, idle_power;  ///< least: the lowest limit that is served
    Supply supply;                                ///< of the processor; nominal: the clock of the peaks
    double memory_bound_power = 0.0;              ///< share of the most it draws
    sim::Area die;
    sim::Area memory_die;
    double memory_dies = 0.0;
    sim::EnergyPerByte memory_array, memory_pins;
    double packages = 0.0;        ///< of memory
    sim::Power package_limit;     ///< of one of them
    sim::Bandwidth nvlink, pcie;  ///< one direction of one device
    std::int64_t nvlink_devices = 0;
};

struct MachineConstants {
    std::array<BoardConstants, device_names.size()> boards;
    sim::Time nvlink_latency, pcie_latency;
    double link_share = 0.0, memory_share = 0.0;
    double compute_bound_power = 0.0;  ///< share of the most a board draws
    double memory_clock = 0.0;         ///< share of the nominal clock from which on the memory is the slower side
    sim::EnergyPerByte link_transfer, cache_access;
    double logit_walks = 0.0;
    sim::Data logit;
    sim::Power host;             ///< what a host draws while the boards work; 0 where it is not counted
    double slow_software = 0.0;  ///< allowance: how much slower other programs are than the closed form's
};

/// Throws InputError for a constant that is missing or of another dimension.
[[nodiscard]] MachineConstants load_constants(ModelOptions const& options = {});

/// What bounds and directions of this architecture presuppose of its constants (README.md, Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

/// What stays fixed while points vary.
struct Prepared {
    MachineConstants machine;
    std::vector<LanguageModel> models;  ///< by choice of `llm`
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::gpu
