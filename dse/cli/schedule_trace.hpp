#pragma once

#include "dse/cli/served_scenario.hpp"

#include <iosfwd>

namespace pimdse::dse::cli {

/// Writes what happened to the requests of a scenario as Chrome trace events, which Perfetto and chrome://tracing show:
/// a track for each engine with its steps, counters of sequences that run, requests that wait and the share of the
/// cache, and a track for each request with its time in the queue, its prompt and its tokens. Times in microseconds.
void write_schedule_trace(std::ostream& out, ServedScenario const& scenario, std::string_view machine);

}  // namespace pimdse::dse::cli
