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
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {}).blocks, 90);
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.memory_share", "1"}}).blocks, 100);
    EXPECT_EQ(settings(engine_with(0.0), {}).blocks, 0);
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.block_tokens", "1"}}).blocks, 1440);
}

TEST(SchedulerParameters, may_say_the_size_of_the_cache_if_it_fits) {
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.cache_tokens", "320"}}).blocks, 20);
    EXPECT_EQ(settings(engine_with(100.0 * 16 * 100), {{"scheduler.cache_tokens", "99999"}}).blocks, 100);
}

TEST(SchedulerParameters, give_a_sequence_blocks_for_its_state) {
    auto engine = engine_with(100.0 * 16 * 100);
    engine.state_bytes = 100.0 * 16 * 2.5;
    EXPECT_EQ(settings(engine, {}).state_blocks, 3);
    EXPECT_EQ(settings(engine, {}).blocks, 90);
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
    EXPECT_EQ(settings(engine, {{"scheduler.max_batched_tokens", "0"}}).max_batched_tokens, 0);
}

}  // namespace
}  // namespace pimdse::models::service::test::scheduler_parameters_test
