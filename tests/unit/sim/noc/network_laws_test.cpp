#include "sim/base/check.hpp"
#include "sim/noc/open_loop.hpp"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <map>

namespace pimdse::sim::noc::test::network_laws_test {
namespace {

bool operator_equal(OpenLoopResult const& a, OpenLoopResult const& b) {
    return a.latency == b.latency && a.network_latency == b.network_latency && a.accepted == b.accepted &&
           a.hops == b.hops && a.longest == b.longest && a.packets == b.packets && a.cycles == b.cycles;
}

OpenLoop overload(Mesh mesh, int flits) {
    OpenLoop request;
    request.mesh = mesh;
    request.packet_flits = flits;
    request.load = 0.6;  // more than twice the saturation of an 8 x 8 mesh
    request.patience = 0;
    return request;
}

/// Every node sends to hashed destinations for `cycles`; then the network drains. Checks conservation and bounds in
/// every cycle.
void drive_and_drain(Mesh mesh, int flits, Cycle cycles, double packets_per_cycle) {
    RouterTiming const timing;
    Network network(mesh, timing);
    std::int64_t made = 0;
    auto const check = [&] {
        ASSERT_LE(network.ejected_flits(), made * flits);
        ASSERT_EQ(network.idle(), network.ejected_flits() == made * flits);
        ASSERT_LE(network.deepest_fifo(), timing.fifo_flits);
        for (Node node = 0; node < mesh.nodes(); ++node) {
            for (Port const port : {Port::north, Port::east, Port::south, Port::west}) {
                if (!mesh.has_link(node, port)) continue;
                ASSERT_GE(network.credits(node, port), 0);
                ASSERT_LE(network.credits(node, port), timing.fifo_flits);
            }
        }
    };
    while (network.now() < cycles) {
        auto const now = static_cast<std::uint64_t>(network.now());
        for (Node node = 0; node < mesh.nodes(); ++node) {
            auto const random = hashed(now, static_cast<std::uint64_t>(node));
            if (static_cast<double>(random >> 32U) < packets_per_cycle * 0x1p32) {
                network.unicast(node, destination(Traffic::uniform, mesh, node, hashed(random, 1)), flits);
                ++made;
            }
        }
        network.advance(network.now() + 1);
        network.forget_arrivals();
        if (now % 97 == 0) check();
    }
    while (!network.idle()) {
        network.advance(network.now() + 1000);
        ASSERT_FALSE(network.stuck());
        network.forget_arrivals();
    }
    check();
    for (Node node = 0; node < mesh.nodes(); ++node) {
        for (Port const port : {Port::north, Port::east, Port::south, Port::west}) {
            if (!mesh.has_link(node, port)) continue;
            ASSERT_GE(network.credits(node, port), timing.fifo_flits - 1);
        }
    }
}

TEST(NetworkLaws, conserves_flits_and_keeps_fifos_and_credits_in_bounds) {
    drive_and_drain({8, 8}, 4, 5'000, 0.05);
    drive_and_drain({8, 8}, 32, 5'000, 0.02);
    drive_and_drain({4, 6}, 1, 5'000, 0.9);
}

TEST(NetworkLaws, delivers_in_order_between_every_pair) {
    Mesh const mesh{5, 5};
    Network network(mesh, {});
    std::map<std::pair<Node, Node>, std::vector<MessageId>> sent, got;
    std::map<MessageId, std::pair<Node, Node>> pair_of;
    auto const collect = [&] {
        for (auto const& arrival : network.arrivals()) got[pair_of.at(arrival.message)].push_back(arrival.message);
        network.forget_arrivals();
    };
    // Message numbers are reused after arrival, so all packets are queued before the first can arrive.
    for (int i = 0; i < 2'000; ++i) {
        auto const from = static_cast<Node>(hashed(3, static_cast<std::uint64_t>(i)) % 25),
                   to = static_cast<Node>(hashed(4, static_cast<std::uint64_t>(i)) % 25);
        MessageId const id = network.unicast(from, to, 1 + i % 7);
        sent[{from, to}].push_back(id);
        pair_of[id] = {from, to};
    }
    while (!network.idle()) {
        network.advance(network.now() + 1);
        collect();
    }
    EXPECT_EQ(got, sent);
}

TEST(NetworkLaws, does_not_lock_up_in_a_million_cycles_at_twice_saturation) {
    auto request = overload({4, 4}, 4);
    request.load = 1.2;
    request.warmup = 500'000;
    request.measured = 500'000;
    auto const second_half = run(request);
    request.warmup = 0;
    request.measured = 50'000;
    EXPECT_NEAR(second_half.accepted / run(request).accepted, 1.0, 0.05);
    auto const wide = overload({8, 8}, 32);
    EXPECT_GT(run(wide).accepted, 0.24);
}

TEST(NetworkLaws, gives_the_same_bits_for_the_same_seed_on_any_number_of_threads) {
    std::vector<OpenLoop> requests;
    for (int i = 0; i < 8; ++i) {
        OpenLoop request;
        request.packet_flits = i % 2 == 0 ? 1 : 4;
        request.load = 0.05 + 0.02 * i;
        request.measured = 10'000;
        request.seed = static_cast<std::uint64_t>(i % 4);
        requests.push_back(request);
    }
    std::vector<OpenLoopResult> alone(requests.size()), together(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) alone[i] = run(requests[i]);
    tbb::parallel_for(std::size_t{0}, requests.size(), [&](std::size_t i) { together[i] = run(requests[i]); });
    for (std::size_t i = 0; i < requests.size(); ++i) EXPECT_TRUE(operator_equal(alone[i], together[i])) << i;
    auto other = requests[0];
    other.seed = 17;
    EXPECT_FALSE(operator_equal(alone[0], run(other)));
}

TEST(NetworkLaws, accepts_what_is_offered_below_saturation) {
    for (auto const traffic : {Traffic::uniform, Traffic::transpose, Traffic::bitcomp, Traffic::neighbor}) {
        OpenLoop request;
        request.traffic = traffic;
        request.packet_flits = 4;
        request.load = 0.08;
        auto const result = run(request);
        EXPECT_TRUE(result.drained);
        EXPECT_NEAR(result.accepted / result.offered, 1.0, 0.01) << name_of(traffic);
    }
}

TEST(NetworkLaws, refuses_loads_and_patterns_that_cannot_be) {
    OpenLoop request;
    request.load = 0.0;
    EXPECT_THROW((void)run(request), InputError);
    request.load = 1.5;
    EXPECT_THROW((void)run(request), InputError);
    request.load = 0.1;
    request.mesh = {4, 8};
    request.traffic = Traffic::transpose;
    EXPECT_THROW((void)run(request), InputError);
    request.mesh = {3, 3};
    request.traffic = Traffic::bitcomp;
    EXPECT_THROW((void)run(request), InputError);
}

}  // namespace
}  // namespace pimdse::sim::noc::test::network_laws_test
