#include "sim/serving/traffic_reader.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/past.hpp"
#include "sim/serving/trace_time.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"
#include "tests/unit/sim/serving/written_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::sim::serving::test::traffic_reader_test {
namespace {

std::string const head = "arrival_s,input_tokens,output_tokens\n";

std::string refusal(std::string const& text) {
    WrittenTable const table(text);
    return refusal_by([&] { (void)read_trace(table.path()); });
}

TEST(TrafficReader, reads_arrivals_and_lengths) {
    WrittenTable const table(head + "0,374,44\n0.5,396,109\n0.5,1,1\n");
    auto const found = read_trace(table.path()).requests;
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[1].arrival, 0.5);
    EXPECT_EQ(found[1].input, 396);
    EXPECT_EQ(found[2].output, 1);
    EXPECT_EQ(read_trace(table.path(), {{}, 2}).requests.size(), 2U);
}

TEST(TrafficReader, takes_columns_by_name_and_what_editors_write) {
    WrittenTable const table(
        "\xEF\xBB\xBFnote,output_tokens, input_tokens ,arrival_s\r\n\"a, b\",7, 3e2 ,1.5e0\r\n\r\n");
    auto const found = read_trace(table.path()).requests;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].arrival, 0.0) << "a trace begins with its first request";
    EXPECT_EQ(found[0].input, 300);
    EXPECT_EQ(found[0].output, 7);
}

TEST(TrafficReader, names_what_is_wrong_with_file_and_line) {
    EXPECT_THAT(refusal(head + "1,10,10\n0.5,10,10\n"), says("unordered"));
    EXPECT_THAT(refusal(head + "-1,10,10\n"), says("negative"));
    EXPECT_THAT(refusal(head + "0,10,10\nnan,10,10\n"), says("not-finite"));
    EXPECT_THAT(refusal(head + "0,inf,10\n"), says("infinite-tokens"));
    EXPECT_THAT(refusal(head + "0,0,10\n"), says("zero-tokens"));
    EXPECT_THAT(refusal(head + "0,10,1.5\n"), says("half-a-token"));
    EXPECT_THAT(refusal(head + "0,10,1e300\n"), says("endless"));
    EXPECT_THAT(refusal(head + "0,1,040,10\n"), says("more-cells"));
    EXPECT_THAT(refusal(head + "0,10,10\n1700000000000,10,10\n"), says("other-clock"));
    EXPECT_THAT(refusal(head + "0,ten,10\n"), says("word"));
    EXPECT_THAT(refusal(head + "0,10\n"), says("short-row"));
    EXPECT_THAT(refusal(head + "0,,10\n"), says("empty-cell"));
    EXPECT_THAT(refusal(head), says("no-requests"));
    EXPECT_THAT(refusal(""), says("empty"));
    EXPECT_THAT(refusal("arrival_s,input_tokens\n0,1\n"), says("missing-column"));
    EXPECT_THAT(refusal("0,1,1\n"), says("no-head"));
    EXPECT_THAT(refusal("arrival_s,arrival_s,input_tokens,output_tokens\n0,0,1,1\n"), says("column-twice"));
}

