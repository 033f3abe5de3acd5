#include "models/upmem/upmem.hpp"
#include "sim/serving/scheduler.hpp"
#include "support.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

/// Steps of a serving engine against the passes of a request.
namespace pimdse::models::upmem::step_test {
namespace {

using sim::serving::StepWork;
using tests::Drawing;

struct Lengths {
    std::int64_t batch = 1, input = 1, output = 1;
};

Settings with_request(Settings settings, Lengths const& r) {
    settings.emplace_back("batch", std::to_string(r.batch));
    settings.emplace_back("input", std::to_string(r.input));
    settings.emplace_back("output", std::to_string(r.output));
    return settings;
}

/// Machines that hold their models.
Settings random_machine(std::uint64_t seed) {
    Drawing draw(seed);
    Settings s{{"scope", "end_to_end"},
               {"llm", draw.of({"llama-3.2-1b", "opt-125m", "gpt-oss-20b", "qwen2.5-0.5b", "gemma-2-9b"})},
               {"dpus", draw.of({"700", "1024", "2048"})},
               {"ranks", "40"}};
    auto const sometimes = [&](char const* name, std::vector<std::string> const& values) {
        if (draw.up_to(2) == 1) s.emplace_back(name, draw.of(values));
    };
    sometimes("preset", {"upimulator-go", "upimulator-cpp"});
    sometimes("transfer", {"table1", "broadcast", "serial", "mapped"});
    sometimes("tasklets", {"1", "4", "11"});
    sometimes("dma_block", {"256", "2048"});
    sometimes("loading", {"each_launch"});
    sometimes("lock", {"none", "double_bank"});
    sometimes("frequency", {"250 MHz", "400 MHz"});
    sometimes("offload", {"10 us"});
    sometimes("layer_overhead", {"100 us"});
    sometimes("attained_share", {"0.7"});
    return s;
}

std::variant<ServiceEngine, Infeasible> made(Settings const& settings, Fidelity fidelity = Fidelity::analytic) {
    auto const point = upmem().point(settings);
    return upmem().row().engine(upmem().inputs(), point, fidelity);
}
ServiceEngine engine_of(Settings const& settings, Fidelity fidelity = Fidelity::analytic) {
    return std::get<ServiceEngine>(made(settings, fidelity));
}

/// All requests at once, with a cache and steps that hold them.
sim::serving::Schedule served(ServiceEngine const& engine, Lengths const& r) {
    sim::serving::ServiceLoad load;
    load.requests.assign(static_cast<std::size_t>(r.batch), {0.0, r.input, r.output});
    sim::serving::SchedulerSettings settings;
    settings.max_sequences = r.batch;
    settings.max_batched_tokens = 0;
    settings.blocks = r.batch * (r.input + r.output);
    return schedule(load, settings, engine.law);
}

StepWork tokens_at(std::vector<std::int64_t> contexts) {
    StepWork work;
    work.contexts = std::move(contexts);
    work.heads = static_cast<std::int64_t>(work.contexts.size());
    return work;
}

/// Of a batch: ttft, latency and energy to `tolerance`.
void expect_batch(Settings const& settings, Lengths const& r, Fidelity fidelity, double tolerance) {
    auto const all = with_request(settings, r);
    if (!std::holds_alternative<Metrics>(upmem().outcome(all, fidelity))) return;
    auto const found = served(engine_of(settings, fidelity), r);
    double const ttft = upmem().value(all, "ttft", fidelity), latency = upmem().value(all, "latency", fidelity),
                 energy = upmem().value(all, "energy", fidelity);
    ASSERT_EQ(found.steps, r.output);
    for (auto const& times : found.requests) {
        EXPECT_NEAR(times.first_token, ttft, tolerance * ttft);
        EXPECT_NEAR(times.last_token, latency, tolerance * latency);
    }
    EXPECT_NEAR(found.joules, energy, tolerance * energy);
}

std::string text_of(Settings const& settings, Lengths const& r) {
    std::string text;
    for (auto const& [name, value] : with_request(settings, r)) text += " " + name + "=" + value;
    return text;
}

/// The consistency law, exactly, up to 16 passes of a prompt and 16 further tokens.
TEST(Step, of_equal_requests_at_once_give_the_batch) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        auto const settings = random_machine(seed);
        Drawing draw(seed + 1000);
        std::int64_t const batch = draw.up_to(draw.up_to(2) == 1 ? 8 : 100);
        Lengths const r{batch, draw.up_to(16 * std::max<std::int64_t>(1, 64 / batch)), draw.up_to(17)};
        SCOPED_TRACE(text_of(settings, r));
        expect_batch(settings, r, Fidelity::analytic, 1e-12);
    }
}

