#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/constants.hpp"
#include "sim/workload.hpp"

#include <memory>
#include <vector>

namespace pimdse::models::gpu {

/// What stays fixed while points vary.
struct Prepared {
    MachineConstants machine;
    std::vector<sim::LanguageModel> models;  ///< by choice of `llm`
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::gpu
