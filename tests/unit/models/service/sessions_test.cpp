#include "models/service/scheduler_parameters.hpp"
#include "models/service/service.hpp"
#include "serving_machine.hpp"
#include "tests/unit/refused.hpp"

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
    for (auto const& [name, value] : more) {
        std::erase_if(keys, [&](auto const& key) { return key.first == name; });
        keys.emplace_back(name, value);
    }
    return drawn("2 1/s", 120, keys);
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
    auto const refusal = [](Settings const& keys) { return refusal_by([&] { (void)drawn("2 1/s", 10, keys); }); };
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

/// A board with so little room for keys that most are evicted, and so much memory of its host.
ServingMachine board_and_host(std::string const& memory, Settings const& more = {}) {
    return ServingMachine(PIMDSE_TEST_DATA "/machines/h100_host.toml", with({{"llm", "llama-3.2-1b"},
                                                                             {"host_memory", memory},
                                                                             {"scheduler.prefix_cache", "on"},
                                                                             {"scheduler.cache_tokens", "6000"}},
                                                                            more));
}

TEST(Tiers, give_back_what_the_cache_evicts) {
    auto const traffic = talks();
    auto const none_there = board_and_host("0").served(traffic), large = board_and_host("64 GiB").served(traffic);
    EXPECT_GT(none_there.schedule.evictions, 0);
    EXPECT_EQ(none_there.summary.fetched_share, 0.0);
    EXPECT_EQ(none_there.settings.tier.units, 0);
    EXPECT_GT(large.summary.fetched_share, 0.0);
    EXPECT_LT(large.schedule.computed, none_there.schedule.computed);
    EXPECT_LT(large.summary.ttft->mean, none_there.summary.ttft->mean);
    // 16 layers with 8 heads of 64 in 16 bits: keys and values of 16 tokens.
    EXPECT_EQ(large.settings.tier.unit_bytes, 16.0 * 16 * 2 * 8 * 64 * 2);
    EXPECT_EQ(large.summary.tier_bytes, static_cast<double>(large.schedule.moved_units) * 16 * 16 * 2 * 8 * 64 * 2);
    EXPECT_EQ(large.settings.tier.units, std::int64_t{64} * 1024 * 1024 * 1024 / (16 * 16 * 2 * 8 * 64 * 2));
}

TEST(Tiers, are_asked_only_where_they_are_faster) {
    auto const traffic = talks();
    auto const at = [&](char const* rate, char const* reuse) {
        return board_and_host("64 GiB", {{"host_rate", rate}, {"scheduler.reuse", reuse}}).served(traffic);
    };
    auto const none_there = board_and_host("0").served(traffic);
    EXPECT_EQ(at("100 kB/s", "auto").schedule.requests, none_there.schedule.requests);
    EXPECT_EQ(at("55 GB/s", "compute").schedule.requests, none_there.schedule.requests);
    EXPECT_GT(at("10 MB/s", "fetch").summary.ttft->mean, none_there.summary.ttft->mean);
    // A request decides as if it were alone.
    EXPECT_LT(at("55 GB/s", "auto").summary.ttft->mean, 1.05 * at("55 GB/s", "fetch").summary.ttft->mean);
}

/// Power and price of the memory are those of the machine, also of one that is sold as a whole.
TEST(Tiers, cost_joules_and_dollars) {
    auto traffic = talks();
    traffic.required = true;  // no largest rate is sought
    Settings const standby{{"host_standby", "0.1 W"}};
    auto const none_there = board_and_host("0", standby), large = board_and_host("100 GiB", standby);
    constexpr double gib = 1024.0 * 1024 * 1024;
    EXPECT_NEAR(large.value(traffic, "cost") - none_there.value(traffic, "cost"), 100 * gib * 4e-9, 1e-6);
    EXPECT_NEAR(large.value(traffic, "idle_power") - none_there.value(traffic, "idle_power"), 10.0, 1e-9);
    EXPECT_NEAR(large.value(traffic, "embodied_carbon") - none_there.value(traffic, "embodied_carbon"),
                100 * gib * 1e-10, 1e-6);
    auto const with_peak_power = large.metrics(traffic), without = none_there.metrics(traffic);
    // Steps that are only considered draw nothing.
    EXPECT_LT(large.of(with_peak_power, "peak_power").value, none_there.of(without, "peak_power").value + 20.0);
}