TEST(Step, of_equal_requests_at_once_give_the_batch_at_cycle_level) {
    for (std::uint64_t seed = 1; seed <= tests::draws(8UL, 2); ++seed) {
        auto const settings = random_machine(seed);
        Drawing draw(seed + 3000);
        std::int64_t const batch = draw.up_to(40);
        Lengths const r{batch, draw.up_to(10 * std::max<std::int64_t>(1, 64 / batch)), draw.up_to(9)};
        SCOPED_TRACE(text_of(settings, r));
        expect_batch(settings, r, Fidelity::cycle, 1e-12);
    }
}

/// Beyond, evaluate represents several passes by their mean context, and differs from all passes by 0.5 % at most.
TEST(Step, of_long_requests_are_near_the_batch) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        auto const settings = random_machine(seed);
        Drawing draw(seed + 2000);
        Lengths const r{draw.up_to(40), 1000 + draw.up_to(1000), draw.up_to(200)};
        SCOPED_TRACE(text_of(settings, r));
        expect_batch(settings, r, Fidelity::analytic, 5e-3);
    }
}

StepWork random_work(Drawing& draw) {
    StepWork work;
    for (std::int64_t i = draw.up_to(4); i > 1; --i)
        work.chunks.push_back({draw.up_to(200), draw.up_to(2) == 1 ? 0 : draw.up_to(500)});
    for (std::int64_t i = draw.up_to(30); i > 1; --i) work.contexts.push_back(1 + draw.up_to(900));
    if (work.chunks.empty() && work.contexts.empty()) work.contexts.push_back(7);
    work.heads = static_cast<std::int64_t>(work.contexts.size()) +
                 std::min<std::int64_t>(static_cast<std::int64_t>(work.chunks.size()), draw.up_to(3) - 1);
    return work;
}

TEST(Step, costs_more_with_more_work) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        auto const settings = random_machine(seed);
        auto const found = made(settings);
        if (!std::holds_alternative<ServiceEngine>(found)) continue;
        auto const& engine = std::get<ServiceEngine>(found);
        Drawing draw(seed);
        for (int i = 0; i < 10; ++i) {
            auto const work = random_work(draw);
            SCOPED_TRACE(text_of(settings, {}));
            auto const cost = engine.law.one(work);
            EXPECT_GE(cost.joules, engine.idle_power * cost.seconds * (1.0 - 1e-12));
            EXPECT_LE(engine.min_seconds(work), cost.seconds);
            auto const expect_more = [&](StepWork const& more) {
                auto const now = engine.law.one(more);
                EXPECT_GE(now.seconds, cost.seconds * (1.0 - 1e-12));
                EXPECT_GE(now.joules, cost.joules * (1.0 - 1e-12));
            };
            auto more = work;
            if (!more.contexts.empty()) more.contexts.front() += 50;
            expect_more(more);
            more = work;
            if (!more.chunks.empty()) more.chunks.back().tokens += 3;
            expect_more(more);
            more = work;
            if (!more.chunks.empty()) more.chunks.front().cached += 90;
            expect_more(more);
            // Sequences of a step share launches and calls, and nothing else: their caches have fewer DPUs each.
            auto chunks = work;
            chunks.contexts.clear();
            auto const tokens = tokens_at(work.contexts);
            chunks.heads = work.heads - tokens.heads;
            if (chunks.chunks.empty() || tokens.contexts.empty()) continue;
            EXPECT_GT(cost.seconds, engine.law.one(tokens).seconds);
        }
    }
}

TEST(Step, has_a_lower_bound_at_cycle_level) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto const settings = random_machine(seed);
        if (!std::holds_alternative<ServiceEngine>(made(settings))) continue;
        auto const analytic = engine_of(settings), cycle = engine_of(settings, Fidelity::cycle);
        Drawing draw(seed);
        for (int i = 0; i < 3; ++i) {
            auto const work = random_work(draw);
            double const min = analytic.min_seconds(work), seconds = cycle.law.one(work).seconds;
            SCOPED_TRACE(text_of(settings, {}));
            EXPECT_LE(min, seconds);
            EXPECT_GT(min, 0.7 * seconds);
            EXPECT_EQ(cycle.min_seconds(work), seconds);
        }
    }
}