/// Nothing that a trace says of the past of its requests is left out in silence.
TEST(TrafficReader, knows_the_past_of_each_request_or_says_that_it_does_not) {
    std::string const with_past = "arrival_s,input_tokens,output_tokens,session,request,parent,blocks,after_s\n";
    auto const expect_refusal = [&](std::string const& lines, std::string const& where, std::string const& why) {
        auto const told = refusal(with_past + lines);
        EXPECT_NE(told.find(where), std::string::npos) << told;
        EXPECT_NE(told.find(why), std::string::npos) << told;
    };
    expect_refusal("0,40,5,,a,b,,\n1,40,5,,b,,,\n", ":2: parent = b", "no request above");
    expect_refusal("0,40,5,,a,a,,\n", ":2: parent = a", "no request above");
    expect_refusal("0,40,5,,a,,,\n1,40,5,,b,a,,1\n2,40,5,,a,b,,\n", ":4: request = a", "names a request above");
    expect_refusal("0,40,5,,a,,,3\n", ":2: after_s = 3", "follows no request");
    expect_refusal("0,40,5,s,a,,,\n1,40,5,s,b,,,1e12\n", ":3: after_s = 1e12", "3,000 years");
    expect_refusal("0,40,5,s,a,,{1},\n", ":2: blocks = {1}", "not a list");
    expect_refusal("0,40,5,s,a,,[[1] [2]],\n", ":2: blocks", "not a list");
    EXPECT_NE(refusal(with_past + "0,40,5,,a,,,3\n").find("or give arrival_s instead?"), std::string::npos);
    WrittenTable const zeros(with_past + "0,40,5,,007,,,\n1,40,5,,7,,,\n2,40,5,,8,7,,1\n");
    auto const past = read_trace(zeros.path()).past;
    EXPECT_NE(past.request[0], past.request[1]);
    EXPECT_EQ(past.parent[2], past.request[1]);
}

/// Our tables of lengths are read as those with times are, but for requests without tokens, which are left out.
TEST(TrafficReader, refuses_a_past_that_is_wrong_without_times_too) {
    std::string const lengths = "input_tokens,output_tokens,session,request,parent,after_s\n";
    auto const expect_refusal = [&](std::string const& lines, std::string const& where, std::string const& why) {
        auto const told = refusal(lengths + lines);
        EXPECT_NE(told.find(where), std::string::npos) << told;
        EXPECT_NE(told.find(why), std::string::npos) << told;
    };
    expect_refusal("40,5,,a,b,\n40,5,,b,,\n", ":2: parent = b", "no request above");
    expect_refusal("40,5,,a,,\n40,5,,a,,\n", ":3: request = a", "names a request above");
    expect_refusal("40,5,,a,,3\n", ":2: after_s = 3 follows no request", "or leave the cell empty instead?");
    WrittenTable const table(lengths + "40,5,s,a,,\n40,0,,b,,\n40,5,s,c,a,3\n");
    auto const trace = read_trace(table.path());
    ASSERT_EQ(trace.requests.size(), 2U);
    EXPECT_EQ(trace.requests[1].after, 3.0);
    EXPECT_TRUE(trace.noted.empty());
    EXPECT_EQ(description_of(trace), "table of lengths (without times): 2 requests; left out: 1 without output tokens");
}

TEST(PublishedTraces, say_what_is_odd_about_their_past) {
    WrittenTable const table(
        R"({"chat_id": 1, "parent_chat_id": -1, "timestamp": 1, "input_length": 64, "output_length": 0, )"
        R"("hash_ids": [1]})"
        "\n"
        R"({"chat_id": 2, "parent_chat_id": 1, "timestamp": 2, "input_length": 64, "output_length": 9, )"
        R"("hash_ids": [1]})"
        "\n"
        R"({"chat_id": 2, "parent_chat_id": 2, "timestamp": 3, "input_length": 17, "output_length": 9, )"
        R"("hash_ids": [1]})"
        "\n");
    auto const trace = read_trace(table.path());
    ASSERT_EQ(trace.requests.size(), 2U);
    EXPECT_EQ(trace.noted.size(), 3U);
    for (auto const& [what, count] : trace.noted) EXPECT_EQ(count, 1) << what;
    auto const text = description_of(trace);
    EXPECT_NE(text.find("1 of a parent that is not above"), std::string::npos) << text;
    EXPECT_NE(text.find("1 with the name of an earlier one"), std::string::npos) << text;
    EXPECT_NE(text.find("1 whose blocks cover only a part of the prompt"), std::string::npos) << text;
}