/// A block of banks with a layout of its own is written and read again there when it moves; with one layout for both it
/// only moves.
TEST(Tiers, change_the_layout_of_blocks_at_the_pace_of_the_banks) {
    auto const traffic = talks();
    auto const at = [&](char const* relayouts, char const* reuse) {
        return ServingMachine(PIMDSE_TEST_DATA "/machines/lpddr5x_pim_tier.toml", {{"llm", "llama-3.2-1b"},
                                                                                   {"relayouts", relayouts},
                                                                                   {"scheduler.reuse", reuse},
                                                                                   {"scheduler.prefix_cache", "on"},
                                                                                   {"scheduler.cache_tokens", "6000"}})
            .served(traffic);
    };
    auto const same = at("0", "fetch"), other = at("1", "fetch"), twice = at("2", "fetch");
    auto const &none = same.settings.tier, &one = other.settings.tier, &two = twice.settings.tier;
    EXPECT_DOUBLE_EQ(none.fetch_seconds, none.unit_bytes / 20e9) << "the link alone";
    EXPECT_NEAR(two.fetch_seconds - one.fetch_seconds, one.fetch_seconds - none.fetch_seconds, 1e-15);
    EXPECT_NEAR(two.store_joules - one.store_joules, one.store_joules - none.store_joules, 1e-15);
    // Four channels of 16 pins at 9600 MT/s, which a stream attains nearly; each byte is written and read.
    double const peak = 4 * 2 * 9.6e9;
    EXPECT_GT(one.fetch_seconds - none.fetch_seconds, 2.0 * one.unit_bytes / peak);
    EXPECT_LT(one.fetch_seconds - none.fetch_seconds, 2.5 * one.unit_bytes / peak);
    EXPECT_GT(one.fetch_joules, none.fetch_joules);
    EXPECT_GT(same.schedule.fetched, 0);
    EXPECT_GT(other.summary.ttft->mean, same.summary.ttft->mean);
    // Where that takes longer than computing, blocks are computed.
    EXPECT_EQ(at("100000", "auto").schedule.requests, at("0", "compute").schedule.requests);
}

/// Keys that the banks multiply have the layout of a baseline: where the NPU, which moves blocks to the storage, has
/// another one, each block is read and written in the memory, too.
TEST(Tiers, of_umdam_cost_what_the_layout_of_the_baseline_says) {
    auto const traffic = talks();
    auto const at = [&](char const* baseline, char const* attention, char const* capacity = "17179869184") {
        return ServingMachine("umdam", {{"llm", "llama-3.2-1b"},
                                        {"baseline", baseline},
                                        {"attention", attention},
                                        {"tier_capacity", capacity},
                                        {"scheduler.reuse", "fetch"},
                                        {"scheduler.prefix_cache", "on"},
                                        {"scheduler.cache_tokens", "6000"}})
            .served(traffic);
    };
    auto const shared = at("umdam", "pim"), moved = at("relayout", "pim"), of_npu = at("relayout", "npu");
    auto const &one = shared.settings.tier, &other = moved.settings.tier;
    EXPECT_DOUBLE_EQ(one.fetch_seconds, one.unit_bytes / 4.2e9) << "the storage alone";
    EXPECT_DOUBLE_EQ(one.store_seconds, one.unit_bytes / 2.8e9);
    EXPECT_DOUBLE_EQ(one.fetch_joules, one.unit_bytes * 8 * 40e-12);
    EXPECT_EQ(one.units, static_cast<std::int64_t>(17179869184.0 / one.unit_bytes));
    // Four channels of 16 pins at 6400 MT/s; a block is read and written.
    double const more = other.fetch_seconds - one.fetch_seconds, least = 2.0 * one.unit_bytes / 51.2e9;
    EXPECT_GT(more, least);
    EXPECT_LT(more, 1.5 * least);
    EXPECT_NEAR(other.store_seconds - one.store_seconds, more, 1e-15);
    EXPECT_GT(other.fetch_joules, one.fetch_joules);
    EXPECT_EQ(of_npu.settings.tier.fetch_seconds, one.fetch_seconds) << "keys that the NPU reads are in its layout";
    EXPECT_GT(shared.schedule.fetched, 0);
    EXPECT_GT(moved.schedule.fetched, 0);
    EXPECT_EQ(at("umdam", "pim", "0").settings.tier.units, 0);
}

/// Each of two boards has its half of the keys, and its own link.
TEST(Tiers, of_several_boards_move_together) {
    auto const tier_of = [](char const* devices) {
        return board_and_host("16 GiB", {{"devices", devices}, {"link", "pcie5"}}).served(talks()).settings.tier;
    };
    auto const one = tier_of("1"), two = tier_of("2");
    EXPECT_EQ(two.units, 2 * one.units);
    EXPECT_DOUBLE_EQ(two.fetch_seconds, one.fetch_seconds / 2);
    EXPECT_DOUBLE_EQ(two.fetch_joules, one.fetch_joules);
}

/// Sessions that differ only in what their times and tokens have to do with each other are not one traffic.
TEST(Talks, are_told_apart_by_their_past) {
    ServingMachine const machine("gpu", with(board, {{"scheduler.prefix_cache", "on"}}));
    auto const value = [&](Settings const& more, char const* metric) {
        auto traffic = talks(more);
        traffic.required = true;  // no largest rate is sought
        return machine.value(traffic, metric);
    };
    EXPECT_GT(value({{"traffic.session.think", "90 s"}}, "makespan"), value({}, "makespan") + 60.0);
    EXPECT_LT(value({{"traffic.session.share", "0"}}, "reused_share"), value({}, "reused_share"));
}

