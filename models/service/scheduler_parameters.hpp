#pragma once

#include "models/contract/parameter.hpp"
#include "models/contract/service_engine.hpp"
#include "sim/serving/scheduler.hpp"

#include <string_view>

namespace pimdse::models::service {

/// Start of the names of these parameters, which are written as a table of that name, too.
inline constexpr std::string_view scheduler_prefix = "scheduler.";

/// The parameters of the scheduler (sim/serving/scheduler.hpp), which follow those of the architecture in the table of
/// a machine that serves traffic: scheduler.max_sequences, scheduler.max_batched_tokens, scheduler.block_tokens,
/// scheduler.policy, scheduler.memory_share, scheduler.cache_tokens, scheduler.prefix_cache, scheduler.state_every.
[[nodiscard]] Parameters scheduler_parameters();

/// The settings of the last values of a point for this engine. There are no blocks if not even one fits; then the
/// settings have blocks = 0.
[[nodiscard]] sim::serving::SchedulerSettings settings_of(Point point, ServiceEngine const& engine);

}  // namespace pimdse::models::service
