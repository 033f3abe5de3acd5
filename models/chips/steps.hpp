#pragma once

#include "models/chips/group.hpp"
#include "models/contract/service_engine.hpp"
#include "models/llm/workload.hpp"

#include <vector>

/// Steps of an engine that consists of several devices. docs/models.md has the equations.
namespace pimdse::models::chips {

/// The devices of a kind of stage as engines of their own, each of which serves its part of the model, which lives
/// longer.
struct StageEngine {
    ServiceEngine engine;
    LanguageModel const* part = nullptr;
    double stages = 1.0;  ///< that are alike
};
struct StageEngines {
    DeviceGroup group;
    StageEngine last;
    std::vector<StageEngine> before;       ///< every stage before the last one
    LanguageModel const* model = nullptr;  ///< that the group serves
    double host = 0.0;                     ///< W of a host that the engines contain; 0 if hosts are not counted
    bool shares_hosts = true;              ///< eight devices have one host; otherwise each its own
};

/// The group as an engine, with one copy of the model for each of group.data. Tensor groups work on the same positions
/// and exchange sums. Devices that share experts take the sequences of a step in turn, and the slowest decides.
/// Micro-batches are parts of a step that take its sequences in turn and follow each other through the stages: the last
/// one waits for those before it, except in steps without prompts, which follow each other without a gap.
[[nodiscard]] ServiceEngine engine_of(StageEngines engines);

}  // namespace pimdse::models::chips