/// What both machines keep need not move; what a request has of its own does.
TEST(Pairs, move_what_the_other_machine_misses) {
    auto traffic = talks();
    for (auto& request : traffic.load.requests) request.parent = sim::serving::ServiceRequest::none;
    std::ranges::stable_sort(traffic.load.requests, {}, &sim::serving::ServiceRequest::arrival);
    auto const of = [&](char const* prefixes, char const* cache = "on") {
        return ServingMachine("pair:gpu:gpu", {{"llm", "llama-3.2-1b"},
                                               {"link", "eth100"},
                                               {"prefixes", prefixes},
                                               {"scheduler.prefix_cache", cache}})
            .served(traffic);
    };
    auto const one = of("prefill"), both = of("both");
    std::int64_t asked = 0;
    for (auto const& request : traffic.load.requests) asked += request.output > 1 ? request.input : 0;
    EXPECT_EQ(one.schedule.received, 0);
    EXPECT_GT(both.schedule.received, 0);
    EXPECT_LT(4 * both.schedule.received, 3 * asked);
    EXPECT_LT(both.schedule.joules, one.schedule.joules);
    EXPECT_EQ(both.schedule.reused, one.schedule.reused);
    EXPECT_EQ(of("both", "off").schedule, of("prefill", "off").schedule);
}

/// Turns come back to the machine that computed the prompts before; what the other machine keeps need not move again.
TEST(Pairs, serve_sessions) {
    auto const traffic = talks();
    auto const of = [&](char const* prefixes, char const* cache) {
        return ServingMachine("pair:gpu:gpu", {{"llm", "llama-3.2-1b"},
                                               {"link", "eth100"},
                                               {"decode_machines", "2"},
                                               {"prefixes", prefixes},
                                               {"scheduler.prefix_cache", cache}})
            .served(traffic);
    };
    auto const off = of("prefill", "off"), one = of("prefill", "on"), both = of("both", "on");
    std::int64_t asked = 0, moved = 0;
    for (auto const& request : traffic.load.requests) {
        asked += request.input;
        moved += request.output > 1 ? request.input : 0;
    }
    for (auto const* served : {&off, &one, &both}) {
        EXPECT_EQ(served->schedule.computed + served->schedule.reused, asked);
        EXPECT_EQ(served->summary.served, 120);
        for (std::size_t i = 0; i < traffic.load.requests.size(); ++i) {
            auto const& request = traffic.load.requests[i];
            if (request.parent == sim::serving::ServiceRequest::none) continue;
            auto const& times = served->schedule.requests;
            EXPECT_EQ(times[i].arrival, times[request.parent].last_token + request.after);
        }
    }
    EXPECT_EQ(off.schedule.reused, 0);
    EXPECT_GT(one.summary.reused_share, 0.4);
    EXPECT_LT(one.summary.ttft->mean, off.summary.ttft->mean);
    EXPECT_GT(both.schedule.received, 0);
    EXPECT_LT(2 * both.schedule.received, moved);
    // Users of a closed loop think, too.
    auto closed = traffic;
    closed.load.concurrency = 3;
    auto const found = ServingMachine("pair:gpu:gpu", {{"llm", "llama-3.2-1b"}}).served(closed);
    EXPECT_EQ(found.summary.served, 120);
    std::int64_t at_once = 0;
    for (auto const& times : found.schedule.requests) at_once += times.arrival == 0.0 ? 1 : 0;
    EXPECT_EQ(at_once, 3);
}

/// A pair serves no multiple of what one machine serves, and no fewer sessions with more machines.
TEST(Pairs, have_a_largest_rate_of_sessions) {
    auto const traffic =
        talks({{"slo.tpot", "50 ms"}, {"traffic.session.think", "0.05 s"}, {"traffic.requests", "40"}});
    auto const rate = [&](char const* architecture, Settings const& more) {
        return ServingMachine(architecture, with({{"llm", "llama-3.2-1b"}, {"scheduler.prefix_cache", "on"}}, more))
            .value(traffic, "max_rate");
    };
    double const one = rate("pair:gpu:gpu", {}), two = rate("pair:gpu:gpu", {{"decode_machines", "2"}});
    EXPECT_GT(one, 2.0);
    EXPECT_GE(two * 1.02, one);
    EXPECT_LT(one, 3.0 * rate("gpu", {}));
}

TEST(Talks, of_blocks_of_diffusion_are_refused) {
    Settings const denoising{{"llm", "llada-8b"}, {"scope", "end_to_end"}, {"scheduler.prefix_cache", "on"}};
    ServingMachine const diffusion("dplena", denoising);
    auto const whole_blocks = read_traffic_keys(
        {{"traffic.rate", "1 1/s"}, {"traffic.requests", "5"}, {"traffic.input", "50"}, {"traffic.output", "32"}});
    EXPECT_EQ(diffusion.rule(whole_blocks), "prefix_cache");
}

}  // namespace
}  // namespace pimdse::models::service::test::sessions_test