/// As tables are exported whose columns of numbers lack some.
TEST(PublishedTraces, name_the_same_however_a_number_is_written) {
    auto const read = [](std::string const& rows) {
        WrittenTable const table("chat_id,parent_chat_id,timestamp,input_length,output_length,hash_ids\n" + rows);
        return read_trace(table.path());
    };
    auto const plain = read("1,-1,0,40,5,\"[7, 8]\"\n2,1,3,40,5,\"[7, 9]\"\n");
    for (std::string const rows :
         {"1,,0,40,5,\"[7.0, 8.0]\"\n2,1.0,3,40,5,\"[7, 9]\"\n", "1.0,-1.0,0,40,5,[7 8]\n2.0,1,3,40,5,[7 9]\n",
          "1,NaN,0,40,5,7 8\n2,1,3,40,5,7 9\n"}) {
        auto const other = read(rows);
        EXPECT_EQ(other.past.request, plain.past.request) << rows;
        EXPECT_EQ(other.past.parent, plain.past.parent) << rows;
        EXPECT_EQ(other.past.blocks, plain.past.blocks) << rows;
        EXPECT_TRUE(other.noted.empty()) << rows;
    }
    auto const texts = read("v1.0,,0,40,5,\nv1,,3,40,5,\n");
    EXPECT_NE(texts.past.request[0], texts.past.request[1]) << "no numbers";
}

TEST(PublishedTraces, refuse_blocks_without_a_name_and_note_prompts_without_blocks) {
    std::string const first = R"({"timestamp": 0, "input_length": 1030, "output_length": 5, "hash_ids": [0, 1, 2]})"
                              "\n";
    EXPECT_THAT(refusal(first + R"({"timestamp": 1, "input_length": 1030, "output_length": 5, "hash_ids": [0, null]})"),
                says("null-block"));
    EXPECT_THAT(refusal("timestamp,input_length,output_length,hash_ids\n0,1030,5,[0, 1, 2]\n"), says("bare-list"));
    WrittenTable const table(first + R"({"timestamp": 1, "input_length": 1030, "output_length": 5, "hash_ids": null})"
                                     "\n"
                                     R"({"timestamp": 2, "input_length": 511, "output_length": 5})"
                                     "\n");
    auto const trace = read_trace(table.path());
    ASSERT_EQ(trace.noted.size(), 1U) << "a prompt of less than a block has none";
    EXPECT_EQ(trace.noted[0], (std::pair<std::string, std::int64_t>("without blocks", 1)));
}

TEST(PublishedTraces, wait_for_their_time_and_for_the_one_before) {
    auto const second = [](std::string const& members) {
        WrittenTable const table(R"({"session_id": "s", "timestamp": 1000, "input_length": 300, "output_length": 40})"
                                 "\n"
                                 R"({"session_id": "s", "input_length": 600, "output_length": 40, )" +
                                 members + "}\n");
        return read_trace(table.path()).requests.at(1);
    };
    EXPECT_EQ(second(R"("delay": 500)").arrival, 0.0);
    EXPECT_EQ(second(R"("delay": 500, "timestamp": 3000)").arrival, 2.0);
    EXPECT_EQ(second(R"("delay": 500, "timestamp": 3000)").after, 0.5);
    EXPECT_EQ(second(R"("delay": 500, "timestamp": 0)").arrival, 0.0) << "behind the one that it continues";
    EXPECT_THROW((void)second(R"("delay": 500, "timestamp": "soon")"), InputError);
}

/// Sessions need no times of their own: whoever draws the arrivals of sessions has their turns and pauses.
TEST(PublishedTraces, without_times_have_sessions) {
    WrittenTable const table(
        R"({"session_id": "s", "input_length": 300, "output_length": 40, "hash_ids": [1]})"
        "\n"
        R"({"session_id": "s", "input_length": 600, "output_length": 40, "hash_ids": [1, 2], "delay": 500})"
        "\n");
    auto const trace = read_trace(table.path());
    EXPECT_FALSE(trace.timed);
    EXPECT_EQ(trace.past.session[0], trace.past.session[1]);
    EXPECT_EQ(trace.requests[1].after, 0.5);
    EXPECT_EQ(trace.past.block_tokens, 512);
    EXPECT_EQ(trace.past.blocks.size(), 3U);
    EXPECT_NE(refusal(R"({"session_id": "s", "turns": [{"input_length": 3, "output_length": 4}]})").find("session"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"id": "s", "messages": [{"role": "user", "content": "hi"}]})").find("tokenizer"),
              std::string::npos);
}

