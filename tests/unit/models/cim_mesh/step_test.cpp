#include "models/cim_mesh/step.hpp"

#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/serving/scheduler.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/served_designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

/// Steps of a serving engine against the passes of a request.
namespace pimdse::models::cim_mesh::test::step_test {
namespace {

using sim::serving::PromptChunk;
using sim::serving::Schedule;
using sim::serving::StepWork;

/// Cycle level simulates gathers, and trees if FIFOs are short: only on small layers here.
std::vector<Fidelity> fidelities_of(Given const& g) {
    auto const timing = router_timing(g.machine, g.design);
    bool const small = g.parts.tiles < 2000, exact = is_exact(timing, StageKind::reduction);
    if (g.design.schedule == cim_mesh::Schedule::serial && g.design.machine != Machine::leap_d)
        return {Fidelity::analytic, Fidelity::cycle};
    if (small && exact) return {Fidelity::analytic, Fidelity::cycle};
    return {Fidelity::analytic};
}

ServiceEngine engine_of(Given const& g, Fidelity fidelity) {
    return std::get<ServiceEngine>(g.architecture.engine(g.inputs, g.point, fidelity));
}

/// All requests at once, with a cache and steps that hold them.
Schedule served(ServiceEngine const& engine, Lengths const& r) {
    sim::serving::ServiceLoad load;
    load.requests.assign(static_cast<std::size_t>(r.batch), {0.0, r.input, r.output});
    sim::serving::SchedulerSettings settings;
    settings.max_sequences = r.batch;
    settings.max_batched_tokens = 0;
    settings.blocks = r.batch * (r.input + r.output);
    return schedule(load, settings, engine.law);
}

StepWork prompts(std::int64_t count, std::int64_t tokens, std::int64_t cached = 0) {
    StepWork work;
    work.chunks.assign(static_cast<std::size_t>(count), {tokens, cached});
    work.heads = count;
    return work;
}

StepWork tokens_at(std::int64_t count, std::int64_t context) {
    StepWork work;
    work.contexts.assign(static_cast<std::size_t>(count), context);
    work.heads = count;
    return work;
}

double near(double value) { return 1e-12 * value; }

/// Calls f(given, engine, request, fidelity) for random feasible designs.
template <class F>
int each_design(std::uint64_t designs, std::vector<std::string> const& schedules, std::int64_t longest, F const& f) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= designs; ++seed) {
        auto const settings = random_design(seed, schedules);
        Drawing draw(seed + 1000);
        Lengths const r{draw.up_to(is_leap_design(settings) ? 2 : 40), draw.up_to(longest), draw.up_to(60)};
        Given const g(with_request(settings, r));
        for (auto const fidelity : fidelities_of(g)) {
            if (!std::holds_alternative<Metrics>(g.outcome(fidelity))) continue;
            ++found;
            std::string text = std::to_string(seed);
            for (auto const& [name, value] : settings.list) text += " " + name + "=" + value;
            SCOPED_TRACE(text);
            f(g, engine_of(g, fidelity), r, fidelity);
        }
    }
    return found;
}

/// The consistency law of the first token, and of requests of one token.
TEST(Step, with_the_prompts_of_a_batch_is_its_first_pass) {
    auto const found =
        each_design(120, {"serial", "tree"}, 900,
                    [](Given const& g, ServiceEngine const& engine, Lengths const& r, Fidelity fidelity) {
                        auto const all = served(engine, r);
                        double const ttft = g.metric("ttft", fidelity).value;
                        ASSERT_EQ(all.steps, r.output);
                        for (auto const& times : all.requests) EXPECT_NEAR(times.first_token, ttft, near(ttft));
                        EXPECT_NEAR(engine.idle_power, g.metric("idle_power", fidelity).value, near(engine.idle_power));
                    });
    EXPECT_GT(found, 100);
}

TEST(Step, of_requests_of_one_token_have_their_latency_and_energy) {
    for (std::uint64_t seed = 1; seed <= tests::draws(60UL); ++seed) {
        Drawing draw(seed + 7);
        auto const settings = random_design(seed, {"serial", "tree"});
        Lengths const r{draw.up_to(is_leap_design(settings) ? 2 : 30), draw.up_to(700), 1};
        Given const g(with_request(settings, r));
        for (auto const fidelity : fidelities_of(g)) {
            if (!std::holds_alternative<Metrics>(g.outcome(fidelity))) continue;
            SCOPED_TRACE(seed);
            auto const all = served(engine_of(g, fidelity), r);
            double const latency = g.metric("latency", fidelity).value, energy = g.metric("energy", fidelity).value;
            EXPECT_NEAR(all.end, latency, near(latency));
            EXPECT_NEAR(all.joules, energy, near(energy));
        }
    }
}

