#include "sim/noc/closed_form.hpp"
#include "sim/noc/open_loop.hpp"
#include "tests/unit/sim/noc/reference_network.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>

namespace pimdse::sim::noc::test::network_test {
namespace {

struct Packet {
    Cycle created;
    Node source, destination;
    int flits;
};

/// Random packets of mixed lengths over some cycles.
std::vector<Packet> random_packets(Mesh mesh, std::uint64_t seed, int count, Cycle over, int longest) {
    std::vector<Packet> packets;
    for (int i = 0; i < count; ++i) {
        auto const draw = [&](std::uint64_t what, std::uint64_t below) {
            return hashed(seed * 7 + what, static_cast<std::uint64_t>(i)) % below;
        };
        auto const nodes = static_cast<std::uint64_t>(mesh.nodes());
        packets.push_back({static_cast<Cycle>(draw(1, static_cast<std::uint64_t>(over))),
                           static_cast<Node>(draw(2, nodes)), static_cast<Node>(draw(3, nodes)),
                           1 + static_cast<int>(draw(4, static_cast<std::uint64_t>(longest)))});
    }
    std::stable_sort(packets.begin(), packets.end(),
                     [](Packet const& a, Packet const& b) { return a.created < b.created; });
    return packets;
}

std::map<int, Cycle> arrivals_of(Mesh mesh, RouterTiming timing, std::vector<Packet> const& packets) {
    Network network(mesh, timing);
    std::map<int, Cycle> arrivals;
    std::map<MessageId, int> alive;
    std::size_t next = 0;
    while (next < packets.size() || !network.idle()) {
        while (next < packets.size() && packets[next].created == network.now()) {
            auto const& p = packets[next];
            alive[network.unicast(p.source, p.destination, p.flits)] = static_cast<int>(next++);
        }
        network.advance(next < packets.size() ? packets[next].created : network.now() + 1000);
        for (auto const& arrival : network.arrivals()) arrivals[alive.at(arrival.message)] = arrival.arrived;
        network.forget_arrivals();
    }
    return arrivals;
}

std::map<int, Cycle> reference_arrivals(Mesh mesh, RouterTiming timing, std::vector<Packet> const& packets) {
    ReferenceNetwork network(mesh, timing);
    std::size_t next = 0;
    for (Cycle now = 0; next < packets.size() || !network.idle(); ++now) {
        for (; next < packets.size() && packets[next].created == now; ++next) {
            network.unicast(static_cast<int>(next), packets[next].source, packets[next].destination,
                            packets[next].flits);
        }
        network.step();
    }
    return network.arrivals();
}

TEST(Network, gives_every_arrival_of_the_slow_reference) {
    struct Case {
        Mesh mesh;
        int fifo, longest, count;
        Cycle over;
    };
    std::uint64_t seed = 1;
    for (auto const& c : {Case{{4, 4}, 16, 1, 600, 200}, Case{{4, 4}, 16, 8, 300, 300}, Case{{8, 8}, 16, 32, 400, 400},
                          Case{{3, 7}, 4, 12, 200, 100}, Case{{5, 2}, 1, 5, 100, 300}, Case{{1, 6}, 2, 9, 80, 50},
                          Case{{6, 6}, 7, 20, 300, 1}, Case{{8, 8}, 3, 3, 1500, 300}}) {
        for (int repeat = 0; repeat < 5; ++repeat, ++seed) {
            RouterTiming timing;
            timing.fifo_flits = c.fifo;
            auto const packets = random_packets(c.mesh, seed, c.count, c.over, c.longest);
            ASSERT_EQ(arrivals_of(c.mesh, timing, packets), reference_arrivals(c.mesh, timing, packets))
                << "seed " << seed;
        }
    }
}

TEST(Network, gives_every_arrival_of_the_slow_reference_with_other_delays) {
    RouterTiming timing;
    timing.traversal = 2;
    timing.injection = 4;
    auto const packets = random_packets({5, 5}, 99, 400, 300, 10);
    EXPECT_EQ(arrivals_of({5, 5}, timing, packets), reference_arrivals({5, 5}, timing, packets));
}

TEST(Network, takes_six_cycles_and_four_per_hop_between_all_pairs) {
    Mesh const mesh{8, 8};
    for (Node from = 0; from < mesh.nodes(); ++from) {
        for (Node to = 0; to < mesh.nodes(); ++to) {
            auto const arrivals = arrivals_of(mesh, {}, {{0, from, to, 1}});
            ASSERT_EQ(arrivals.at(0), 6 + 4 * mesh.distance(from, to)) << from << " to " << to;
        }
    }
}

TEST(Network, takes_a_cycle_per_flit_behind_the_head) {
    for (int const flits : {1, 2, 16, 17, 32, 100}) {
        EXPECT_EQ(arrivals_of({8, 8}, {}, {{0, 0, 63, flits}}).at(0), closed_form::unicast({}, 14, flits)) << flits;
    }
}

TEST(Network, streams_without_a_gap_from_a_fifo_of_the_credit_round_trip_and_not_below) {
    RouterTiming timing;
    timing.fifo_flits = static_cast<std::int32_t>(closed_form::credit_round_trip(timing));
    EXPECT_EQ(arrivals_of({1, 4}, timing, {{0, 0, 3, 64}}).at(0), closed_form::unicast(timing, 3, 64));
    timing.fifo_flits -= 1;
    EXPECT_GT(arrivals_of({1, 4}, timing, {{0, 0, 3, 64}}).at(0), closed_form::unicast(timing, 3, 64));
}

TEST(Network, keeps_an_output_one_cycle_longer_than_the_flits) {
    // Two packets from one node to one destination: the second arrives P + 1 cycles after the first.
    for (int const flits : {1, 4, 32}) {
        auto const arrivals = arrivals_of({2, 4}, {}, {{0, 0, 3, flits}, {0, 0, 3, flits}});
        EXPECT_EQ(arrivals.at(1) - arrivals.at(0), flits + 1);
    }
}

TEST(Network, needs_27_cycles_on_an_idle_8x8_and_48_and_a_half_on_a_16x16) {
    for (auto const& [side, mean] : {std::pair{8, 27.0}, std::pair{16, 48.5}}) {
        for (int const flits : {1, 4, 32}) {
            OpenLoop request;
            request.mesh = {side, side};
            request.packet_flits = flits;
            request.load = 0.0005;
            request.measured = side == 8 ? 4'000'000 : 1'000'000;
            auto const result = run(request);
            // The random effect of the sample is its mean distance; after subtracting it, only a few collisions remain.
            double const hops = side == 8 ? 5.25 : 10.625;
            EXPECT_NEAR(result.latency.value() - 4.0 * (result.hops.value() - hops), mean + flits - 1,
                        0.005 * (mean + flits))
                << side << " " << flits;
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::noc::test::network_test
