#pragma once

#include "sim/serving/scheduler.hpp"
#include "sim/serving/trace_kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {

/// Most tokens of a prompt, and most tokens that are generated.
inline constexpr std::int64_t max_tokens = std::int64_t{1} << 30;

/// A cell as a whole number of tokens from 0 to max_tokens; nullopt otherwise.
[[nodiscard]] std::optional<std::int64_t> tokens_in(std::string_view cell);

struct TraceOptions {
    TraceColumns columns;
    std::size_t max_requests = std::numeric_limits<std::size_t>::max();  ///< the first ones are read
    bool tokens = false;                                                 ///< of a recorded run: with Trace::tokens
};

/// When tokens of a request came that somebody measured, in s since its arrival.
struct TokenTimes {
    double first = 0.0, last = 0.0;
};

/// Which requests share what, as a trace names it. A list is empty if the trace says nothing, else it has an element
/// for each request. Names are numbers: those below 2^31 are as the trace has them, others are numbered from 2^31 on in
/// the order of their appearance.
struct TracePast {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> session, request, parent;
    std::int64_t block_tokens = 0;
    bool added = false;  ///< inputs of requests that continue others are what they add; else whole prompts
    std::vector<std::uint32_t> blocks;       ///< of all prompts
    std::vector<std::uint32_t> first_block;  ///< of each request in `blocks`, and then their number
};

/// How a file of lengths says that its requests arrived.
struct RecordedArrivals {
    std::optional<double> rate;  ///< requests per second; none: all at once
    double burstiness = 1.0;     ///< shape of gamma-distributed gaps
    std::int64_t concurrency = 0;
};

/// A file of requests.
struct Trace {
    std::vector<ServiceRequest> requests;  ///< in the order of their arrival, from 0 s on
    TracePast past;
    std::string kind;                ///< its name, and how times are written
    std::vector<TokenTimes> tokens;  ///< of each request, if they were asked for
    bool timed = true;               ///< false: the file has lengths only, and all requests arrive at 0
    std::optional<RecordedArrivals> arrivals;
    std::vector<std::pair<std::string, std::int64_t>> left_out;  ///< why, and how many
    std::vector<std::pair<std::string, std::int64_t>> noted;     ///< what is odd in those that are read, and how many
    bool may_add = false;  ///< inputs of later turns may be what they add; the file does not say it, nor did the user
    std::vector<std::string> unread;  ///< columns that other kinds have of times or the past of requests
    std::int64_t unordered = 0;       ///< lines that had an earlier time than the one before; they are sorted
};

/// The first requests of a trace of any kind (trace_kinds.cpp): a table of comma-separated cells, JSON objects one
/// after another, a list of them, or an object of lists; also compressed by gzip. Throws InputError "FILE:LINE:
/// problem" for what cannot be read, for times and tokens that are none, and if no request is left; of a trace of our
/// kind (TraceKind::ours) also for times that are negative or not in order, for 0 tokens, for parents that are not
/// above their requests, names of two requests, and times after none; where times of tokens are asked for, of a file
/// that has none, or has some before the request or in another order.
[[nodiscard]] Trace read_trace(std::filesystem::path const& file, TraceOptions const& options = {});

/// "Azure LLM inference trace (dates): 3 requests in 990 ms, 2.02 1/s, cv 0.98; left out: 1 without output tokens".
[[nodiscard]] std::string description_of(Trace const& trace);

}  // namespace pimdse::sim::serving