/// Decoded tokens: evaluate takes the mean over all contexts or, of many tokens, over some, and steps take every
/// context. Both lie between the rounds of the first and of the last context. How far apart they are is what the cost
/// is curved in between.
TEST(Step, of_decoded_tokens_are_near_the_mean_round_of_a_request) {
    struct Worst {
        double seconds = 0.0, joules = 0.0;
    };
    Worst chains, decode_region, trees;
    each_design(160, {"serial", "tree"}, 900,
                [&](Given const& g, ServiceEngine const& engine, Lengths const& r, Fidelity fidelity) {
                    if (r.output == 1) return;
                    auto const all = served(engine, r);
                    double const itl = g.metric("itl", fidelity).value;
                    double const mean = (all.requests.front().last_token - all.requests.front().first_token) /
                                        static_cast<double>(r.output - 1);
                    auto const first = engine.law.one(tokens_at(r.batch, r.input)),
                               last = engine.law.one(tokens_at(r.batch, r.input + r.output));
                    for (double const seconds : {itl, mean}) {
                        EXPECT_GE(seconds, first.seconds * (1.0 - 1e-12));
                        EXPECT_LE(seconds, last.seconds * (1.0 + 1e-12));
                    }
                    auto const latency = g.metric("latency", fidelity), energy = g.metric("energy", fidelity);
                    bool const tree = g.design.schedule == cim_mesh::Schedule::tree;
                    auto& worst = tree ? trees : g.design.machine == Machine::leap_d ? decode_region : chains;
                    worst.seconds = std::max(worst.seconds, std::abs(all.end / latency.value - 1.0));
                    worst.joules = std::max(worst.joules, std::abs(all.joules / energy.value - 1.0));
                    // Up to 32 tokens after the first one, a batch is the sum of its steps; of more, it has 33 of the
                    // contexts.
                    if (r.output <= 33 && (fidelity == Fidelity::analytic || !simulates_trees(g.machine, g.design))) {
                        EXPECT_NEAR(all.end, latency.value, 1e-11 * latency.value);
                        EXPECT_NEAR(all.joules, energy.value, 1e-11 * energy.value);
                    }
                    if (latency.is_exact()) return;
                    EXPECT_GE(all.end, latency.lower);
                    EXPECT_LE(all.end, latency.upper);
                });
    EXPECT_LT(chains.seconds, 0.02);
    EXPECT_LT(chains.joules, 0.01);
    EXPECT_LT(decode_region.seconds, 1e-4);
    EXPECT_LT(decode_region.joules, 1e-4);
    EXPECT_LT(trees.seconds, 2e-3);
    EXPECT_LT(trees.joules, 2e-3);
}

/// Requests wait for the LM head at first, and for the way through the layers after some tokens.
TEST(Step, of_decoded_tokens_is_exact_where_what_is_longest_changes) {
    int changed = 0;
    for (std::int64_t batch = 2; batch <= 12; ++batch) {
        Lengths const r{batch, 1, 33};
        Given const g(with_request({{"llm", "opt-125m"}, {"schedule", "serial"}, {"lm_head", "counted"}}, r));
        auto const engine = engine_of(g, Fidelity::analytic);
        auto const slope = [&](std::int64_t context) {
            return engine.law.one(tokens_at(batch, context + 1)).seconds -
                   engine.law.one(tokens_at(batch, context)).seconds;
        };
        changed += slope(2) == 0.0 && slope(31) > 0.0 ? 1 : 0;
        double const latency = g.metric("latency").value;
        EXPECT_NEAR(served(engine, r).end, latency, 1e-11 * latency) << batch;
    }
    EXPECT_GT(changed, 0);
}