/// Replayers of Mooncake's rows take the input of a later turn as what it adds; other files have whole prompts.
TEST(PublishedTraces, of_turns_that_only_add_say_so_or_are_asked) {
    std::string const rows =
        R"({"session_id": "s", "timestamp": 0, "input_length": 2048, "output_length": 64, "hash_ids": [1, 2, 3, 4]})"
        "\n"
        R"({"session_id": "s", "delay": 5000, "input_length": 512, "output_length": 64, "hash_ids": [9]})"
        "\n"
        R"({"session_id": "s", "delay": 5000, "input_length": 513, "output_length": 64, "hash_ids": [7, 8]})"
        "\n"
        R"({"session_id": "s", "delay": 5000, "input_length": 512, "output_length": 64, "hash_ids": [9]})"
        "\n";
    WrittenTable const table(rows);
    EXPECT_TRUE(read_trace(table.path()).may_add);
    TraceColumns columns;
    for (bool const added : {false, true}) {
        columns.added = added;
        auto const trace = read_trace(table.path(), {columns});
        EXPECT_FALSE(trace.may_add) << "the user said it";
        EXPECT_EQ(trace.past.added, added);
        ServiceLoad load{trace.requests};
        auto const turns = set_past(load, trace.past);
        EXPECT_EQ(turns.all, 3);
        EXPECT_EQ(turns.no_longer, 2);
        EXPECT_EQ(load.requests.back().input, added ? 2048 + 64 + 512 + 64 + 513 + 64 + 512 : 512);
    }
    WrittenTable const bailian(R"({"chat_id": 1, "timestamp": 1, "input_length": 64, "output_length": 9})");
    EXPECT_FALSE(read_trace(bailian.path()).may_add) << "its rows are whole prompts";
}

TEST(PublishedTraces, whose_requests_wait_for_others_are_refused) {
    std::string const first = R"({"timestamp": 0, "input_length": 3, "output_length": 5, "wait_for": []})"
                              "\n";
    EXPECT_EQ(read_trace(WrittenTable(first).path()).requests.size(), 1U);
    EXPECT_THAT(refusal(first + R"({"delay": 1, "input_length": 3, "output_length": 5, "wait_for": ["a", "b"]})"),
                says("waits"));
    EXPECT_THAT(refusal(R"({"id": "t", "requests": [{"t": 0.0, "in": 7, "out": 3}]})"), says("several-in-a-line"));
}

TEST(TrafficReader, names_columns_that_it_does_not_read) {
    WrittenTable const table("arrival_s,input_tokens,output_tokens,session_id,model\n0,5,6,a,m\n1,7,8,a,m\n");
    EXPECT_EQ(read_trace(table.path()).unread, std::vector<std::string>{"session_id"});
    EXPECT_THAT(description_of(read_trace(table.path())), says("not-read"));
    TraceColumns columns;
    columns.names[static_cast<std::size_t>(TraceColumn::session)] = "session_id";
    EXPECT_TRUE(read_trace(table.path(), {columns}).unread.empty());
    WrittenTable const tokens(R"({"timestamp": 3, "input_tokens": 5, "output_tokens": 6, "hash_ids": [1]})");
    EXPECT_EQ(read_trace(tokens.path()).unread, (std::vector<std::string>{"timestamp", "hash_ids"}));
}

