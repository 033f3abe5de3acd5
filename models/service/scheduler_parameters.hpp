#pragma once

#include "models/contract/parameter.hpp"
#include "models/contract/service_engine.hpp"
#include "sim/serving/scheduler.hpp"

#include <string_view>

namespace pimdse::models::service {

/// Start of the names of parameters of the scheduler, which are written as a table of that name, too.
inline constexpr std::string_view scheduler_prefix = "scheduler.";
/// Name of the number of equal machines behind a balancer, which take the requests in turn.
inline constexpr std::string_view copies_name = "copies";

/// Name of the choice that only machines with a tier have.
inline constexpr std::string_view reuse_name = "scheduler.reuse";

/// The parameters that follow those of the architecture in the table of a machine that serves traffic: copies, and
/// those of the scheduler (sim/serving/scheduler.hpp): scheduler.max_sequences, scheduler.max_batched_tokens,
/// scheduler.block_tokens, scheduler.policy, scheduler.memory_share, scheduler.cache_tokens, scheduler.prefix_cache,
/// scheduler.state_every, scheduler.reuse.
[[nodiscard]] Parameters scheduler_parameters();
/// Whether a parameter of this name is one of them.
[[nodiscard]] bool is_serving_parameter(std::string_view name);

/// `copies` of a point with these parameters at its end.
[[nodiscard]] std::int64_t copies_of(Point point);

/// The settings of the last values of a point for this engine. There are no blocks if not even one fits; then the
/// settings have blocks = 0.
[[nodiscard]] sim::serving::SchedulerSettings settings_of(Point point, ServiceEngine const& engine);

}  // namespace pimdse::models::service