/// Where the cost is linear in the context, nothing is lost: all routers of the pool hold keys, and keys that a group
/// shares are not rounded to whole cycles.
TEST(Step, of_decoded_tokens_is_exact_where_the_cost_is_linear) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Drawing draw(seed);
        Lengths const r{draw.up_to(40), 240 + draw.up_to(800), draw.up_to(300)};
        Given const g(with_request({{"llm", "llama-3.2-1b"},
                                    {"scratchpad", "262144"},
                                    {"key_reuse", "group"},
                                    {"lora_rank", draw.of({"0", "8"})},
                                    {"gating", draw.of({"srpg", "none"})},
                                    {"dmacs", draw.of({"4", "16"})}},
                                   r));
        ASSERT_GE(r.input, 928 / 4);  // crossbars of a layer, slices of a position
        auto const all = served(engine_of(g, Fidelity::analytic), r);
        double const latency = g.metric("latency").value, energy = g.metric("energy").value;
        EXPECT_NEAR(all.end, latency, near(latency)) << seed;
        EXPECT_NEAR(all.joules, energy, near(energy)) << seed;
    }
}

/// Otherwise keys arrive in whole cycles: a layer differs by less than two of them.
TEST(Step, of_decoded_tokens_rounds_keys_to_cycles) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Drawing draw(seed);
        Lengths const r{draw.up_to(40), 240 + draw.up_to(800), draw.up_to(300)};
        Given const g(with_request({{"llm", "llama-3.2-1b"}, {"scratchpad", "262144"}}, r));
        auto const all = served(engine_of(g, Fidelity::cycle), r);
        double const passes = static_cast<double>(std::max<std::int64_t>(16, r.batch) * (r.output - 1));
        EXPECT_NEAR(all.end, g.metric("latency", Fidelity::cycle).value, 2.0 * passes * 1e-9 + 1e-12 * all.end) << seed;
    }
}

TEST(Step, of_two_tokens_with_trees_is_exact) {
    each_design(
        60, {"tree"}, 900, [&](Given const& g, ServiceEngine const& engine, Lengths const& r, Fidelity fidelity) {
            if (fidelity != Fidelity::analytic || g.design.model->window > 0) return;
            auto settings = g.point;
            settings[static_cast<std::size_t>(find_parameter(g.table, "output"))] = Value::integer(2);
            auto const outcome = g.architecture.evaluate(g.inputs, settings, fidelity);
            if (!std::holds_alternative<Metrics>(outcome)) return;
            auto const metric = [&](char const* name) {
                return std::get<Metrics>(outcome)[static_cast<std::size_t>(find_metric(g.architecture.metrics(), name))]
                    .value;
            };
            auto const all = served(engine, {r.batch, r.input, 2});
            EXPECT_NEAR(all.end, metric("latency"), near(all.end));
            EXPECT_NEAR(all.joules, metric("energy"), near(all.joules));
        });
}

StepWork random_work(Drawing& draw) {
    StepWork work;
    for (std::int64_t i = draw.up_to(4); i > 1; --i)
        work.chunks.push_back({draw.up_to(300), draw.up_to(2) == 1 ? 0 : draw.up_to(500)});
    for (std::int64_t i = draw.up_to(20); i > 1; --i) work.contexts.push_back(1 + draw.up_to(900));
    if (work.chunks.empty() && work.contexts.empty()) work.contexts.push_back(7);
    work.heads = static_cast<std::int64_t>(work.contexts.size()) +
                 std::min<std::int64_t>(static_cast<std::int64_t>(work.chunks.size()), draw.up_to(3) - 1);
    return work;
}

TEST(Step, has_a_lower_bound_at_cycle_level) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= tests::draws(16UL, 6); ++seed) {
        auto settings = random_design(seed, {"tree", "serial"});
        settings.list.emplace_back("fifo_bytes", "512");
        Given const g(settings);
        auto const analytic = g.architecture.engine(g.inputs, g.point, Fidelity::analytic);
        if (!std::holds_alternative<ServiceEngine>(analytic)) continue;
        auto const& bound = std::get<ServiceEngine>(analytic);
        auto const cycle = engine_of(g, Fidelity::cycle);
        Drawing draw(seed);
        for (int i = 0; i < 8; ++i) {
            auto const work = random_work(draw);
            double const min = bound.min_seconds(work), seconds = cycle.law.one(work).seconds;
            EXPECT_LE(min, seconds) << seed;
            EXPECT_GT(min, 0.3 * seconds) << seed;
            EXPECT_LE(cycle.min_seconds(work), seconds) << seed;
            ++found;
        }
    }
    EXPECT_GT(found, tests::draws(40));
}

