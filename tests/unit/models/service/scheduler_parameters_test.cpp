#include "models/service/scheduler_parameters.hpp"

#include "models/contract/validation.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::service::test::scheduler_parameters_test {
namespace {

sim::serving::SchedulerSettings settings(ServiceEngine const& engine,
                                         std::vector<std::pair<std::string, std::string>> const& given) {
    auto table = scheduler_parameters();
    return settings_of(point_with(table, given), engine);
}

ServiceEngine engine_with(double bytes) {
    ServiceEngine engine;
    engine.cache_bytes = bytes;
    engine.position_bytes = 100.0;
    return engine;
}

TEST(SchedulerParameters, share_the_memory_beside_the_weights) {
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {}).blocks, 92);
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.memory_share", "1"}}).blocks, 100);
    EXPECT_EQ(settings(engine_with(0.0), {}).blocks, 0);
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.block_tokens", "1"}}).blocks, 1472);
}

TEST(SchedulerParameters, may_say_the_size_of_the_cache_if_it_fits) {
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.cache_tokens", "320"}}).blocks, 20);
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.cache_tokens", "99999"}}).blocks, 100);
}

TEST(SchedulerParameters, give_a_sequence_blocks_for_its_state) {
    auto engine = engine_with(100.0 * 16 * 100);
    engine.state_bytes = 100.0 * 16 * 2.5;
    EXPECT_EQ(settings(engine, {}).state_blocks, 3);
    EXPECT_EQ(settings(engine, {}).blocks, 92);
    engine.position_bytes = 0.0;  // no layer has keys: a state and a block without bytes
    auto const states = settings(engine, {{"scheduler.memory_share", "1"}});
    EXPECT_EQ(states.blocks / (states.state_blocks + 1), 40);
}

TEST(SchedulerParameters, are_limited_by_the_engine) {
    auto engine = engine_with(1e6);
    engine.max_sequences = 8;
    engine.max_context = 77;
    engine.tokens_per_step = 64;
    auto const found =
        settings(engine, {{"scheduler.max_batched_tokens", "10"}, {"scheduler.policy", "shortest_prompt"}});
    EXPECT_EQ(found.max_sequences, 8);
    EXPECT_EQ(found.max_context, 77);
    EXPECT_EQ(found.max_batched_tokens, 64) << "room for a block of tokens";
    EXPECT_EQ(found.policy, sim::serving::AdmissionOrder::shortest_prompt);
}

TEST(SchedulerParameters, may_keep_a_place_for_whole_outputs) {
    auto const found = settings(engine_with(1e6), {{"scheduler.policy", "no_eviction"}});
    EXPECT_TRUE(found.reserves_output);
    EXPECT_EQ(found.policy, sim::serving::AdmissionOrder::fcfs);
    EXPECT_FALSE(settings(engine_with(1e6), {{"scheduler.policy", "fcfs"}}).reserves_output);
}

/// vLLM's defaults of an API server, by the memory of a device.
TEST(SchedulerParameters, follow_the_memory_of_a_device_unless_they_are_given) {
    constexpr double gib = 1 << 30;
    struct Default {
        double memory;
        std::int64_t tokens, sequences;
    };
    for (auto const& row : {Default{0.0, 2048, 256}, Default{24 * gib, 2048, 256}, Default{69.9 * gib, 2048, 256},
                            Default{70 * gib, 8192, 1024}, Default{80e9, 8192, 1024}, Default{141e9, 8192, 1024},
                            Default{160 * gib, 16384, 1024}, Default{192e9, 16384, 1024}}) {
        auto engine = engine_with(1e6);
        engine.device_memory = row.memory;
        EXPECT_EQ(settings(engine, {}).max_batched_tokens, row.tokens) << row.memory;
        EXPECT_EQ(settings(engine, {}).max_sequences, row.sequences) << row.memory;
        auto const given = settings(engine, {{"scheduler.max_sequences", "7"}, {"scheduler.max_batched_tokens", "99"}});
        EXPECT_EQ(given.max_batched_tokens, 99);
        EXPECT_EQ(given.max_sequences, 7);
    }
}

/// Weights and cache together take a share of the memory: with 75 of 100 positions' room taken by weights, 0.92 of the
/// memory leaves 17.
TEST(SchedulerParameters, share_all_of_the_memory_where_the_engine_says_how_much_it_is) {
    auto engine = engine_with(100.0 * 16 * 25);
    engine.memory_over_cache = 4.0;
    EXPECT_EQ(settings(engine, {}).blocks, 17);
    EXPECT_EQ(settings(engine, {{"scheduler.memory_share", "1"}}).blocks, 25);
    EXPECT_EQ(settings(engine, {{"scheduler.memory_share", "0.7"}}).blocks, 0) << "the weights exceed the share";
}

/// 52 of 62 layers with a window of 1,024: blocks of 5 parts that grow and 26 that end to.
TEST(SchedulerParameters, divide_blocks_among_layers_with_windows) {
    auto engine = engine_with(8192.0 * 62 * 16 * 100);
    engine.position_bytes = 8192.0 * 62;
    engine.windows = {{1024, 8192.0 * 52}};
    auto const found = settings(engine, {{"scheduler.memory_share", "1"}});
    EXPECT_EQ(found.position_blocks, 5);
    ASSERT_EQ(found.windows.size(), 1U);
    EXPECT_EQ(found.windows[0].blocks, 26);
    EXPECT_EQ(found.windows[0].positions, 1024);
    EXPECT_EQ(found.blocks, 3100);
    EXPECT_EQ(sim::serving::blocks_for(found, 100'000), 5 * 6250 + 26 * 64);
    EXPECT_EQ(kept_positions(engine, 1000), 1000.0);
    EXPECT_NEAR(kept_positions(engine, 100'000), (10.0 * 100'000 + 52.0 * 1024) / 62.0, 1e-6);
}

}  // namespace
}  // namespace pimdse::models::service::test::scheduler_parameters_test
