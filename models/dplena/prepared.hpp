#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/numerics/accuracy.hpp"
#include "models/llm/workload.hpp"

#include <memory>
#include <vector>

namespace pimdse::models::dplena {

/// What stays fixed while points vary, and what their evaluations remember, which never changes an answer.
struct Prepared {
    MachineConstants machine;
    std::vector<LanguageModel> models;
    std::vector<std::int64_t> vocabularies;  ///< of `models`
    AccuracyProxy accuracy;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::dplena