/// With short FIFOs, cycle level simulates trees at some contexts; between them steps are interpolated, inside the
/// interval of the closed form. Requests differ from evaluate, which simulates their own contexts, by less than 0.1 %,
/// and are inside its interval.
TEST(Step, between_simulated_contexts_is_interpolated) {
    double worst = 0.0;
    int turn = 0;
    for (Settings const& base :
         {Settings{{"llm", "opt-125m"}, {"schedule", "tree"}, {"fifo_bytes", "16"}},
          Settings{{"llm", "opt-125m"}, {"schedule", "tree"}, {"fifo_bytes", "48"}, {"mesh_rows", "16"}},
          Settings{{"llm", "qwen2.5-0.5b"}, {"schedule", "tree"}, {"fifo_bytes", "24"}},
          Settings{{"llm", "opt-125m"}, {"machine", "leap-d"}, {"fifo_bytes", "16"}}}) {
        Given const g(base);
        auto const cycle = engine_of(g, Fidelity::cycle), analytic = engine_of(g, Fidelity::analytic);
        double before = 0.0;
        tests::Stretch const contexts(1, 300, turn++);
        for (std::int64_t context = contexts.first; context < contexts.end; ++context) {
            double const seconds = cycle.law.one(tokens_at(1, context)).seconds;
            EXPECT_GE(seconds, analytic.min_seconds(tokens_at(1, context)));
            EXPECT_GE(seconds, before * (1.0 - 1e-9)) << context;
            before = seconds;
        }
        Drawing draw(3);
        for (int i = 0; i < 4; ++i) {
            Lengths const r{draw.up_to(2), draw.up_to(250), draw.up_to(40)};
            Given const request(with_request(base, r));
            auto const latency = request.metric("latency", Fidelity::cycle).value;
            auto const interval = request.metric("latency");
            auto const all = served(cycle, r);
            EXPECT_GE(all.end, interval.lower);
            EXPECT_LE(all.end, interval.upper);
            worst = std::max(worst, std::abs(all.end / latency - 1.0));
        }
    }
    EXPECT_LT(worst, 1e-3);
}

TEST(Step, costs_more_with_more_work) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        auto settings = random_design(seed, {"tree", "serial"});
        // More of the reprogramming of adapters is hidden by longer prompts.
        std::erase_if(settings.list, [](Setting const& one) { return one.first.starts_with("lora"); });
        settings.list.emplace_back("lora_rank", "0");
        Given const g(settings);
        auto const made = g.architecture.engine(g.inputs, g.point, Fidelity::analytic);
        if (!std::holds_alternative<ServiceEngine>(made)) continue;
        auto const& law = std::get<ServiceEngine>(made).law;
        double const idle = std::get<ServiceEngine>(made).idle_power;
        Drawing draw(seed);
        for (int i = 0; i < 8; ++i) {
            auto const work = random_work(draw);
            auto const cost = law.one(work);
            EXPECT_GE(cost.joules, idle * cost.seconds);
            auto const expect_more = [&](StepWork const& more) {
                auto const now = law.one(more);
                EXPECT_GE(now.seconds, cost.seconds * (1.0 - 1e-12)) << seed << " " << i;
                EXPECT_GE(now.joules, cost.joules * (1.0 - 1e-12)) << seed << " " << i;
            };
            auto more = work;
            more.contexts.push_back(33);
            ++more.heads;
            expect_more(more);
            more = work;
            if (!more.contexts.empty()) more.contexts.front() += 5;
            expect_more(more);
            more = work;
            if (!more.chunks.empty()) more.chunks.back().tokens += 3;
            expect_more(more);
            more = work;
            if (!more.chunks.empty() && more.chunks.front().cached > 0) more.chunks.front().cached += 3;
            expect_more(more);
            auto chunks = work, tokens = work;
            chunks.contexts.clear();
            tokens.chunks.clear();
            tokens.heads = static_cast<std::int64_t>(tokens.contexts.size());
            chunks.heads = work.heads - tokens.heads;
            if (chunks.chunks.empty() || tokens.contexts.empty()) continue;
            // The prompts hold fewer queries beside more keys.
            double const apart = law.one(chunks).seconds + law.one(tokens).seconds;
            EXPECT_GE(cost.seconds, std::max(law.one(chunks).seconds, law.one(tokens).seconds) * (1.0 - 1e-12));
            if (g.design.context_tile > 1) continue;
            EXPECT_LE(cost.seconds, apart * (1.0 + 1e-12)) << seed << " " << i;
        }
    }
}

