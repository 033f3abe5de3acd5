#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Traces of requests as they are published: which columns say what, and in which unit.
namespace pimdse::sim::serving {

/// What a column says of a request.
enum class TraceColumn : std::uint8_t {
    time,       ///< arrival
    input,      ///< tokens of the prompt
    output,     ///< tokens that are generated
    session,    ///< requests with one name belong together
    request,    ///< name of the request, to which `parent` of another one refers
    parent,     ///< name of the request that it continues; -1: of none
    blocks,     ///< list of names of blocks of the prompt; equal beginnings of prompts have equal names
    after,      ///< time from the last token of the request that it continues; not before its own time, if it has one
    error,      ///< what went wrong; the request is left out
    cancelled,  ///< true: the request is left out
    phase,      ///< of a benchmark; other phases than "profiling" are left out
    waits,      ///< names of requests that must be complete before; a row that has some is refused
    // Of a recorded run, which are read if they are asked for:
    first_token,  ///< when it came
    last_token,   ///< when it came; a list: the times between tokens, from the first one on
    queued,       ///< when the engine had the request
    first_unit,   ///< of the first token's time, where the file names it
    last_unit,    ///< of the last token's
    model         ///< that served it: one in a run
};
inline constexpr std::size_t trace_columns = 18;
inline constexpr std::size_t named_columns = 11;  ///< which a user may name
inline constexpr std::size_t load_columns = 12;   ///< of every trace; the others are those of recorded runs

/// Unit of times that are numbers, and of times after a request. A date ("2024-05-10 00:00:01.5+00:00") or a time of
/// day is told by its form.
enum class TimeUnit : std::uint8_t { s, ms, us, ns };
inline constexpr std::array<std::string_view, 4> time_units{"s", "ms", "us", "ns"};

/// A kind of trace. A table or a list of JSON objects (whose members are named by paths) is of the first kind of which
/// it has all `signs`, or if there are none, the columns of time, input and output.
struct TraceKind {
    std::string_view name, time{}, input{}, output{};
    std::string_view session{}, request{}, parent{}, blocks{}, after{}, error{}, cancelled{}, phase{}, waits{};
    std::string_view first_token{}, last_token{}, queued{}, first_unit{}, last_unit{}, model{};
    std::vector<std::string_view> signs{};
    TimeUnit unit = TimeUnit::s;
    TimeUnit token_unit = TimeUnit::s;  ///< of the times of tokens
    /// Their clock: that of `time`, or one of the engine, which had the first request when it arrived (the kind has
    /// `queued`); true: they count from the arrival of their request.
    bool since_arrival = false;
    std::int64_t block_tokens = 0;
    bool ordered = true;   ///< its lines are in the order of their times, up to mishaps
    bool may_add = false;  ///< some files have in the input of a later turn only what it adds
    bool ours = false;     ///< mistakes are refused; of those with times, nothing is left out or sorted
    bool lists = false;    ///< one object whose members are lists with an element for each request
    std::string_view failed = "without output tokens";  ///< what requests are that have 0 of them
    std::string_view refusal{};                         ///< why it cannot be read, and what can be done
};

/// Columns that a user names, and how they are read; what is not given is as the kind of the trace has it.
struct TraceColumns {
    std::array<std::string, named_columns> names;
    std::optional<TimeUnit> unit;
    std::optional<std::int64_t> block_tokens;
    std::optional<bool> added;  ///< input of a request that continues another one is what it adds, not the whole prompt

    friend bool operator==(TraceColumns const&, TraceColumns const&) = default;
};

/// How a table is read.
struct TraceForm {
    TraceKind const* kind = nullptr;                 ///< nullptr: only by the columns that a user named
    std::array<std::string, trace_columns> columns;  ///< as the table writes them; "" if it has none
    TimeUnit unit = TimeUnit::s;
    std::int64_t block_tokens = 0;
    std::vector<std::string> unread;  ///< columns in which other kinds have times or the past of requests
};

/// How a table with these columns is read. Names of kinds fit in any case of letters. `all`: every line has these
/// columns; else another line may have more (lists of JSON objects). `tokens`: with the times of tokens. Throws
/// InputError with a sentence without file and line if it is of no kind that can be read, or lacks a column that the
/// user named.
[[nodiscard]] TraceForm form_of(std::vector<std::string> const& names, bool all, TraceColumns const& given,
                                bool tokens = false);

}  // namespace pimdse::sim::serving
