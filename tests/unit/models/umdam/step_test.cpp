// Steps of a serving engine against the request that `evaluate` serves.

#include "models/umdam/ledger.hpp"
#include "models/umdam/metrics.hpp"
#include "models/umdam/parameters.hpp"
#include "random_setting.hpp"
#include "requested.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/random.hpp"
#include "sim/serving/scheduler.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace pimdse::models::umdam::step_test {
namespace {

using sim::Bounded;
using sim::serving::PromptChunk;
using sim::serving::Schedule;
using sim::serving::StepCost;
using sim::serving::StepWork;
using testing::printed;
using testing::RandomSetting;
using testing::Requested;
using testing::Setting;
using tests::with;

/// What every engine needs of a random point.
Setting served(Setting const& setting, int trial) {
    return with(setting, {{"split_k", trial % 4 == 0 ? "false" : "true"},
                          {"count_first", "true"},
                          {"ignore_capacity", "false"},
                          {"weight_load", "none"},
                          {"staging", "layer"},
                          {"density", "32"}});
}

/// A request and the engine of its point.
struct Engine : Requested {
    Design design;
    std::optional<ServiceEngine> engine;
    std::string refused;

    explicit Engine(Setting const& setting, Fidelity fidelity = Fidelity::analytic)
        : Requested(setting), design(design_at(inputs, point)) {
        auto made_engine = Asked::engine(fidelity);
        if (auto* found = std::get_if<ServiceEngine>(&made_engine)) engine = std::move(*found);
        if (auto* rule = std::get_if<Infeasible>(&made_engine)) refused = rule->reason;
    }
    [[nodiscard]] StepCost one(StepWork const& work) const { return engine->law.one(work); }
    [[nodiscard]] double min_seconds(StepWork const& work) const { return engine->min_seconds(work); }
    /// All requests at once, with a cache and steps that hold them.
    [[nodiscard]] Schedule schedule() const {
        sim::serving::ServiceLoad load;
        load.requests.assign(static_cast<std::size_t>(design.batch), {0.0, design.input, design.output});
        sim::serving::SchedulerSettings settings;
        settings.max_sequences = design.batch;
        settings.max_batched_tokens = 0;
        settings.blocks = design.batch * (design.input + design.output);
        return sim::serving::schedule(load, settings, engine->law);
    }
};

struct Expected {
    Bounded ttft, latency, energy;