/// Seconds since 1970 are weeks in ms: a thousand times the rate. A kind whose times are in s cannot be meant so.
TEST(PublishedTraces, with_dates_in_a_larger_unit_are_refused) {
    std::string const rows = "timestamp,input_length,output_length\n1753780607,5,6\n1753780609,7,8\n";
    EXPECT_THAT(refusal(rows), says("seconds-as-ms"));
    TraceColumns columns;
    for (auto const unit : {TimeUnit::s, TimeUnit::ms}) {
        columns.unit = unit;
        EXPECT_EQ(read_trace(WrittenTable(rows).path(), {columns}).requests[1].arrival,
                  unit == TimeUnit::s ? 2.0 : 0.002);
    }
    WrittenTable const later("timestamp,input_length,output_length\n0,5,6\n1753780609,7,8\n");
    EXPECT_EQ(read_trace(later.path()).requests[1].arrival, 1753780.609) << "three weeks of a trace";
    EXPECT_THAT(refusal("arrival_time_ns,input_toks,output_toks\n1753780607000000,5,6\n"), says("us-as-ns"));
    WrittenTable const first("arrival_time_ns,input_toks,output_toks\n1753780607,5,6\n");
    EXPECT_EQ(read_trace(first.path()).requests.size(), 1U) << "1.75 s";
}

TEST(TrafficReader, reads_when_tokens_came_if_it_is_asked) {
    TraceOptions asked;
    asked.tokens = true;
    auto const times_of = [&](std::string const& text) {
        WrittenTable const table(text);
        EXPECT_TRUE(read_trace(table.path()).tokens.empty());
        return read_trace(table.path(), asked).tokens;
    };
    auto const ours = times_of(
        "arrival_s,input_tokens,output_tokens,queued_s,first_token_s,last_token_s\n1,10,5,1,1.5,3\n2,10,5,2,2.25,4\n");
    ASSERT_EQ(ours.size(), 2U);
    EXPECT_DOUBLE_EQ(ours[0].first, 0.5);
    EXPECT_DOUBLE_EQ(ours[1].last, 2.0);
    auto const lists = times_of(R"({"input_lens": [10, 10, 9], "output_lens": [3, 0, 2],
                                    "start_times": [8.0, 7.0, 6.0],
                                    "errors": ["", "x", ""], "ttfts": [0.5, 0, 0.25],
                                    "itls": [[0.1, 0.2], [], [0.5]]})");
    ASSERT_EQ(lists.size(), 2U) << "a request failed";
    EXPECT_DOUBLE_EQ(lists[0].first, 0.25) << "they are sorted by their arrivals";
    EXPECT_DOUBLE_EQ(lists[0].last, 0.75);
    EXPECT_DOUBLE_EQ(lists[1].last, 0.8);
    auto const engine =
        times_of(R"({"arrival_time": 1e9, "input_toks": 5, "output_toks": 2, "queued_ts": 7.5, "first_token_ts": 8,)"
                 R"( "last_token_ts": 9}
{"arrival_time": 1000000001, "input_toks": 5, "output_toks": 2, "queued_ts": 8.75, "first_token_ts": 9,)"
                 R"( "last_token_ts": 10}
)");
    ASSERT_EQ(engine.size(), 2U);
    EXPECT_DOUBLE_EQ(engine[0].first, 0.5);
    EXPECT_DOUBLE_EQ(engine[1].first, 0.5) << "it came to the engine 0.25 s late";
    EXPECT_THROW((void)times_of(head + "0,1,1\n"), InputError) << "no times of tokens";
}

TEST(TrafficReader, cannot_read_what_is_not_there) {
    EXPECT_THROW((void)read_trace("/nowhere/trace.csv"), InputError);
    EXPECT_THROW((void)read_trace("/"), InputError);
}

/// Lines after the wanted ones are not read, so a trace may be longer than the memory.
TEST(TrafficReader, reads_no_further_than_asked) {
    WrittenTable const table(head + "0,10,10\n1,10,10\nnonsense\n");
    EXPECT_EQ(read_trace(table.path(), {{}, 2}).requests.size(), 2U);
    EXPECT_THROW((void)read_trace(table.path(), {{}, 3}), InputError);
}

struct Written {
    std::string text;
    std::vector<double> arrivals;
    std::vector<std::int64_t> input, output;
    std::vector<std::pair<std::string, std::int64_t>> left_out;
};

