#include "sim/noc/phase.hpp"
#include "sim/base/check.hpp"
#include "sim/noc/closed_form.hpp"
#include "sim/noc/open_loop.hpp"

#include "tests/unit/sim/noc/links_of.hpp"
#include "tests/unit/sim/noc/random_walk.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::sim::noc::test::phase_test {
namespace {

/// The same message from one port to one node after the other; `hops` in the order of sending.
Cycle serial_broadcast(RouterTiming const& t, std::span<int const> hops, int flits) {
    Cycle latest = 0;
    for (std::size_t i = 0; i < hops.size(); ++i) {
        Cycle const sent = static_cast<Cycle>(i + 1) * (flits + 1);
        latest = std::max(latest, sent + closed_form::fixed(t) + closed_form::per_hop(t) * hops[i] - 2);
    }
    return latest;
}

/// Splits trees into phases in which no two trees share a link, first fit in the given order. Each phase then takes
/// exactly its alone() time.
std::vector<Phase> disjoint_phases(Mesh mesh, std::vector<PhaseMessage> messages) {
    std::vector<Phase> phases;
    std::vector<std::vector<bool>> used;
    for (auto& message : messages) {
        auto const links = links_of(mesh, message);
        auto const free_in = [&](std::vector<bool> const& taken) {
            return std::none_of(links.begin(), links.end(),
                                [&](std::int32_t link) { return taken[static_cast<std::size_t>(link)]; });
        };
        std::size_t at = 0;
        while (at < phases.size() && !free_in(used[at])) ++at;
        if (at == phases.size()) {
            phases.emplace_back();
            used.emplace_back(static_cast<std::size_t>(mesh.nodes()) * (ports + 1), false);
        }
        for (auto const link : links) used[at][static_cast<std::size_t>(link)] = true;
        phases[at].messages.push_back(std::move(message));
    }
    return phases;
}

PhaseMessage random_message(Mesh mesh, std::uint64_t seed) {
    auto const nodes = static_cast<std::uint64_t>(mesh.nodes());
    auto const flits = static_cast<std::int32_t>(1 + draw(seed, 501, 48));
    auto const path = random_walk(mesh, seed, 2 + draw(seed, 502, 20));
    switch (draw(seed, 500, 5)) {
        case 0:
            return Unicast{static_cast<Node>(draw(seed, 503, nodes)), static_cast<Node>(draw(seed, 504, nodes)), flits};
        case 1: {
            std::vector<Node> members;
            for (std::uint64_t i = 0; i < 1 + draw(seed, 505, 12); ++i)
                members.push_back(static_cast<Node>(draw(seed, 600 + i, nodes)));
            return Broadcast{Tree::xy(mesh, static_cast<Node>(draw(seed, 506, nodes)), members), flits};
        }
        case 2:
            return Reduction{Tree::path(mesh, path, draw(seed, 507, path.size())), flits};
        case 3: {
            std::vector<Node> members;
            for (std::uint64_t i = 0; i < 1 + draw(seed, 505, 12); ++i)
                members.push_back(static_cast<Node>(draw(seed, 600 + i, nodes)));
            return Reduction{Tree::xy(mesh, static_cast<Node>(draw(seed, 506, nodes)), members), flits};
        }
        default:
            return Chain{path, flits, 2.0 + 0.01 * static_cast<double>(draw(seed, 508, 300)),
                         static_cast<std::int64_t>(draw(seed, 509, 100))};
    }
}

TEST(Phase, of_one_message_takes_its_closed_form_in_200_random_cases) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Mesh const mesh{static_cast<std::int32_t>(2 + draw(seed, 1, 9)),
                        static_cast<std::int32_t>(2 + draw(seed, 2, 9))};
        auto message = random_message(mesh, seed);
        if (auto const* chain = std::get_if<Chain>(&message); chain != nullptr && chain->path.size() < 2) continue;
        Phase const phase{{message}, 1};
        ASSERT_EQ(simulate(mesh, {}, phase).cycles, alone(mesh, {}, phase))
            << "seed " << seed << ", kind " << message.index();
    }
}

TEST(Phase, of_messages_that_share_no_link_takes_the_slowest_alone) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Mesh const mesh{8, 10};
        std::vector<PhaseMessage> messages;
        for (std::uint64_t i = 0; i < 12; ++i) {
            auto message = random_message(mesh, seed * 100 + i);
            if (auto const* chain = std::get_if<Chain>(&message); chain == nullptr || chain->path.size() > 1)
                messages.push_back(std::move(message));
        }
        auto const count = messages.size();
        std::size_t placed = 0;
        for (auto const& phase : disjoint_phases(mesh, std::move(messages))) {
            placed += phase.messages.size();
            ASSERT_EQ(simulate(mesh, {}, phase).cycles, alone(mesh, {}, phase)) << "seed " << seed;
            std::multiset<std::int32_t> used;
            for (auto const& message : phase.messages) {
                for (auto const link : links_of(mesh, message)) used.insert(link);
            }
            ASSERT_EQ(used.size(), std::set<std::int32_t>(used.begin(), used.end()).size());
        }
        EXPECT_EQ(placed, count);
    }
}

