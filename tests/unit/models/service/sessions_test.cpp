#include "models/service/scheduler_parameters.hpp"
#include "models/service/service.hpp"
#include "serving_machine.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>

/// Requests with a past on whole machines.
namespace pimdse::models::service::test::sessions_test {
namespace {

Settings const board{{"device", "h100"}, {"llm", "llama-3.2-1b"}};
Settings with(Settings settings, Settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

Traffic talks(Settings const& more = {}) {
    Settings keys{{"traffic.session.turns", "geometric 4"}, {"traffic.session.think", "exponential 2 s"},
                  {"traffic.session.grows.input", "150"},   {"traffic.session.shared_prefix", "600"},
                  {"traffic.session.share", "0.8"},         {"slo.ttft", "10 s"}};
    return drawn("2 1/s", 120, with(keys, more));
}

TEST(Talks, are_drawn_with_their_rate_and_said) {
    auto const traffic = talks();
    ASSERT_EQ(traffic.load.requests.size(), 120U);
    EXPECT_NEAR(*sim::serving::rate_of(traffic.load), 2.0, 1e-12) << "sessions a second";
    EXPECT_NE(traffic.trace_text.find(" sessions, 2 sessions/s"), std::string::npos) << traffic.trace_text;
    EXPECT_NE(traffic.trace_text.find("a cache without end finds"), std::string::npos);
    ASSERT_TRUE(traffic.again);
    EXPECT_EQ(traffic.again(1).requests[77].input, traffic.load.requests[77].input);
    EXPECT_NE(traffic.again(2).requests[77].input, traffic.load.requests[77].input);
}

TEST(Talks, that_make_no_sense_are_refused) {
    auto const refusal = [](Settings const& keys) {
        try {
            (void)drawn("2 1/s", 10, keys);
        } catch (sim::InputError const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(refusal({{"traffic.session.think", "2 s"}}).find("traffic.session.turns"), std::string::npos);
    EXPECT_NE(refusal({{"traffic.session.turns", "2.5"}}).find("geometric = 2.5"), std::string::npos);
    EXPECT_NE(refusal({{"traffic.session.turns", "2"}, {"traffic.session.share", "0.5"}}).find("shared_prefix"),
              std::string::npos);
    EXPECT_NE(refusal({{"traffic.session.turns", "geometric x"}}).find("traffic.session.turns"), std::string::npos);
    EXPECT_NE(refusal({{"traffic.session.turns", "0"}}).find("traffic.session.turns"), std::string::npos);
}

/// What is not computed takes no energy and no time; the machine is the same.
TEST(Talks, save_what_is_reused) {
    for (auto const* name : {"gpu", "umdam"}) {
        Settings const model{{"llm", "llama-3.2-1b"}};
        ServingMachine const off(name, with(model, {{"scheduler.prefix_cache", "off"}}));
        ServingMachine const on(name, with(model, {{"scheduler.prefix_cache", "on"}}));
        auto const traffic = talks();
        auto const before = off.served(traffic), after = on.served(traffic);
        EXPECT_EQ(before.schedule.reused, 0) << name;
        EXPECT_EQ(before.summary.reused_share, 0.0);
        EXPECT_GT(after.summary.reused_share, 0.4) << name;
        EXPECT_LT(after.schedule.computed, before.schedule.computed);
        EXPECT_LT(after.schedule.busy, before.schedule.busy) << name;
        EXPECT_LT(after.summary.ttft->mean, before.summary.ttft->mean) << name;
        EXPECT_LT(on.value(traffic, "energy_per_good_token"), off.value(traffic, "energy_per_good_token")) << name;
        EXPECT_EQ(on.value(traffic, "silicon"), off.value(traffic, "silicon"));
        EXPECT_EQ(on.value(traffic, "reused_share"), after.summary.reused_share);
        EXPECT_GT(on.value(traffic, "max_rate"), 0.0);
    }
}

TEST(Talks, without_a_cache_are_found_as_without_a_past) {
    // Requests that share nothing have the same figures, on or off.
    auto const traffic = drawn("20 1/s", 80);
    ServingMachine const off("gpu", board), on("gpu", with(board, {{"scheduler.prefix_cache", "on"}}));
    auto const a = off.metrics(traffic), b = on.metrics(traffic);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (applies(a[i])) {
            EXPECT_EQ(a[i].value, b[i].value) << off.table()[i].name;
        }
}

TEST(Talks, of_models_with_states_go_on_from_copies_of_them) {
    auto const units = [](ServiceEngine const& engine, Settings const& settings) {
        auto parameters = scheduler_parameters();
        return settings_of(point_with(parameters, settings), engine).prefix_units;
    };
    ServiceEngine engine;
    engine.cache_bytes = 1e6;
    engine.position_bytes = 10.0;
    Settings on{{"scheduler.prefix_cache", "on"}, {"scheduler.memory_share", "1"}};
    EXPECT_EQ(units(engine, {}).tokens, 0) << "off";
    EXPECT_EQ(units(engine, on).tokens, 16);
    EXPECT_EQ(units(engine, on).blocks, 1);
    engine.windows = {{64, 4.0}};
    // 3 of 5 parts keep all positions.
    EXPECT_EQ(units(engine, on).tokens, 16);
    EXPECT_EQ(units(engine, on).blocks, 3 + 2);
    engine.state_bytes = 320.0;
    on.emplace_back("scheduler.state_every", "100");
    EXPECT_EQ(units(engine, on).tokens, 112);
    EXPECT_EQ(units(engine, on).blocks, 3 * 7 + 2 * 4 + 10) << "seven blocks, a window of four, and a state";
    engine.windows.clear();
    engine.position_bytes = 0.0;
    EXPECT_EQ(units(engine, on).tokens, 100);
    EXPECT_EQ(units(engine, on).blocks, 2);
}

TEST(Talks, of_pairs_and_of_blocks_of_diffusion_are_refused) {
    Settings const denoising{{"llm", "llada-8b"}, {"scope", "end_to_end"}, {"scheduler.prefix_cache", "on"}};
    ServingMachine const diffusion("dplena", denoising);
    auto const whole_blocks = read_traffic_keys(
        {{"traffic.rate", "1 1/s"}, {"traffic.requests", "5"}, {"traffic.input", "50"}, {"traffic.output", "32"}});
    EXPECT_EQ(diffusion.rule(whole_blocks), "prefix_cache");
    ServingMachine const pair("pair:gpu:gpu", {{"llm", "llama-3.2-1b"}, {"scheduler.prefix_cache", "on"}});
    EXPECT_EQ(pair.rule(talks()), "traffic");
    auto apart = talks();
    for (auto& request : apart.load.requests) request.parent = sim::serving::ServiceRequest::none;
    std::ranges::stable_sort(apart.load.requests, {}, &sim::serving::ServiceRequest::arrival);
    EXPECT_GT(pair.served(apart).schedule.reused, 0) << "the machine that computes prompts keeps them";
}

}  // namespace
}  // namespace pimdse::models::service::test::sessions_test
