#include "sim/serving/trace_kinds.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>

namespace pimdse::sim::serving {
namespace {

constexpr std::string_view no_times = "table of lengths";
constexpr std::string_view texts =
    "it has texts, whose numbers of tokens depend on a tokenizer. Give columns input_tokens and output_tokens?";

TraceKind const ours{.name = "pimdse trace",
                     .time = "arrival_s",
                     .input = "input_tokens",
                     .output = "output_tokens",
                     .session = "session",
                     .request = "request",
                     .parent = "parent",
                     .blocks = "blocks",
                     .after = "after_s",
                     .first_token = "first_token_s",
                     .last_token = "last_token_s",
                     .model = "model",
                     .signs = {"arrival_s", "input_tokens", "output_tokens"},
                     .block_tokens = 16,
                     .ours = true};
TraceKind const mooncake{.name = "Mooncake",
                         .time = "timestamp",
                         .input = "input_length",
                         .output = "output_length",
                         .session = "session_id",
                         .blocks = "hash_ids",
                         .after = "delay",
                         .waits = "wait_for",
                         .unit = TimeUnit::ms,
                         .block_tokens = 512,
                         .may_add = true};

TraceKind without_times(TraceKind kind) {
    kind.name = no_times;
    kind.time = kind.first_token = kind.last_token = {};
    kind.signs = {};
    return kind;
}

/// Sources: the pages and the first lines of the published files, as of 2026. Kinds with more signs come first.
std::vector<TraceKind> const kinds{
    ours,
    {.name = "Azure LMM inference trace, images in ContextTokens",
     .time = "TIMESTAMP",
     .input = "ContextTokens",
     .output = "GeneratedTokens",
     .signs = {"TIMESTAMP", "NumImages", "ContextTokens", "GeneratedTokens"}},
    {.name = "Azure LLM inference trace", .time = "TIMESTAMP", .input = "ContextTokens", .output = "GeneratedTokens"},
    {.name = "BurstGPT",
     .time = "Timestamp",
     .input = "Request tokens",
     .output = "Response tokens",
     .session = "Session ID",
     .failed = "failed (0 response tokens)"},
    {.name = "Qwen-Bailian",
     .time = "timestamp",
     .input = "input_length",
     .output = "output_length",
     .request = "chat_id",
     .parent = "parent_chat_id",
     .blocks = "hash_ids",
     .signs = {"timestamp", "input_length", "output_length", "chat_id"},
     .block_tokens = 16},
    mooncake,
    {.name = "AIPerf records",
     .time = "metadata.request_start_ns",
     .input = "metrics.input_sequence_length.value",
     .output = "metrics.output_sequence_length.value",
     .session = "metadata.x_correlation_id",
     .error = "error",
     .cancelled = "metadata.was_cancelled",
     .phase = "metadata.benchmark_phase",
     .first_token = "metrics.time_to_first_token.value",
     .last_token = "metrics.request_latency.value",
     .first_unit = "metrics.time_to_first_token.unit",
     .last_unit = "metrics.request_latency.unit",
     .signs = {"metadata.request_start_ns"},
     .unit = TimeUnit::ns,
     .token_unit = TimeUnit::ms,
     .since_arrival = true,
     .ordered = false},
    {.name = "vllm bench serve",
     .time = "start_times",
     .input = "input_lens",
     .output = "output_lens",
     .error = "errors",
     .first_token = "ttfts",
     .last_token = "itls",
     .signs = {"input_lens", "output_lens"},
     .since_arrival = true,
     .ordered = false,
     .lists = true,
     .failed = "failed (0 output tokens)"},
    {.name = "LLMServingSim",
     .time = "arrival_time_ns",
     .input = "input_toks",
     .output = "output_toks",
     .unit = TimeUnit::ns},
    {.name = "LLMServingSim results",
     .time = "arrival",
     .input = "input",
     .output = "output",
     .first_token = "TTFT",
     .last_token = "latency",
     .model = "model",
     .signs = {"arrival", "input", "output", "TTFT", "latency"},
     .unit = TimeUnit::ns,
     .token_unit = TimeUnit::ns,
     .since_arrival = true,
     .ordered = false},
    {.name = "LLMServingSim measured run",
     .time = "arrival_time",
     .input = "input_toks",
     .output = "output_toks",
     .first_token = "first_token_ts",
     .last_token = "last_token_ts",
     .queued = "queued_ts",
     .model = "model",
     .signs = {"arrival_time", "input_toks", "output_toks", "queued_ts"}},
    {.name = "Vidur", .time = "arrived_at", .input = "num_prefill_tokens", .output = "num_decode_tokens"},
    {.name = "SplitwiseSim", .time = "arrival_timestamp", .input = "prompt_size", .output = "token_size"},
    without_times(ours),
    {.name = no_times, .input = "num_prefill_tokens", .output = "num_decode_tokens"},
    {.name = no_times, .input = "input_toks", .output = "output_toks"},
    without_times(mooncake),
    {.name = no_times, .input = "input_len", .output = "output_len"},
    {.name = no_times, .input = "prompt_len", .output = "output_len"},
    {.name = no_times, .input = "prompt_length", .output = "output_length"},
    {.name = no_times, .input = "prompt_len", .output = "response_len"},
    {.name = no_times, .input = "prompt_length", .output = "response_length"},
    {.name = no_times, .input = "prompt_tokens", .output = "completion_tokens"},
    {.name = no_times, .input = "prompt_tokens", .output = "output_tokens"},
    {.name = "LLMServingSim sessions",
     .signs = {"sub_requests"},
     .refusal = "its requests wait for each other (sub_requests), which is not modelled. Give them as single requests "
                "with arrival_time_ns?"},
    {.name = "sessions of AIPerf",
     .signs = {"session_id", "turns"},
     .refusal = "each of its lines has several turns. Give each turn a line with session_id, timestamp or delay, "
                "input_length and output_length?"},
    {.name = "sessions",
     .signs = {"requests"},
     .refusal = "each of its lines has several requests. Give each request a line with its session, arrival_s, "
                "input_tokens and output_tokens?"},
    {.name = "ShareGPT", .signs = {"conversations"}, .refusal = texts},
    {.name = "chats", .signs = {"messages"}, .refusal = texts},
    {.name = "vllm bench serve",
     .signs = {"total_input_tokens", "request_throughput"},
     .refusal = "it has sums, but no requests. Run the benchmark with --save-detailed?"},
};

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

std::array<std::string_view, trace_columns> columns_of(TraceKind const& kind) {
    return {kind.time,        kind.input,      kind.output, kind.session,    kind.request,   kind.parent,
            kind.blocks,      kind.after,      kind.error,  kind.cancelled,  kind.phase,     kind.waits,
            kind.first_token, kind.last_token, kind.queued, kind.first_unit, kind.last_unit, kind.model};
}

/// The name that fits, as the table writes it; "" if there is none. An object is there if one of its members is.
std::string column_in(std::vector<std::string> const& names, std::string_view wanted) {
    if (wanted.empty()) return "";
    auto const lower = lower_case(wanted);
    auto const exact = std::ranges::find(names, wanted);
    if (exact != names.end()) return *exact;
    for (auto const& name : names) {
        auto const own = lower_case(name);
        if (own == lower) return name;
        if (own.starts_with(lower + ".")) return name.substr(0, wanted.size());
    }
    return "";
}

std::vector<std::string_view> signs_of(TraceKind const& kind) {
    if (!kind.signs.empty()) return kind.signs;
    std::vector<std::string_view> signs{kind.input, kind.output};
    if (!kind.time.empty()) signs.insert(signs.begin(), kind.time);
    return signs;
}

std::vector<std::string_view> missing_in(std::vector<std::string> const& names, TraceKind const& kind) {
    std::vector<std::string_view> missing;
    for (auto const sign : signs_of(kind))
        if (column_in(names, sign).empty()) missing.push_back(sign);
    return missing;
}

/// Columns that are not read, though another kind has times or the past of requests in them.
std::vector<std::string> unread_in(std::vector<std::string> const& names, TraceForm const& form) {
    constexpr std::array told{TraceColumn::time,   TraceColumn::session, TraceColumn::request,
                              TraceColumn::parent, TraceColumn::blocks,  TraceColumn::after};
    std::vector<std::string> unread;
    for (auto const& kind : kinds)
        for (auto const column : told) {
            auto const name = column_in(names, columns_of(kind)[static_cast<std::size_t>(column)]);
            bool const read = std::ranges::find(form.columns, name) != form.columns.end();
            if (!name.empty() && !read && std::ranges::find(unread, name) == unread.end()) unread.push_back(name);
        }
    return unread;
}

std::string help(std::vector<std::string> const& names) {
    return fmt::format(
        " (the first line has {}). Name its columns in [scenario.traffic.columns]: time, unit, input, output?",
        clipped(fmt::format("{}", fmt::join(names, ", "))));
}

/// The table is of no kind: says what misses for the kind of which it has most, and which then needs least.
[[noreturn]] void refuse_names(std::vector<std::string> const& names) {
    TraceKind const* nearest = nullptr;
    std::size_t found = 0, misses = 0;
    for (auto const& kind : kinds) {
        auto const missing = missing_in(names, kind).size(), has = signs_of(kind).size() - missing;
        if (!kind.refusal.empty() || has < std::max(found, std::size_t{1}) || (has == found && missing >= misses))
            continue;
        nearest = &kind;
        found = has;
        misses = missing;
    }
    if (nearest == nullptr) throw InputError("no known trace has these columns, such as arrival_s{}", help(names));
    throw InputError("column {} is missing{}", missing_in(names, *nearest).front(), help(names));
}

}  // namespace

TraceForm form_of(std::vector<std::string> const& names, bool all, TraceColumns const& given, bool tokens) {
    TraceForm form;
    auto const fits = [&](TraceKind const& kind) { return missing_in(names, kind).empty(); };
    auto const kind = std::ranges::find_if(kinds, fits);
    auto const user_names = [&](TraceColumn column) { return !given.names[static_cast<std::size_t>(column)].empty(); };
    if (kind != kinds.end()) {
        form = {&*kind, {}, kind->unit, kind->block_tokens};
        auto const columns = columns_of(*kind);
        for (std::size_t c = 0; c < (tokens ? trace_columns : load_columns); ++c) {
            form.columns[c] = column_in(names, columns[c]);
            if (form.columns[c].empty() && !all && !kind->lists) form.columns[c] = columns[c];
        }
        if (!kind->refusal.empty() && !user_names(TraceColumn::input))
            throw InputError("{}: {}", kind->name, kind->refusal);
    } else if (!user_names(TraceColumn::input) || !user_names(TraceColumn::output)) {
        refuse_names(names);
    }
    for (std::size_t c = 0; c < named_columns; ++c) {
        if (given.names[c].empty()) continue;
        form.columns[c] = column_in(names, given.names[c]);
        if (form.columns[c].empty())
            throw InputError("unknown column {}.{}", given.names[c], suggestion(given.names[c], names));
    }
    form.unit = given.unit.value_or(form.unit);
    form.block_tokens = given.block_tokens.value_or(form.block_tokens);
    form.unread = unread_in(names, form);
    return form;
}

}  // namespace pimdse::sim::serving