TEST(Phase, with_contention_is_never_faster_than_alone_nor_than_its_busiest_port) {
    Mesh const mesh{6, 6};
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Phase phase;
        for (std::uint64_t i = 0; i < 40; ++i) {
            phase.messages.emplace_back(Unicast{static_cast<Node>(draw(seed, 3 * i, 36)),
                                                static_cast<Node>(draw(seed, 3 * i + 1, 36)),
                                                static_cast<std::int32_t>(1 + draw(seed, 3 * i + 2, 32))});
        }
        auto const result = simulate(mesh, {}, phase);
        auto const loads = link_loads(mesh, phase);
        EXPECT_GE(result.cycles, alone(mesh, {}, phase));
        EXPECT_GE(result.cycles, *std::max_element(loads.begin(), loads.end()));
    }
}

TEST(Phase, counts_flits_on_links_as_their_routes_say) {
    Mesh const mesh{5, 7};
    for (std::uint64_t seed = 300; seed < 340; ++seed) {
        auto message = random_message(mesh, seed);
        if (auto const* chain = std::get_if<Chain>(&message); chain != nullptr && chain->path.size() < 2) continue;
        Phase const phase{{message}, 1};
        std::int64_t expected = 0, busiest = 0;
        auto const loads = link_loads(mesh, phase);
        for (std::size_t i = 0; i < loads.size(); ++i) {
            if (static_cast<int>(i) % ports == index(Port::local)) continue;
            expected += loads[i];
            busiest = std::max(busiest, loads[i]);
        }
        auto const result = simulate(mesh, {}, phase);
        EXPECT_EQ(result.flit_hops, expected);
        EXPECT_EQ(result.busiest_link, busiest);
    }
}

TEST(Phase, repeats_a_broadcast_a_flit_time_and_a_cycle_apart) {
    Mesh const mesh{6, 6};
    auto const tree = Tree::xy(mesh, 7, std::vector<Node>{0, 3, 30, 35, 14});
    for (int const repeats : {1, 2, 5, 20}) {
        EXPECT_EQ(simulate(mesh, {}, {{Broadcast{tree, 12}}, repeats}).cycles,
                  closed_form::broadcast({}, tree.depth(), 12, repeats));
    }
}

TEST(Phase, repeats_a_reduction_a_flit_time_and_a_cycle_apart) {
    Mesh const mesh{1, 9};
    auto const tree = Tree::path(mesh, std::vector<Node>{0, 1, 2, 3, 4, 5, 6, 7, 8}, 4);
    auto const once = simulate(mesh, {}, {{Reduction{tree, 10}}, 1}).cycles;
    EXPECT_EQ(once, closed_form::reduction({}, 4, 10));
    EXPECT_EQ(simulate(mesh, {}, {{Reduction{tree, 10}}, 8}).cycles, once + 7 * 11);
}

TEST(Phase, sends_serial_unicasts_as_the_closed_form_says) {
    Mesh const mesh{8, 8};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Node const source = static_cast<Node>(draw(seed, 0, 64));
        auto const flits = static_cast<std::int32_t>(1 + draw(seed, 1, 40));
        Phase phase;
        std::vector<int> hops;
        for (std::uint64_t i = 0; i < 1 + draw(seed, 2, 15); ++i) {
            Node const to = static_cast<Node>(draw(seed, 10 + i, 64));
            phase.messages.emplace_back(Unicast{source, to, flits});
            hops.push_back(mesh.distance(source, to));
        }
        EXPECT_EQ(simulate(mesh, {}, phase).cycles, serial_broadcast({}, hops, flits)) << seed;
    }
}

TEST(Phase, chains_a_vector_at_its_flits_and_service_per_hop) {
    Mesh const mesh{32, 2};
    std::vector<Node> path;
    for (int row = 0; row < 32; ++row) path.push_back(mesh.at(row, 0));
    EXPECT_EQ(simulate(mesh, {}, {{Chain{path, 32, 2.0}}, 1}).cycles, 31 * 34);
    EXPECT_EQ(simulate(mesh, {}, {{Chain{path, 32, 2.3}}, 1}).cycles, 31 * 32 + 71);  // floor(31 x 2.3)
    EXPECT_THROW((void)simulate(mesh, {}, {{Chain{path, 32, 1.5}}, 1}), ContractViolation);
}

TEST(Phase, stretches_a_chain_through_a_fifo_below_the_credit_round_trip) {
    Mesh const mesh{1, 3};
    RouterTiming timing;
    auto const cycles = [&](int fifo) {
        timing.fifo_flits = fifo;
        return simulate(mesh, timing, {{Chain{{0, 1, 2}, 36, 2.0}}, 1}).cycles;
    };
    EXPECT_EQ(cycles(6), 2 * 38);
    EXPECT_EQ(cycles(16), 2 * 38);
    EXPECT_EQ(cycles(3), 2 * (36 * 2 - 3 + 2));  // three flits in six cycles, the last three without waiting
}

}  // namespace
}  // namespace pimdse::sim::noc::test::phase_test