/// A round against a pipeline that runs: every sequence returns to the first layer when its token is there.
TEST(Step, without_prompts_is_a_round_of_the_pipeline) {
    Given const g({{"llm", "opt-125m"}, {"lora_rank", "0"}});
    auto const law = engine_of(g, Fidelity::analytic).law;
    auto const layers = static_cast<std::size_t>(g.design.model->layers);
    Drawing draw(3);
    for (int tried = 0; tried < 30; ++tried) {
        StepWork work;
        std::vector<double> times;
        for (std::int64_t i = draw.up_to(30); i > 0; --i) {
            work.contexts.push_back(1 + draw.up_to(1500));
            times.push_back(law.one({{}, {work.contexts.back()}, 1}).seconds / static_cast<double>(layers));
        }
        work.heads = static_cast<std::int64_t>(work.contexts.size());
        std::vector<double> free(layers, 0.0), ready(times.size(), 0.0);
        constexpr int rounds = 400;
        double half = 0.0, now = 0.0;
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < times.size(); ++i) {
                now = ready[i];
                for (auto& layer : free) layer = now = std::max(now, layer) + times[i];
                ready[i] = now;
            }
            if (round == rounds / 2 - 1) half = now;
        }
        double const steady = (now - half) / (rounds / 2.0);
        EXPECT_NEAR(law.one(work).seconds, steady, 2e-3 * steady);
    }
}

TEST(Step, fills_the_pipeline_as_passes_one_after_another_do) {
    Drawing draw(5);
    for (int tried = 0; tried < 40; ++tried) {
        std::vector<std::size_t> const alike{static_cast<std::size_t>(draw.up_to(20))};
        LayerPipeline closed(alike, false), walked(alike, true);
        for (std::int64_t i = draw.up_to(12); i > 0; --i) {
            double const time = static_cast<double>(draw.up_to(1000));
            closed.follow({{time}}, 0.0);
            walked.follow({{time}}, 0.0);
        }
        EXPECT_DOUBLE_EQ(closed.end(), walked.end());
    }
}

/// Two parts of a prompt: the second one attends to the first, but keys of the second do not return to queries of the
/// first, and each part ends with a token that nothing hides.
TEST(Step, of_a_part_of_a_prompt_attends_to_what_is_cached) {
    Given const g({{"llm", "llama-2-13b"}, {"lora_rank", "0"}});
    auto const law = engine_of(g, Fidelity::analytic).law;
    double const whole = law.one(prompts(1, 2048)).seconds, first = law.one(prompts(1, 1024)).seconds,
                 second = law.one(prompts(1, 1024, 1024)).seconds;
    EXPECT_GT(second, first);
    EXPECT_LT(second, whole - first + law.one(tokens_at(1, 1024)).seconds);
    EXPECT_GT(first + second, 0.8 * whole);
    // A part of one token is a decoded token.
    auto const last = law.one(prompts(1, 1, 1024)), token = law.one(tokens_at(1, 1025));
    EXPECT_NEAR(last.seconds, token.seconds, near(token.seconds));
    EXPECT_NEAR(last.joules, token.joules, 1e-3 * token.joules);  // its keys travel as those of a prompt
}

TEST(Step, is_refused_where_the_machine_is_made_for_one_request) {
    auto const rule = [](Settings const& settings) {
        auto const broken = broken_step_rule(Given(settings).design);
        return broken ? broken->reason : "";
    };
    EXPECT_EQ(rule({}), "");
    EXPECT_EQ(rule({{"schedule", "tree"}}), "");
    EXPECT_EQ(rule({{"placement", "genes"}}), "");
    for (Settings const& settings :
         {Settings{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"lora_targets", "q"}}, Settings{{"draft", "3"}},
          Settings{{"schedule", "searched"}}, Settings{{"placement", "searched"}}, Settings{{"placement", "judged"}},
          Settings{{"hubs", "searched"}}, Settings{{"dynamic_products", "hybrid"}},
          Settings{{"dynamic_products", "shared"}}, Settings{{"scores", "kept"}}, Settings{{"controller", "unrolled"}},
          Settings{{"weight_load", "once"}}}) {
        EXPECT_NE(rule(settings), "") << settings.list.back().second;
        Given const g(settings);
        auto const made = g.architecture.engine(g.inputs, g.point, Fidelity::analytic);
        ASSERT_TRUE(std::holds_alternative<Infeasible>(made));
        EXPECT_EQ(std::get<Infeasible>(made).rule, "traffic");
    }
    // What no request can have is refused as evaluate does.
    Given const none({{"llm", "deepseek-v3"}});
    auto const latent = none.architecture.engine(none.inputs, none.point, Fidelity::analytic);
    EXPECT_EQ(std::get<Infeasible>(latent).rule, "latent_attention");
}