    Expected(Engine const& e, Fidelity fidelity) {
        ttft = e.metric("ttft", fidelity);
        latency = e.metric("latency", fidelity);
        energy = e.metric("energy", fidelity);
        // estimates that are not moved into proved bounds of the whole request
        auto const cost = e.cost(fidelity);
        ttft.value = cost.prefill().value;
        latency.value = ttft.value + cost.decode().value;
        EnergyLaw const law(e.system, e.prepared().machine);
        Standby rest;
        law.add_rest(rest);
        energy.value = rest.waiting() * latency.value + law.spending_of(cost.total()).all_joules();
    }
};

double apart(double a, double b) { return std::abs(a - b) / std::max(std::abs(a), std::abs(b)); }

double apart(Schedule const& found, Expected const& expected) {
    return std::max({apart(found.requests.back().first_token, expected.ttft.value),
                     apart(found.requests.back().last_token, expected.latency.value),
                     apart(found.joules, expected.energy.value)});
}

bool feasible(Engine const& e) { return e.exists && e.engine; }

/// One placement of pimnast is chosen for the batch of a request, and for single vectors of an engine.
bool placed_for_batch(Engine const& e) { return e.design.baseline == Baseline::pimnast && e.design.batch > 1; }

bool is_settled(Engine const& e) {
    return open_units(e.system, Choice::decode).size() == 1 && open_units(e.system, Choice::attention).size() == 1;
}

/// The consistency law, where a request has one decode step at most: at random points, every unit and baseline.
TEST(Step, of_equal_requests_at_once_give_the_batch) {
    RandomSetting settings(36);
    int compared = 0;
    for (int trial = 0; trial < tests::draws(300, 40); ++trial) {
        auto const setting = with(served(settings.next(), trial),
                                  {{"output", trial % 3 == 0 ? "1" : "2"}, {"batch", std::to_string(1 + trial % 7)}});
        Engine const e(setting);
        if (!feasible(e) || placed_for_batch(e)) continue;
        Expected const expected(e, Fidelity::analytic);
        auto const found = e.schedule();
        EXPECT_EQ(found.steps, e.design.output);
        EXPECT_LE(apart(found, expected), 1e-12) << printed(setting);
        ++compared;
    }
    RecordProperty("compared", compared);
    EXPECT_GT(compared, tests::draws(70, 1));
}

/// A longer request is a sequence of requests of one decode step each, whose contexts grow.
TEST(Step, of_a_longer_request_is_its_first_token_and_one_step_after_the_other) {
    RandomSetting settings(37);
    int compared = 0;
    for (int trial = 0; trial < tests::draws(120); ++trial) {
        auto const setting =
            with(served(settings.next(), trial), {{"batch", std::to_string(1 + trial % 5)}, {"output", "6"}});
        Engine const e(setting);
        if (!feasible(e) || placed_for_batch(e)) continue;
        auto const& prepared = prepared_of(e.inputs);
        double seconds = Expected(e, Fidelity::analytic).ttft.value;
        auto const found = e.schedule();
        EXPECT_LE(apart(found.requests.back().first_token, seconds), 1e-12) << printed(setting);
        for (std::int64_t done = 0; done < 5; ++done) {
            auto design = e.design;
            design.input += done;
            design.output = 2;
            auto const made = std::get<System>(make_system(prepared, design));
            seconds += run_request(prepared, made, Fidelity::analytic).front().decode().value;
        }
        EXPECT_LE(apart(found.requests.back().last_token, seconds), 1e-12) << printed(setting);
        ++compared;
    }
    EXPECT_GT(compared, tests::draws(15, 1));
}

/// A batch is the sum of its steps, exactly up to sixteen of them; of more, `evaluate` takes contexts together. It also
/// chooses open units once for all steps. Its intervals hold the difference; steps that choose take no longer.
TEST(Step, of_longer_requests_add_up_to_the_batch) {
    RandomSetting settings(38);
    auto const inside = [](double value, Bounded const& in) {
        return value >= in.lower * (1.0 - 1e-12) && value <= in.upper * (1.0 + 1e-12);
    };
    int compared = 0, exact = 0, open = 0;
    for (int trial = 0; trial < tests::draws(300); ++trial) {
        auto const setting =
            with(served(settings.next(), trial), {{"batch", std::to_string(1 + trial % 5)},
                                                  {"output", std::to_string(3 + trial % (trial % 2 == 0 ? 15 : 200))}});
        Engine const e(setting);
        if (!feasible(e) || placed_for_batch(e)) continue;
        Expected const expected(e, Fidelity::analytic);
        auto const found = e.schedule();
        auto const& times = found.requests.back();
        EXPECT_LE(apart(times.first_token, expected.ttft.value), 1e-12) << printed(setting);
        EXPECT_LE(times.last_token, expected.latency.upper * (1.0 + 1e-12)) << printed(setting);
        bool const few = e.design.output <= 17;
        if (is_settled(e)) {
            EXPECT_TRUE(inside(times.last_token, expected.latency)) << printed(setting);
            EXPECT_TRUE(inside(found.joules, expected.energy)) << printed(setting);
            EXPECT_LE(apart(found, expected), few ? 1e-12 : 2e-3) << printed(setting);
        }
        ++compared;
        exact += is_settled(e) && few ? 1 : 0;
        open += is_settled(e) || apart(found, expected) < 1e-3 ? 0 : 1;
    }
    EXPECT_GT(compared, tests::draws(50, 1));
    EXPECT_GE(exact, tests::draws(10, 1) - 1);
    EXPECT_LE(open, 1 + compared / 20);
}

std::vector<Setting> machines() {
    Setting const llama{{"llm", "llama-3.2-1b"}, {"channels", "8"}};
    std::vector<Setting> all{llama};
    for (auto const* concurrency : {"exclusive", "partition", "dual_row_buffer", "scheduled"})
        for (auto const* attention : {"npu", "pim"})
            all.push_back(with(llama, {{"prefill_unit", "npu"},
                                       {"decode_unit", "pim"},
                                       {"attention", attention},
                                       {"concurrency", concurrency}}));
    all.push_back(with(llama, {{"baseline", "npu_only"}}));
    all.push_back(with(llama, {{"baseline", "relayout"}}));
    all.push_back(with(llama, {{"pim_vectors", "4"}, {"global_buffer_elements", "8192"}, {"prefill_unit", "pim"}}));
    all.push_back({{"llm", testing::own_model("tiny_kinds.toml")}});
    all.push_back({{"llm", testing::own_model("tiny_latent.toml")}});
    all.push_back({{"llm", testing::own_model("tiny_states.toml")}});
    return all;
}

/// A step with up to `chunks` parts of prompts and `sequences` decoding sequences.
StepWork random_step(std::uint64_t seed, std::uint64_t chunks, std::uint64_t sequences, std::uint64_t longest) {
    std::uint64_t draw = 1000 * seed;
    auto const below = [&](std::uint64_t end) { return static_cast<std::int64_t>(sim::mixed_sequence(++draw) % end); };
    StepWork work;
    auto const parts = below(chunks + 1), decoding = parts == 0 ? 1 + below(sequences) : below(sequences + 1);
    for (std::int64_t i = 0; i < parts; ++i)
        work.chunks.push_back({1 + below(longest), below(2) == 0 ? 0 : below(longest)});
    for (std::int64_t i = 0; i < decoding; ++i) work.contexts.push_back(2 + below(longest));
    work.heads = decoding + below(static_cast<std::uint64_t>(parts) + 1);
    return work;
}

/// More positions, cached positions, sequences or longer contexts never take less; joules contain the idle power.
TEST(Step, takes_longer_with_more_work) {
    for (auto const& setting : machines()) {
        Engine const e(setting);
        ASSERT_TRUE(e.engine) << e.refused;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            auto const work = random_step(seed, 3, 20, 500);
            auto const cost = e.one(work);
            EXPECT_GT(cost.seconds, 0.0);
            EXPECT_GE(cost.joules, e.engine->idle_power * cost.seconds);
            auto const longer = [&](auto const& change) {
                auto more = work;
                change(more);
                EXPECT_GE(e.one(more).seconds, cost.seconds * (1.0 - 1e-9)) << printed(setting) << seed;
            };
            if (!work.chunks.empty()) {
                longer([](StepWork& more) { more.chunks.front().tokens += 64; });
                longer([](StepWork& more) { more.chunks.front().cached += 64; });
            }
            longer([](StepWork& more) { more.chunks.push_back({80, 0}); });
            longer([](StepWork& more) { more.contexts.push_back(100), ++more.heads; });
            if (!work.contexts.empty()) longer([](StepWork& more) { more.contexts.front() += 300; });
        }
    }
}

