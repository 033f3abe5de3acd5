#pragma once

#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Line format of a request trace (examples in docs/simulators.md).
enum class TraceFormat : std::uint8_t {
    automatic,              ///< the format of the first request
    plain,                  ///< LD 0x40
    timed,                  ///< LD 0x40 120
    ramulator2_load_store,  ///< LD 0x40
    ramulator2_read_write,  ///< R 0,0,1,2,100,5
    ramulator,              ///< 0x40 R
    dramsim3                ///< 0x40 READ 120
};

/// Trace format by name. Throws InputError that lists the known names.
[[nodiscard]] TraceFormat trace_format_named(std::string_view name);
/// All names that --trace-format accepts.
[[nodiscard]] std::vector<std::string> trace_format_names();

/// One request of a trace.
struct TracedRequest {
    sim::dram::Transaction transaction;
    std::optional<sim::dram::Tick> arrival;  ///< cycle, if the format has one
};

/// Parses the words of a line, at least one. `mapping` converts the address vectors of ramulator2_read_write to
/// addresses. Throws InputError with the reason, without file and line.
[[nodiscard]] TracedRequest read_request(TraceFormat format, std::vector<std::string> const& words,
                                         sim::dram::Mapping const& mapping);

/// Reads a request trace with one request per line; blank lines and text after # are skipped. All lines have the same
/// format: `format`, or that of the first request. In formats with cycles, requests must be in the order of their
/// cycles, and the stream is timed. Throws InputError with file and line.
[[nodiscard]] sim::dram::Stream read_dram_trace(std::filesystem::path const& file, TraceFormat format,
                                                sim::dram::Mapping const& mapping, int transaction_bytes);

}  // namespace pimdse::models