/// All denoising steps of a block are the passes of a batch: their first one finds the layers empty.
TEST(Step, of_denoised_blocks_are_a_batch) {
    for (char const* schedule : {"serial", "tree"})
        for (char const* cache : {"none", "dual", "prefix"})
            for (char const* batch : {"1", "3"}) {
                Given const g({{"llm", "llada-8b"},
                               {"schedule", schedule},
                               {"model_cache", cache},
                               {"generation", "diffusion"},
                               {"lm_head", "counted"},
                               {"input", "12"},
                               {"output", "5"},
                               {"block_length", "5"},
                               {"steps", "3"},
                               {"batch", batch}});
                for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
                    auto const engine = std::get<ServiceEngine>(g.architecture.engine(g.inputs, g.point, fidelity));
                    EXPECT_EQ(engine.tokens_per_step, 5);
                    sim::serving::StepWork work;
                    for (std::int64_t i = 0; i < g.design.batch; ++i)
                        work.chunks.push_back({.tokens = 12, .cached = 0, .ahead = 5});
                    work.heads = g.design.batch;
                    auto const cost = engine.law.one(work);
                    SCOPED_TRACE(std::string(schedule) + " " + cache + " " + batch);
                    double const latency = g.metric("latency", fidelity).value;
                    double const energy = g.metric("energy", fidelity).value;
                    EXPECT_NEAR(cost.seconds, latency, 1e-9 * latency);
                    EXPECT_NEAR(cost.joules, energy, 1e-9 * energy);
                    EXPECT_NEAR(cost.first_tokens, g.metric("ttft", fidelity).value, 1e-9 * latency);
                    EXPECT_LE(engine.min_seconds(work), cost.seconds);
                }
            }
}

/// The cache takes what the capacity rule of evaluate allows: one position more does not fit.
TEST(Step, cache_fills_the_scratchpads) {
    for (auto const& settings :
         {Settings{{"llm", "llama-3.2-1b"}}, Settings{{"llm", "llama-2-13b"}, {"kv_pool", "colocated"}},
          Settings{{"llm", "opt-125m"}, {"machine", "leap-d"}, {"scratchpad", "4096"}},
          Settings{{"llm", "qwen3-30b-a3b"}, {"scratchpad", "4096"}}}) {
        Given const g(settings);
        auto const engine = engine_of(g, Fidelity::analytic);
        double const positions = engine.cache_bytes / engine.position_bytes;
        auto const whole = static_cast<std::int64_t>(positions);
        EXPECT_EQ(static_cast<double>(whole), positions);
        auto const fits = [&](std::int64_t context) {
            return std::holds_alternative<Metrics>(Given(with_request(settings, {1, context - 1, 1})).outcome());
        };
        EXPECT_GT(whole, 2);
        EXPECT_TRUE(fits(whole));
        EXPECT_FALSE(fits(whole + 1));
    }
    Given const leap({{"machine", "leap-a"}});
    EXPECT_EQ(engine_of(leap, Fidelity::analytic).max_sequences, 2);
    Given const small_pool({{"llm", "llama-2-13b"}, {"scratchpad", "256"}});
    auto const made = small_pool.architecture.engine(small_pool.inputs, small_pool.point, Fidelity::analytic);
    EXPECT_EQ(std::get<Infeasible>(made).rule, "kv_pool");
}

/// Request of a batch do not matter, and neither do threads: a table of tokens has the same costs in any order.
TEST(Step, does_not_depend_on_the_request_of_the_point) {
    Given const one({{"batch", "1"}, {"input", "10"}, {"output", "5"}}),
        other({{"batch", "7"}, {"input", "500"}, {"output", "90"}});
    auto const a = engine_of(one, Fidelity::analytic), b = engine_of(other, Fidelity::analytic);
    Drawing draw(9);
    for (int i = 0; i < 20; ++i) {
        auto const work = random_work(draw);
        EXPECT_EQ(a.law.one(work).seconds, b.law.one(work).seconds);
        EXPECT_EQ(a.law.one(work).joules, b.law.one(work).joules);
    }
    EXPECT_EQ(a.cache_bytes, b.cache_bytes);
    EXPECT_EQ(a.idle_power, b.idle_power);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::step_test