/// First lines of published traces, shortened, and quirks that their files have.
std::vector<Written> const published{
    {"TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n2023-11-16 "
     "18:15:50.9951690,396,109\r\n",
     {0.0, 4.314579},
     {374, 396},
     {44, 109},
     {}},
    {"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n2024-05-10 "
     "02:00:01+02:00,76,15\n2024-05-10T00:00:02Z,7,0\n",
     {0.0, 0.99007},
     {2162, 76},
     {5, 15},
     {{"without output tokens", 1}}},
    {"TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n23:59:59.5,1,800,4\n00:00:00.25,0,9,1\n23:59:59.75,0,8,1\n",
     {0.0, 0.25, 0.75},
     {800, 8, 9},
     {4, 1, 1},
     {}},
    {"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,\"log, of "
     "chat\"\n45.0,GPT-4,1087.0,230,1317,x\n118,GPT-4,417,0,417,x\n",
     {0.0, 40.0},
     {472, 1087},
     {18, 230},
     {{"failed (0 response tokens)", 1}}},
    {R"({"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}

{"timestamp": 30535, "input_length": 6472, "output_length": 26, "hash_ids": [46, 2353]})",
     {0.0, 3.053},
     {6955, 6472},
     {52, 26},
     {}},
    {"timestamp,input_length,output_length\n0,6758,500\n3000,7322,490\n", {0.0, 3.0}, {6758, 7322}, {500, 490}, {}},
    {R"([{"chat_id": 9, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 21, "output_length": 132,
 "type": "text", "turn": 1, "hash_ids": [10]},
 {"chat_id": 10, "parent_chat_id": 9, "timestamp": 61.5, "input_length": 2, "output_length": 1, "hash_ids": []}])",
     {0.0, 61.5 - 61.114},
     {21, 2},
     {132, 1},
     {}},
    {R"({"input_lens": [10, 20, 30], "output_lens": [5, 6, 0], "start_times": [7.5, 7.0, 7.25], "itls": [[0.1], [], []],
 "errors": ["", "", "timeout"]})",
     {0.0, 0.5},
     {20, 10},
     {6, 5},
     {{"failed", 1}}},
    {R"({"metadata": {"request_start_ns": 1759813207532900363, "benchmark_phase": "warmup"}, "metrics": {}})"
     "\n"
     R"({"metadata": {"request_start_ns": 1759813207532900364, "was_cancelled": true}, "error": {"code": 499}})"
     "\n"
     R"({"metadata": {"request_start_ns": 1759813208532900464, "benchmark_phase": "profiling"}, "error": null, )"
     R"("metrics": {"input_sequence_length": {"value": 550, "unit": "tokens"}, )"
     R"("output_sequence_length": {"value": 9, "unit": "tokens"}}})"
     "\n"
     R"({"metadata": {"request_start_ns": 1759813208532900463}, )"
     R"("metrics": {"input_sequence_length": {"value": 5}, "output_sequence_length": {"value": 8}}})",
     {0.0, 1.0 / 1e9},
     {5, 550},
     {8, 9},
     {{"of phase warmup", 1}, {"cancelled", 1}}},
    {R"({"input_toks": 128, "output_toks": 512, "arrival_time_ns": 1000000000, "input_tok_ids": [1, 2]}
{"input_toks": 12, "output_toks": 51, "arrival_time_ns": 1250000000})",
     {0.0, 0.25},
     {128, 12},
     {512, 51},
     {}},
};

TEST(PublishedTraces, are_read_as_they_are) {
    for (auto const& [text, arrivals, input, output, left_out] : published) {
        WrittenTable const table(text);
        auto const trace = read_trace(table.path());
        ASSERT_EQ(trace.requests.size(), arrivals.size()) << text;
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            EXPECT_EQ(trace.requests[i].arrival, arrivals[i]) << text;
            EXPECT_EQ(trace.requests[i].input, input[i]) << text;
            EXPECT_EQ(trace.requests[i].output, output[i]) << text;
        }
        EXPECT_EQ(trace.left_out, left_out) << text;
    }
}

