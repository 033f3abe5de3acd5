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
    std::string not_modelled;  ///< reason why this network cannot have the configuration; empty if it can
    OpenLoop request;          ///< with the offered load
    bool stable = true;
    double latency = 0.0;   ///< mean latency of packets in cycles; stable rows only
    double accepted = 0.0;  ///< flits per node and cycle
    double routers = 0.0;   ///< mean number of routers on a packet's route; stable rows only
};

/// Reads the columns of noc_latency.csv by name; other columns are ignored. Throws InputError with file and line.
[[nodiscard]] std::vector<ReferenceRow> read_reference_rows(std::istream& csv, std::string const& file);

/// Comparison of a row with the simulated network. The runs of the reference are short, so latencies of stable rows are
/// compared at the load that the reference realised (accepted) and at equal mean distance (the latency of the reference
/// is shifted by the cycles per hop times the difference of the mean hops).
struct RowCheck {
    double saturation_share = 0.0;  ///< load divided by saturated throughput
    double expected_latency = 0.0, latency = 0.0, latency_error = 0.0;
    double accepted = 0.0, throughput_error = 0.0;
    /// Allowed relative error, of latency in stable rows, of throughput in others; nullopt: not compared.
    std::optional<double> band;
    bool within = true;
    std::int64_t router_cycles = 0;
};

/// Bands: latency within 1.5 % up to half of saturation and within 3 % up to 85 %, saturated throughput within 5 %.
/// Rows nearer to saturation scatter by more than that in the reference itself and have no band. Each run measures
/// `packets` packets. Skipped rows have an empty result. Rows run in parallel; the results do not depend on that.
[[nodiscard]] std::vector<RowCheck> check(std::vector<ReferenceRow> const& rows, std::int64_t packets = 100'000);

}  // namespace pimdse::sim::noc
