#pragma once

#include "sim/serving/scheduler.hpp"
#include "sim/serving/summary.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {
struct Trace;
}

namespace pimdse::models::service {

/// Keys of the traffic of a scenario and of the limits that its requests must meet, as one name each,
/// with blanks between them: [scenario.traffic] rate is traffic.rate. docs/traffic.md explains them.
inline constexpr std::string_view traffic_keys =
    "traffic.trace traffic.arrivals traffic.rate traffic.cv traffic.burstiness traffic.concurrency "
    "traffic.requests traffic.input traffic.output traffic.seed traffic.columns.time traffic.columns.input "
    "traffic.columns.output traffic.columns.session traffic.columns.request traffic.columns.parent "
    "traffic.columns.blocks traffic.columns.after traffic.columns.error traffic.columns.cancelled "
    "traffic.columns.phase traffic.columns.unit traffic.columns.block_tokens traffic.columns.prompts "
    "traffic.session.turns traffic.session.think traffic.session.grows.input traffic.session.grows.output "
    "traffic.session.shared_prefix traffic.session.share slo.ttft slo.tpot slo.share slo.required";

[[nodiscard]] bool is_traffic_key(std::string_view key);

/// Requests that arrive over time, and what they must meet.
struct Traffic {
    sim::serving::ServiceLoad load;
    sim::serving::ServiceObjectives objectives;
    double share = 0.0;  ///< of the requests that must meet them
    /// A design of which fewer do, at the fidelity of an evaluation, is infeasible, found without serving the rest of
    /// the load; max_rate is not sought.
    bool required = false;
    std::int64_t mean_input = 1, mean_output = 1;
    /// The load with another seed; empty if nothing of it is drawn.
    std::function<sim::serving::ServiceLoad(std::uint64_t seed)> again{};
    std::vector<std::filesystem::path> files;  ///< that were read
    /// What a trace says beside its requests, which are in `load`; nullptr without a trace.
    std::shared_ptr<sim::serving::Trace const> trace;
    /// A line about the trace, its kind, how many requests, how fast, what was left out, and about sessions.
    std::string trace_text;
};

/// Most requests of a scenario.
inline constexpr std::int64_t max_requests = 1'000'000;

/// The traffic of these keys. Throws InputError with a sentence for every mistake; each begins with the key that it
/// concerns, or with the file and line.
[[nodiscard]] Traffic read_traffic_keys(std::vector<std::pair<std::string, std::string>> const& keys);

/// The file that a key names: as given if it exists, else the shipped file of that name in models/traffic.
[[nodiscard]] std::filesystem::path traffic_file(std::string const& name);

}  // namespace pimdse::models::service