/// A file as gzip writes it.
class ZippedTable : public WrittenTable {
  public:
    explicit ZippedTable(std::string const& text, double share = 1.0) : WrittenTable("") {
        auto* const file = gzopen(path().c_str(), "wb");
        gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
        gzclose(file);
        auto const size = std::filesystem::file_size(path());
        if (share < 1.0)
            std::filesystem::resize_file(path(), static_cast<std::uintmax_t>(share * static_cast<double>(size)));
    }
};

TEST(PublishedTraces, are_the_same_in_gzip) {
    for (auto const& written : published) {
        auto const plain = read_trace(WrittenTable(written.text).path()),
                   zipped = read_trace(ZippedTable(written.text).path());
        EXPECT_EQ(description_of(plain), description_of(zipped));
    }
    std::string rows = head;
    for (int i = 0; i < 1000; ++i) rows += std::to_string(i) + "," + std::to_string(1 + i * i % 977) + ",10\n";
    EXPECT_EQ(read_trace(ZippedTable(rows).path()).requests.size(), 1000U);
    ZippedTable const cut(rows, 0.7);
    EXPECT_THROW((void)read_trace(cut.path()), InputError);
}

TEST(PublishedTraces, say_what_they_are) {
    EXPECT_THAT(description_of(read_trace(WrittenTable(published[1].text).path())), says("azure"));
    EXPECT_THAT(description_of(read_trace(WrittenTable(published[2].text).path())), says("times-of-day"));
    EXPECT_THAT(description_of(read_trace(WrittenTable(published[8].text).path())), says("aiperf"));
}

TEST(PublishedTraces, keep_sessions_and_blocks_in_the_order_of_the_requests) {
    WrittenTable const table(
        R"({"timestamp": 5, "input_length": 1200, "output_length": 1, "hash_ids": [7, 4294967295, "a"],"session_id":"x"}
{"timestamp": 3, "input_length": 8, "output_length": 0, "hash_ids": [1], "session_id": "y"}
{"timestamp": 3, "input_length": 8, "output_length": 2, "hash_ids": ["a"], "session_id": "x"})");
    auto const past = read_trace(table.path()).past;
    constexpr std::uint32_t first = std::uint32_t{1} << 31;
    EXPECT_EQ(past.block_tokens, 512);
    EXPECT_EQ(past.blocks, (std::vector<std::uint32_t>{first + 1, 7, first, first + 1}));
    EXPECT_EQ(past.first_block, (std::vector<std::uint32_t>{0, 1, 4}));
    EXPECT_EQ(past.session, (std::vector<std::uint32_t>{first, first}));
    auto const parents = read_trace(WrittenTable(published[6].text).path()).past;
    EXPECT_EQ(parents.request, (std::vector<std::uint32_t>{9, 10}));
    EXPECT_EQ(parents.parent, (std::vector<std::uint32_t>{TracePast::none, 9}));
    EXPECT_EQ(parents.block_tokens, 16);
    TraceColumns smaller;
    smaller.block_tokens = 16;
    for (int const input : {33, 48, 49}) {
        WrittenTable const three(
            fmt::format(R"({{"timestamp": 0, "input_length": {}, "output_length": 1, "hash_ids": [1, 2, 3]}})", input));
        EXPECT_EQ(read_trace(three.path(), {smaller}).past.blocks.size(), 3U) << "the last one may be a part";
        EXPECT_THROW((void)read_trace(three.path()), InputError) << "one block of 512 has the whole prompt";
    }
}

TEST(PublishedTraces, of_unknown_columns_are_read_as_the_user_names_them) {
    WrittenTable const table("when,prompt,reply\n2500,5,6\n1500,7,8\n");
    TraceColumns columns;
    columns.names[0] = "when";
    columns.names[1] = "prompt";
    columns.names[2] = "reply";
    columns.unit = TimeUnit::ms;
    auto const trace = read_trace(table.path(), {columns, 1});
    ASSERT_EQ(trace.requests.size(), 1U) << "the first in time, not in the file";
    EXPECT_EQ(trace.requests[0].input, 7);
    WrittenTable const seconds("timestamp,input_length,output_length\n1,5,6\n2,7,8\n");
    TraceColumns unit;
    unit.unit = TimeUnit::s;
    EXPECT_EQ(read_trace(seconds.path(), {unit}).requests[1].arrival, 1.0);
    columns.names[2] = "replay";
    EXPECT_THROW((void)read_trace(table.path(), {columns}), InputError);
}

