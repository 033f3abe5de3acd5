#pragma once

#include "sim/noc/open_loop.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace pimdse::sim::noc {

/// One row of a reference table: a run of another network simulator (tests/data/noc_latency.md).
struct ReferenceRow {
    int line = 0;
    std::string group;         ///< configuration, mesh, traffic, packet length
    std::string not_modelled;  ///< why the configuration is not this network's; empty if it is
    OpenLoop request;          ///< load as offered
    bool stable = true;
    double latency = 0.0;   ///< packets, cycles; stable rows
    double accepted = 0.0;  ///< flits per node and cycle
    double routers = 0.0;   ///< mean routers on a packet's way; stable rows
};

/// Reads the columns of noc_latency.csv by name; others may stand beside them. Throws InputError with file and line.
[[nodiscard]] std::vector<ReferenceRow> read_reference_rows(std::istream& csv, std::string const& file);

/// What the network makes of a row. The reference's runs are short, so latencies of stable rows are compared at the
/// load the reference realised (what it accepted) and at equal mean distance (its latency is moved by the cycles per
/// hop times the difference of mean hops).
struct RowCheck {
    double saturation_share = 0.0;  ///< load over saturated throughput
    double expected_latency = 0.0, latency = 0.0, latency_error = 0.0;
    double accepted = 0.0, throughput_error = 0.0;
    double band = 0.0;  ///< allowed error: of latency in stable rows, of throughput in others; 0: informational
    bool within = true;
    std::int64_t router_cycles = 0;
};

/// Bands: latency within 1.5 % up to half of saturation and 3 % up to 85 %, saturated throughput within 5 %. Rows
/// nearer to saturation scatter by more than that in the reference itself and have none. `packets` count in each run.
/// Skipped rows have an empty answer. Rows run in parallel; the answers do not depend on it.
[[nodiscard]] std::vector<RowCheck> check(std::vector<ReferenceRow> const& rows, std::int64_t packets = 100'000);

}  // namespace pimdse::sim::noc