/// A step of prompts and tokens takes no longer than two steps, and less where one unit reads the weights for both. NPU
/// and banks that take turns add up.
TEST(Step, with_prompts_and_tokens_takes_at_most_two_steps) {
    for (auto const& setting : machines()) {
        Engine const e(setting);
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            auto const both = random_step(seed, 2, 10, 300);
            auto prompts = both, tokens = both;
            prompts.contexts.clear();
            prompts.heads -= static_cast<std::int64_t>(both.contexts.size());
            tokens.chunks.clear();
            tokens.heads -= prompts.heads;
            double const apart_seconds = (prompts.chunks.empty() ? 0.0 : e.one(prompts).seconds) +
                                         (tokens.contexts.empty() ? 0.0 : e.one(tokens).seconds);
            EXPECT_LE(e.one(both).seconds, apart_seconds * (1.0 + 1e-9)) << printed(setting) << seed;
        }
    }
    StepWork const prompt{{{64, 0}}, {}, 1}, tokens{{}, {300, 400}, 2}, both{{{64, 0}}, {300, 400}, 3};
    auto const ratio = [&](Setting const& setting) {
        Engine const e(setting);
        return e.one(both).seconds / (e.one(prompt).seconds + e.one(tokens).seconds);
    };
    auto const all = machines();
    EXPECT_NEAR(ratio(all[1]), 1.0, 1e-9);  // exclusive, attention on the NPU
    EXPECT_NEAR(ratio(all[2]), 1.0, 1e-9);
    EXPECT_LT(ratio(all[5]), 0.999);  // second row buffers
    EXPECT_LT(ratio(with(all[0], {{"baseline", "npu_only"}})), 0.6);
}