TEST(Step, with_prompts_and_tokens_shares_launches_and_calls) {
    auto const law =
        engine_of({{"scope", "end_to_end"}, {"llm", "llama-3.2-1b"}, {"dpus", "1024"}, {"ranks", "16"}}).law;
    StepWork const prompt{{{32, 0}}, {}, 1}, both{{{32, 0}}, {100, 120}, 3};
    auto const tokens = tokens_at({100, 120});
    EXPECT_LT(law.one(both).seconds, law.one(prompt).seconds + law.one(tokens).seconds);
    EXPECT_GT(law.one(both).seconds, law.one(prompt).seconds);
    // Two parts of a prompt, of whole passes, are the prompt, but for one more LM head if it is computed twice.
    StepWork const whole{{{256, 0}}, {}, 1}, first{{{128, 0}}, {}, 0}, second{{{128, 128}}, {}, 1};
    EXPECT_NEAR(law.one(first).seconds + law.one(second).seconds, law.one(whole).seconds,
                1e-12 * law.one(whole).seconds);
}

/// The fullest DPU by trying all dealings of units that give every DPU at most as many as there are.
TEST(Step, takes_the_longest_sequences_to_meet_in_a_dpu) {
    Settings const settings{{"scope", "end_to_end"}, {"llm", "opt-125m"}, {"dpus", "64"}};
    auto const law = engine_of(settings).law;
    // 12 units of each sequence: 16 sequences are 3 units in a DPU, so that the longest decides.
    std::vector<std::int64_t> lengths(16, 100);
    double const equal = law.one(tokens_at(lengths)).seconds;
    lengths[7] = 500;
    double const one_long = law.one(tokens_at(lengths)).seconds;
    double const all_long = law.one(tokens_at(std::vector<std::int64_t>(16, 500))).seconds;
    EXPECT_GT(one_long, equal);
    EXPECT_LT(one_long, all_long);                          // the host has fewer scores
    EXPECT_GT(one_long, equal + 0.9 * (all_long - equal));  // the DPUs wait for the fullest
    std::ranges::reverse(lengths);
    EXPECT_EQ(law.one(tokens_at(lengths)).seconds, one_long);
}

TEST(Step, is_refused_where_nothing_is_served_step_by_step) {
    auto const rule = [](Settings const& settings) {
        auto const found = made(settings);
        auto const* broken = std::get_if<Infeasible>(&found);
        return broken == nullptr ? "" : broken->rule;
    };
    Settings const base{{"scope", "end_to_end"}, {"llm", "llama-3.2-1b"}, {"dpus", "1024"}, {"ranks", "16"}};
    auto const with = [&](char const* name, char const* value) {
        auto settings = base;
        settings.emplace_back(name, value);
        return settings;
    };
    EXPECT_EQ(rule(base), "");
    EXPECT_EQ(rule({}), "traffic");
    EXPECT_EQ(rule({{"kernel", "gemv-int8"}, {"llm", "llama-3.2-1b"}}), "traffic");
    EXPECT_EQ(rule(with("draft", "3")), "traffic");
    EXPECT_EQ(rule(with("loading", "once")), "traffic");
    EXPECT_EQ(rule(with("streams", "4")), "streams");
    EXPECT_EQ(rule({{"scope", "end_to_end"}, {"llm", "llada-8b"}, {"dpus", "2048"}, {"ranks", "32"}}), "generation");
    EXPECT_EQ(rule({{"scope", "end_to_end"}, {"llm", "deepseek-v3"}, {"dpus", "2560"}, {"ranks", "40"}}), "mram");
}

/// The cache takes what the weights leave: one position more does not fit the capacity rule of a request.
TEST(Step, cache_fills_the_mram) {
    for (Settings const& settings :
         {Settings{{"llm", "llama-3.2-1b"}, {"dpus", "26"}}, Settings{{"llm", "opt-125m"}, {"dpus", "2"}},
          Settings{{"llm", "opt-125m"}, {"dpus", "4"}, {"lock", "double_bank"}}}) {
        auto all = settings;
        all.emplace_back("scope", "end_to_end");
        auto const engine = engine_of(all);
        double const positions = engine.cache_bytes / engine.position_bytes;
        auto const whole = static_cast<std::int64_t>(positions);
        EXPECT_EQ(static_cast<double>(whole), positions);
        auto const refusal = [&](std::int64_t input) { return upmem().refusal(with_request(all, {1, input, 1})); };
        EXPECT_GT(whole, 10);
        EXPECT_EQ(refusal(whole), "");
        EXPECT_NE(refusal(whole + 1).find("mram"), std::string::npos) << whole << refusal(whole + 1);
    }
}

}  // namespace
}  // namespace pimdse::models::upmem::step_test
