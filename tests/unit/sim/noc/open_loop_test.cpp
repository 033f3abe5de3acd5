#include "sim/noc/open_loop.hpp"
#include "sim/noc/closed_form.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <random>

namespace pimdse::sim::noc::open_loop_test {
namespace {

using ::testing::HasSubstr;

OpenLoop small_loop() {
    OpenLoop loop;
    loop.mesh = {4, 5};
    loop.packet_flits = 3;
    loop.load = 0.05;
    loop.warmup = 500;
    loop.measured = 4000;
    loop.patience = 20'000;
    return loop;
}

TEST(OpenLoop, without_contention_takes_the_closed_form_of_its_mean_hops) {
    auto loop = small_loop();
    loop.load = 1e-3;  // one packet of any node in 150 cycles
    loop.measured = 400'000;
    auto const result = run(loop);
    ASSERT_GT(result.packets, 1000);
    EXPECT_TRUE(result.drained);
    double const alone = static_cast<double>(closed_form::unicast(loop.timing, 0, loop.packet_flits)) +
                         static_cast<double>(closed_form::per_hop(loop.timing)) * result.hops.value();
    EXPECT_GE(result.latency.value(), alone - 1e-9);
    EXPECT_LT(result.latency.value(), alone * 1.02);
}

TEST(OpenLoop, of_uniform_traffic_has_the_mean_distance_and_the_load_it_was_given) {
    auto loop = small_loop();
    loop.measured = 60'000;
    for (double const load : {0.02, 0.1, 0.2}) {
        loop.load = load;
        auto const result = run(loop);
        double distance = 0.0;  // a node may send to itself
        for (Node from = 0; from < loop.mesh.nodes(); ++from) {
            for (Node to = 0; to < loop.mesh.nodes(); ++to) distance += loop.mesh.distance(from, to);
        }
        distance /= static_cast<double>(loop.mesh.nodes()) * loop.mesh.nodes();
        EXPECT_NEAR(result.hops.value(), distance, 0.03 * distance);
        EXPECT_NEAR(result.offered, load, 0.05 * load);
        EXPECT_NEAR(result.accepted, result.offered, 0.02 * load) << "everything that is created arrives";
        EXPECT_TRUE(result.drained);
    }
}

TEST(OpenLoop, waits_longer_the_more_there_is_to_send) {
    auto loop = small_loop();
    double before = 0.0;
    for (double const load : {0.01, 0.1, 0.3, 0.5}) {
        loop.load = load;
        auto const result = run(loop);
        EXPECT_GT(result.latency.value(), before);
        EXPECT_GE(result.latency.value(), result.network_latency.value() + (load > 0.4 ? 1.0 : 0.0))
            << "packets queue at their nodes";
        EXPECT_GE(static_cast<double>(result.longest.value()), result.latency.value());
        EXPECT_LE(result.deepest_fifo, loop.timing.fifo_flits);
        before = result.latency.value();
    }
}

TEST(OpenLoop, beyond_saturation_accepts_no_more_and_says_that_it_did_not_drain) {
    auto loop = small_loop();
    loop.load = 3.0;  // every node creates a packet in every cycle
    loop.patience = 100;
    auto const result = run(loop);
    EXPECT_FALSE(result.drained);
    EXPECT_EQ(result.packets, loop.measured * loop.mesh.nodes());
    EXPECT_EQ(result.offered, 3.0);
    EXPECT_LT(result.accepted, 1.0);
    EXPECT_EQ(result.cycles, loop.warmup + loop.measured + loop.patience);
    loop.load = 2.5;
    EXPECT_NEAR(run(loop).accepted, result.accepted, 0.02);
}

/// Against the throughput of a network that is offered all it could carry.
TEST(OpenLoop, says_that_it_is_saturated_above_what_it_accepts_and_only_there) {
    std::mt19937 random(8);
    for (int i = 0; i < tests::draws(40, 6); ++i) {
        OpenLoop loop;
        loop.mesh = {2 + static_cast<std::int32_t>(random() % 5), 2 + static_cast<std::int32_t>(random() % 5)};
        loop.packet_flits = 1 + static_cast<std::int32_t>(random() % 8);
        loop.timing.fifo_flits = 4 + static_cast<std::int32_t>(random() % 28);
        loop.traffic = i % 3 == 0 ? Traffic::neighbor : Traffic::uniform;
        loop.warmup = i % 2 == 0 ? 0 : 3'000;
        loop.measured = 20'000;
        loop.patience = 0;
        loop.load = loop.packet_flits;
        auto const full = run(loop);
        EXPECT_EQ(full.saturated, full.accepted < 0.99 * full.offered);
        for (double const share : {0.01, 0.2, 0.5}) {
            loop.load = share * full.accepted;
            EXPECT_EQ(run(loop).saturated, false) << loop.load << " of " << full.accepted;
        }
        loop.load = 1.3 * full.accepted;
        if (loop.load >= loop.packet_flits) continue;
        EXPECT_EQ(run(loop).saturated, true) << loop.load;
    }
    auto brief = small_loop();
    brief.measured = 100;
    EXPECT_EQ(run(brief).saturated, std::nullopt) << "it may still fill up";
}

TEST(OpenLoop, may_have_patience_without_end) {
    auto loop = small_loop();
    loop.patience = std::numeric_limits<Cycle>::max();
    EXPECT_TRUE(run(loop).drained);
}

TEST(OpenLoop, is_the_same_for_the_same_seed_and_another_for_another) {
    auto loop = small_loop();
    auto const one = run(loop), again = run(loop);
    loop.seed = 2;
    auto const other = run(loop);
    EXPECT_EQ(one.latency, again.latency);
    EXPECT_EQ(one.packets, again.packets);
    EXPECT_NE(one.latency, other.latency);
}

TEST(OpenLoop, of_next_to_no_load_ends_without_a_packet) {
    auto loop = small_loop();
    loop.load = std::numeric_limits<double>::min();
    auto const result = run(loop);
    EXPECT_EQ(result.packets, 0);
    EXPECT_FALSE(result.latency || result.network_latency || result.hops || result.longest) << "there is no mean";
    EXPECT_EQ(result.cycles, loop.warmup + loop.measured);
    EXPECT_TRUE(result.drained);
}

TEST(OpenLoop, without_warm_up_counts_from_the_first_cycle) {
    auto loop = small_loop();
    loop.warmup = 0;
    loop.measured = 1;
    loop.load = 3.0;
    auto const result = run(loop);
    EXPECT_EQ(result.packets, loop.mesh.nodes());
    EXPECT_TRUE(result.drained);
}

template <class Change>
std::string refusal(Change change) {
    auto loop = small_loop();
    change(loop);
    return refusal_by([&] { (void)run(loop); }, "accepted");
}

TEST(OpenLoop, says_what_is_out_of_range) {
    EXPECT_THAT(refusal([](auto& l) { l.packet_flits = 0; }), says("packet-no-flits"));
    EXPECT_THAT(refusal([](auto& l) { l.packet_flits = 65537; }), HasSubstr("(at most 65536)"));
    for (double const load : {0.0, -0.1, 3.1, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THAT(refusal([=](auto& l) { l.load = load; }), says("out-range-node-creates"));
    EXPECT_THAT(refusal([](auto& l) { l.measured = 0; }), HasSubstr("0 cycles after 500"));
    EXPECT_THAT(refusal([](auto& l) { l.warmup = -1; }), says("after-warm-up"));
    EXPECT_THAT(refusal([](auto& l) { l.measured = max_cycles + 1; }), HasSubstr("out of range"));
    EXPECT_THAT(refusal([](auto& l) { l.timing.fifo_flits = 0; }), HasSubstr("FIFOs of 0 flits"));
    EXPECT_THAT(refusal([](auto& l) { l.timing.fifo_flits = 2049; }), HasSubstr("FIFOs of 2049 flits"));
    EXPECT_THAT(refusal([](auto& l) { l.mesh = {0, 4}; }), HasSubstr("a mesh of 0 x 4"));
    EXPECT_THAT(refusal([](auto& l) { l.mesh = {4, 1025}; }), HasSubstr("a mesh of 4 x 1025"));
    EXPECT_THAT(refusal([](auto& l) {
                    l.mesh = {1024, 1024}, l.timing.fifo_flits = 33;
                }),
                says("places-flits-most-gib"));
    EXPECT_EQ(why_not({1024, 1024}, RouterTiming{.fifo_flits = 16}), "");
}

TEST(OpenLoop, refuses_patterns_that_the_mesh_does_not_have) {
    auto const refused = [](Traffic traffic, Mesh mesh) {
        return refusal([=](auto& l) { l.traffic = traffic, l.mesh = mesh; });
    };
    EXPECT_EQ(refused(Traffic::uniform, {3, 5}), "accepted");
    EXPECT_THAT(refused(Traffic::transpose, {3, 5}), says("no-transpose-traffic-mesh"));
}

}  // namespace
}  // namespace pimdse::sim::noc::open_loop_test
