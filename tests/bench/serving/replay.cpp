#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"
#include "sim/serving/arrivals.hpp"
#include "sim/serving/max_rate.hpp"
#include "sim/serving/past.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/sessions.hpp"
#include "sim/serving/summary.hpp"
#include "sim/serving/traffic_reader.hpp"
#include "tests/unit/models/text/given.hpp"

#include <benchmark/benchmark.h>
#include <string>

/// Time to serve a load on one design, step law included: `steps` of the engine in a run.
namespace {

using namespace pimdse::models;
using namespace pimdse::sim::serving;

StepLaw law_of(text::test::Given const& given) {
    return std::get<ServiceEngine>(text::service_engine(given.design())).law;
}

/// Serves `load`; `together`: steps with nothing changed but lengths are costed together.
void serve(benchmark::State& state, text::test::Settings const& board, ServiceLoad const& load,
           SchedulerSettings const& settings, bool together) {
    text::test::Given const given(board);
    std::int64_t steps = 0, preemptions = 0;
    for (auto _ : state) {
        auto law = law_of(given);
        if (!together) law.many = {};
        auto const found = schedule(load, settings, law);
        benchmark::DoNotOptimize(summarise(load, settings, found, {1.0, 0.05}, 0.0));
        steps = found.steps;
        preemptions = found.preemptions;
    }
    state.counters["requests"] = static_cast<double>(load.requests.size());
    state.counters["steps"] = static_cast<double>(steps);
    state.counters["preemptions"] = static_cast<double>(preemptions);
}

ServiceLoad recorded(std::string const& name) {
    return {read_trace(data_directory() / "models/traffic" / name, {{}, 300}).requests, 0};
}

/// 300 recorded requests; the argument says whether steps are costed together.
void rtx_4090(benchmark::State& state) {
    SchedulerSettings settings;
    settings.blocks = 2588;
    serve(state, {{"llm", "llama-3.1-8b"}, {"device", "rtx_4090"}}, recorded("vllm_rtx4090_llama-3.1-8b.csv"), settings,
          state.range(0) != 0);
}

void rtx_pro_6000(benchmark::State& state) {
    SchedulerSettings settings;
    settings.max_sequences = 128;
    settings.blocks = 30'000;
    serve(state, {{"llm", "llama-3.1-8b"}, {"device", "rtx_pro_6000"}}, recorded("vllm_rtxpro6000_llama-3.1-8b.csv"),
          settings, state.range(0) != 0);
}

/// 1,000 drawn requests.
ServiceLoad drawn_load(double rate) {
    std::size_t const count = 1000;
    auto const times = arrival_times({ArrivalProcess::gamma, rate, 1.09, 1}, count);
    auto const input = lognormal_lengths(1155, 2300, 1, 0, count), output = lognormal_lengths(211, 420, 1, 1, count);
    ServiceLoad load;
    for (std::size_t i = 0; i < count; ++i) load.requests.push_back({times[i], input[i], output[i]});
    return load;
}

text::test::Settings const one_h100{{"llm", "llama-3-8b"}, {"device", "h100"}};

/// The argument is requests in ten seconds.
void drawn(benchmark::State& state) {
    SchedulerSettings settings;
    settings.blocks = 25'000;
    serve(state, one_h100, drawn_load(static_cast<double>(state.range(0)) / 10.0), settings, true);
}

/// The largest rate at which 99 % of them have a first token within 1 s and 50 ms between tokens.
void largest_rate(benchmark::State& state) {
    text::test::Given const given(one_h100);
    auto const load = drawn_load(5.0);
    SchedulerSettings settings;
    settings.blocks = 25'000;
    double rate = 0.0;
    for (auto _ : state) {
        auto const law = law_of(given);
        auto const serve = [&](ServiceLoad const& at, GiveUp const* give_up) {
            return schedule(at, settings, law, give_up);
        };
        double const most = ceiling(load, settings, law, 1);
        rate = max_rate(load, serve, {1.0, 0.05}, 0.99, most).value_or(LargestRate{}).rate;
    }
    state.counters["rate"] = rate;
}

/// 300 turns of sessions; the argument says whether prefixes stay in the cache.
void agents(benchmark::State& state) {
    std::size_t const count = 300;
    SessionSettings session;
    session.turns = 4.0;
    session.geometric = true;
    session.think = 20.0;
    session.shared_prefix = 1200;
    session.share = 0.8;
    auto const turns = turns_of_sessions(session, count);
    auto const times = arrival_times({ArrivalProcess::poisson, 1.0, 1.0, 1}, turns.size());
    auto const input = lognormal_lengths(1155, 2300, 1, 0, count), output = lognormal_lengths(211, 420, 1, 1, count);
    SchedulerSettings settings;
    settings.blocks = 25'000;
    settings.prefix_units.tokens = state.range(0) != 0 ? settings.block_tokens : 0;
    serve(state, one_h100, load_of_sessions(session, turns, times, input, output), settings, true);
}

/// 100,000 requests of whose prompts half begin with what was there, in blocks of 512 as Mooncake names them; the
/// argument says whether prefixes stay in the cache.
void blocks_of_512(benchmark::State& state) {
    std::size_t const count = 100'000;
    ServiceLoad load;
    auto const input = lognormal_lengths(8000, 16000, 1, 0, count), output = lognormal_lengths(180, 400, 1, 1, count);
    TracePast past;
    past.block_tokens = 512;
    for (std::size_t i = 0; i < count; ++i) {
        load.requests.push_back({0.3 * static_cast<double>(i), input[i], output[i]});
        past.first_block.push_back(static_cast<std::uint32_t>(past.blocks.size()));
        auto const blocks = static_cast<std::uint32_t>((input[i] + 511) / 512);
        // A conversation of ten requests has the same first half of its blocks.
        for (std::uint32_t b = 0; b < blocks; ++b)
            past.blocks.push_back(b < blocks / 2 ? static_cast<std::uint32_t>(i / 10) * 64 + b : 1'000'000'000U + b);
    }
    past.first_block.push_back(static_cast<std::uint32_t>(past.blocks.size()));
    set_past(load, past);
    SchedulerSettings settings;
    settings.blocks = 200'000;
    settings.max_batched_tokens = 8192;
    settings.prefix_units.tokens = state.range(0) != 0 ? settings.block_tokens : 0;
    serve(state, one_h100, load, settings, true);
}

BENCHMARK(agents)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(blocks_of_512)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(rtx_4090)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);
BENCHMARK(rtx_pro_6000)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);
BENCHMARK(largest_rate)->Unit(benchmark::kMillisecond);
BENCHMARK(drawn)->Arg(10)->Arg(55)->Arg(300)->Unit(benchmark::kMillisecond);

}  // namespace