/// Parts of a prompt in whole blocks have the arithmetic of the whole; the second one reads the keys of the first.
TEST(Step, of_a_part_of_a_prompt_attends_to_what_is_cached) {
    Engine const e({{"llm", "llama-3.2-1b"},
                    {"channels", "16"},
                    {"npu_flops", "1 TFLOP/s"},
                    {"prefill_unit", "npu"},
                    {"lm_head", "skip"},
                    {"baseline", "npu_only"}});
    ASSERT_TRUE(e.engine) << e.refused;
    auto const seconds = [&](std::int64_t tokens, std::int64_t cached) {
        return e.one({{{tokens, cached}}, {}, 0}).seconds;
    };
    double const whole = seconds(4096, 0), parts = seconds(2048, 0) + seconds(2048, 2048);
    EXPECT_GT(parts, whole);
    double const bytes = 2048.0 * e.engine->position_bytes, fastest = 16.0 * 12.8e9;
    EXPECT_GT(parts - whole, bytes / fastest);
    EXPECT_LT(parts, whole * 1.01);
}

bool same_bits(StepCost const& a, StepCost const& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// One position more than the cache holds breaks the rule of the capacity.
TEST(Step, cache_fills_the_memory) {
    Setting const small{{"llm", "llama-3-8b"}};
    int one_more = 0;
    for (auto const* concurrency : {"exclusive", "partition"}) {
        Engine const e(with(small, {{"concurrency", concurrency},
                                    {"channels", "16"},
                                    {"density", "8"},
                                    {"output", "1"},
                                    {"weight_bits", "4"}}));
        ASSERT_TRUE(e.engine) << e.refused;
        auto const& prepared = prepared_of(e.inputs);
        auto const positions = static_cast<std::int64_t>(e.engine->cache_bytes / e.engine->position_bytes);
        auto const fits = [&](std::int64_t batch, std::int64_t each) {
            auto design = e.design;
            design.batch = batch;
            design.input = each - 1;
            auto made = make_system(prepared, design);
            auto const* broken = std::get_if<Infeasible>(&made);
            EXPECT_TRUE(broken == nullptr || broken->rule == "capacity") << broken->reason;
            return broken == nullptr;
        };
        auto const fewest = positions / e.engine->max_context + 1;
        for (auto batch = fewest; batch < fewest + 400; ++batch) {
            EXPECT_TRUE(fits(batch, positions / batch));
            EXPECT_FALSE(fits(batch, positions / batch + 1));
            one_more += (positions + 1) % batch == 0 ? 1 : 0;
        }
    }
    EXPECT_GT(one_more, 0);
    Engine const large(Setting{{"llm", "opt-30b"}});
    EXPECT_FALSE(large.engine);
}

TEST(Step, has_the_same_bits_in_every_thread) {
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        // In closed form a step takes microseconds: threads meet only in engines that are new.
        int const engines = fidelity == Fidelity::analytic ? 200 : 1;
        Engine const alone(machines().front(), fidelity);
        for (int engine = 0; engine < engines; ++engine) {
            Engine const e(machines().front(), fidelity);
            std::vector<std::vector<StepCost>> found(4);
            std::vector<std::thread> threads;
            for (auto& mine : found) {
                threads.emplace_back([&mine, &e] {
                    for (std::uint64_t seed = 0; seed < 12; ++seed) mine.push_back(e.one(random_step(seed, 2, 8, 150)));
                });
            }
            for (auto& thread : threads) thread.join();
            for (std::uint64_t seed = 0; seed < 12; ++seed)
                for (auto const& mine : found)
                    EXPECT_TRUE(same_bits(mine[seed], alone.one(random_step(seed, 2, 8, 150))));
        }
    }
}

TEST(Step, is_refused_where_a_step_is_not_the_whole_story) {
    auto const reason = [](Setting const& setting) { return Engine(setting).refused; };
    EXPECT_EQ(reason({}), "");
    for (Setting const& setting : std::vector<Setting>{{{"draft", "3"}},
                                                       {{"count_first", "false"}},
                                                       {{"weight_load", "once"}},
                                                       {{"ignore_capacity", "true"}},
                                                       {{"baseline", "relayout"}, {"staging", "model"}},
                                                       {{"llm", "llada-8b"}, {"generation", "diffusion"}}})
        EXPECT_NE(reason(setting), "") << printed(setting);
    EXPECT_EQ(reason({{"batch", "4096"}, {"output", "2000"}}), "");  // lengths do not matter
}