TEST(PublishedTraces, without_times_say_how_requests_arrived) {
    WrittenTable const table(
        R"({"input_lens": [1, 2], "output_lens": [3, 4], "request_rate": 2.5, "burstiness": 0.25})");
    auto const trace = read_trace(table.path());
    EXPECT_FALSE(trace.timed);
    ASSERT_TRUE(trace.arrivals);
    EXPECT_EQ(trace.arrivals->rate, 2.5);
    EXPECT_EQ(trace.arrivals->burstiness, 0.25);
    WrittenTable const at_once(
        R"({"input_lens": [1], "output_lens": [3], "request_rate": "inf", "max_concurrency": 8})");
    auto const users = read_trace(at_once.path()).arrivals;
    ASSERT_TRUE(users);
    EXPECT_FALSE(users->rate);
    EXPECT_EQ(users->concurrency, 8);
}

TEST(PublishedTraces, that_are_damaged_are_refused_with_file_and_line) {
    std::string const mooncake = R"({"timestamp": 0, "input_length": 3, "output_length": 5})"
                                 "\n";
    EXPECT_THAT(refusal(mooncake + R"({"timestamp": 0, "input_length": 3)"), says("cut-line"));
    EXPECT_THAT(refusal(mooncake + "{\"timestamp\": 1, \"input_length\": 3}\n"), says("no-output"));
    EXPECT_THAT(refusal(mooncake + R"({"timestamp": "soon", "input_length": 3, "output_length": 5})"), says("no-time"));
    EXPECT_THAT(refusal(R"([{"timestamp": 0, "input_length": 3, "output_length": 5},
 {"timestamp": 0, "input_length": -3, "output_length": 5}])"),
                says("in-a-list"));
    EXPECT_THAT(refusal(R"({"input_lens": [1, 2], "output_lens": [3]})"), says("uneven-lists"));
    EXPECT_THAT(refusal(R"({"conversations": [{"from": "human", "value": "hi"}]})"), says("texts"));
    EXPECT_THAT(refusal(R"({"total_input_tokens": 5, "request_throughput": 2.0})"), says("sums"));
    EXPECT_THAT(refusal(R"({"when": 0, "prompt": {"tokens": 3}})"), says("unknown-members"));
    EXPECT_THAT(refusal("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-13-16 18:15:46,1,1\n"), says("month-13"));
    EXPECT_THAT(refusal("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1,1\n5,1,1\n"),
                says("mixed-times"));
    EXPECT_THAT(refusal("Timestamp,Request tokens,Response tokens\n5,8,0\n"), says("all-failed"));
}

TEST(TraceTimes, are_read_to_the_nanosecond) {
    EXPECT_EQ(trace_time("1970-01-02 00:00:00")->whole, 86'400'000'000'000);
    EXPECT_EQ(trace_time("1970-01-01T01:00:00.123456789123+01:00")->whole, 123'456'789);
    EXPECT_EQ(trace_time("2024-02-29 12:00 UTC")->form, TraceTime::Form::date);
    EXPECT_EQ(trace_time("1759813207532900363")->whole, 1'759'813'207'532'900'363);
    for (auto const* text : {"", "soon", "2023-02-29 00:00:00", "2024-01-01 24:00:00", "2024-01-01 00:00:00.",
                             "12:60:00", "nan", "inf", "1 2", "2024-01-01 00:00:00+25:00", "2024-01-01 00:00:00 CET"})
        EXPECT_FALSE(trace_time(text)) << text;
}

}  // namespace
}  // namespace pimdse::sim::serving::test::traffic_reader_test
