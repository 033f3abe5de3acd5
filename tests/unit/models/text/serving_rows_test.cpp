#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/summary.hpp"
#include "sim/serving/traffic_reader.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

/// Runs of vLLM that somebody measured (tests/data/README.md), replayed. Nothing is fitted to them: the shares of the
/// data sheets are those of models/machines, the layers' overhead is the default.
namespace pimdse::models::text::test::serving_rows_test {
namespace {

using namespace sim::serving;

struct Measured {
    ServiceLoad load;
    Schedule schedule;  // times of the requests, and the end
};

Measured measured(std::string const& name) {
    auto const file = data_directory() / "models/traffic" / name;
    Measured run{{read_trace(file).requests, 0}, {}};
    sim::CsvRows rows(file, {"arrival_s", "scheduled_s", "first_token_s", "last_token_s"});
    while (auto const cells = rows.next()) {
        RequestTimes times{rows.number((*cells)[0], 0),
                           rows.number((*cells)[1], 1),
                           rows.number((*cells)[2], 2),
                           rows.number((*cells)[3], 3),
                           0,
                           false};
        run.schedule.end = std::max(run.schedule.end, times.last_token);
        run.schedule.requests.push_back(times);
    }
    return run;
}

/// Replayed over measured, less one.
struct Differences {
    double makespan = 0.0, ttft = 0.0, tpot = 0.0, output_rate = 0.0;
    std::int64_t preemptions = 0;
};

Differences replayed(std::string const& name, Settings const& board, SchedulerSettings const& settings) {
    auto const run = measured(name);
    Given const g(board);
    auto law = std::get<ServiceEngine>(service_engine(g.design())).law;
    auto const found = schedule(run.load, settings, law);
    law.many = {};
    EXPECT_EQ(schedule(run.load, settings, law), found) << "steps one by one have the same bits";
    auto const ours = summarise(run.load, settings, found, {}, 0.0);
    auto const theirs = summarise(run.load, settings, run.schedule, {}, 0.0);
    auto const off = [](double a, double b) { return a / b - 1.0; };
    Differences const d{off(ours.makespan, theirs.makespan), off(ours.ttft->mean, theirs.ttft->mean),
                        off(ours.tpot->mean, theirs.tpot->mean), off(ours.output_rate, theirs.output_rate),
                        found.preemptions};
    std::printf(
        "%s: makespan %.3f s (%+.1f %%), output rate %+.1f %%, mean TTFT %.3f s (%+.1f %%; p50 %+.1f, p90 %+.1f, "
        "p99 %+.1f %%), mean TPOT %.2f ms (%+.1f %%; p99 %+.1f %%), %ld steps, %ld preemptions, cache at most "
        "%.3f full\n",
        name.c_str(), ours.makespan, 100.0 * d.makespan, 100.0 * d.output_rate, ours.ttft->mean, 100.0 * d.ttft,
        100.0 * off(ours.ttft->p50, theirs.ttft->p50), 100.0 * off(ours.ttft->p90, theirs.ttft->p90),
        100.0 * off(ours.ttft->p99, theirs.ttft->p99), 1e3 * ours.tpot->mean, 100.0 * d.tpot,
        100.0 * off(ours.tpot->p99, theirs.tpot->p99), static_cast<long>(found.steps),
        static_cast<long>(found.preemptions), ours.kv_peak);
    return d;
}

SchedulerSettings vllm(std::int64_t sequences, std::int64_t blocks) {
    SchedulerSettings settings;
    settings.max_sequences = sequences;
    settings.blocks = blocks;
    return settings;
}

TEST(ServingRows, of_an_rtx_4090_are_met) {
    Settings const board{{"llm", "llama-3.1-8b"}, {"device", "rtx_4090"}};
    auto const d = replayed("vllm_rtx4090_llama-3.1-8b.csv", board, vllm(256, 2588));
    EXPECT_LT(std::abs(d.makespan), 0.05);
    EXPECT_LT(std::abs(d.output_rate), 0.05);
    EXPECT_LT(std::abs(d.tpot), 0.05);
    EXPECT_LT(std::abs(d.ttft), 0.10);
    EXPECT_GT(d.preemptions, 100) << "the cache is too small for what runs";
}

/// The cache of 96 GB never fills, so its exact size, which is not recorded, does not matter.
TEST(ServingRows, of_an_rtx_pro_6000_are_met) {
    Settings const board{{"llm", "llama-3.1-8b"}, {"device", "rtx_pro_6000"}};
    Given const g(board);
    auto const engine = std::get<ServiceEngine>(service_engine(g.design()));
    auto const positions = static_cast<std::int64_t>(0.9 * engine.cache_bytes / engine.position_bytes);
    auto const d = replayed("vllm_rtxpro6000_llama-3.1-8b.csv", board, vllm(128, positions / 16));
    EXPECT_LT(std::abs(d.makespan), 0.05);
    EXPECT_LT(std::abs(d.tpot), 0.05);
    EXPECT_LT(std::abs(d.ttft), 0.15);
    EXPECT_EQ(d.preemptions, 0);
}

/// Both rows that chose the shares of the RTX 4090.
TEST(ServingRows, are_not_what_the_shares_of_an_rtx_4090_were_chosen_on) {
    Settings const board{{"llm", "llama-3-8b"}, {"device", "rtx_4090"}};
    auto const prompt = Given(board.with("input", "512").with("output", "1")).metric("ttft").value;
    EXPECT_NEAR(512.0 / prompt, 9382.0, 0.002 * 9382.0);
    auto const token = Given(board.with("input", "1").with("output", "512")).metric("itl").value;
    EXPECT_NEAR(1.0 / token, 54.84, 0.002 * 54.84);
}

}  // namespace
}  // namespace pimdse::models::text::test::serving_rows_test