/// At fidelity cycle, steps are those of the batch where nothing is refreshed or the NPU does everything.
TEST(Step, of_equal_requests_at_once_give_the_batch_at_fidelity_cycle) {
    RandomSetting settings(41);
    int compared = 0;
    for (int trial = 0; trial < tests::draws(48, 10); ++trial) {
        auto setting = with(served(settings.next(), trial),
                            {{"batch", std::to_string(1 + trial % 5)}, {"output", std::to_string(1 + trial % 8)}});
        setting = with(setting, trial % 4 == 0 ? Setting{{"baseline", "npu_only"}, {"mapping", "umdam"}}
                                               : Setting{{"refresh", "none"}});
        Engine const e(setting, Fidelity::cycle);
        if (!feasible(e) || placed_for_batch(e)) continue;
        Expected const exact(e, Fidelity::cycle);
        auto const found = e.schedule();
        auto const& times = found.requests.back();
        EXPECT_LE(apart(times.first_token, exact.ttft.value), 1e-12) << printed(setting);
        EXPECT_LE(times.last_token, exact.latency.value * (1.0 + 1e-12)) << printed(setting);
        // a choice that the point leaves open may be another one in a later step
        if (e.design.output <= 2 || is_settled(e)) {
            EXPECT_LE(apart(found, exact), 1e-12) << printed(setting);
        }
        ++compared;
    }
    EXPECT_GT(compared, tests::draws(15, 1));
}

/// Otherwise products in the banks begin just after a refresh in every step, and those of `evaluate` one after the
/// other at any distance from it: a refresh for each of them. The refreshes then also interrupt rows at other places.
TEST(Step, of_equal_requests_at_fidelity_cycle_are_refreshed_as_the_batch_but_for_a_few) {
    RandomSetting settings(42);
    auto const inside = [](double value, Bounded const& in) {
        return value >= in.lower * (1.0 - 1e-12) && value <= in.upper * (1.0 + 1e-12);
    };
    int compared = 0;
    for (int trial = 0; trial < tests::draws(48, 10); ++trial) {
        auto const setting = with(served(settings.next(), trial), {{"batch", std::to_string(1 + trial % 5)},
                                                                   {"output", std::to_string(1 + trial % 8)},
                                                                   {"refresh", "all_bank"}});
        Engine const e(setting, Fidelity::cycle);
        if (!feasible(e) || placed_for_batch(e)) continue;
        Expected const exact(e, Fidelity::cycle), estimated(e, Fidelity::analytic);
        auto const found = e.schedule();
        auto const& times = found.requests.back();
        OperationCosts const costs(prepared_of(e.inputs), e.system, Fidelity::analytic);
        // weights, the LM head, and the attention of each sequence
        double const each = static_cast<double>(e.design.batch + 2) * costs.longest_refresh();
        double const elsewhere = 1e-4, steps = static_cast<double>(e.design.output);
        EXPECT_NEAR(times.first_token, exact.ttft.value, each + elsewhere * times.first_token) << printed(setting);
        EXPECT_NEAR(times.last_token, exact.latency.value, steps * each + elsewhere * times.last_token)
            << printed(setting);
        EXPECT_TRUE(inside(times.first_token, estimated.ttft)) << printed(setting);
        EXPECT_TRUE(inside(times.last_token, estimated.latency)) << printed(setting);
        EXPECT_TRUE(inside(found.joules, estimated.energy)) << printed(setting);
        ++compared;
    }
    EXPECT_GT(compared, tests::draws(8, 1));
}

/// The lower bound of a step holds at both fidelities, also of mixed steps and of parts of prompts.
TEST(Step, takes_at_least_its_lower_bound) {
    double closest = 0.0;
    for (auto const& setting : machines()) {
        Engine const closed(setting), cycle(setting, Fidelity::cycle);
        ASSERT_TRUE(cycle.engine) << cycle.refused;
        for (std::uint64_t seed = 0; seed < tests::draws(25UL); ++seed) {
            auto const work = random_step(seed, 2, 6, 200);
            double const bound = closed.min_seconds(work), exact = cycle.one(work).seconds;
            EXPECT_NEAR(bound, cycle.min_seconds(work), 1e-12 * bound);
            EXPECT_LE(bound, exact) << printed(setting) << seed;
            EXPECT_LE(bound, closed.one(work).seconds) << printed(setting) << seed;
            EXPECT_GT(bound, 0.3 * exact) << printed(setting) << seed;
            closest = std::max(closest, bound / exact);
        }
    }
    EXPECT_GT(closest, 0.98);
}

}  // namespace
}  // namespace pimdse::models::umdam::step_test
