#include "models/chips/links.hpp"

#include "models/chips/measured_rows.hpp"
#include "models/contract/toml_file.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pimdse::models::chips::test::links_test {
namespace {

ChipLink plain(Topology topology) {
    ChipLink link;
    link.topology = topology;
    link.bandwidth = sim::Bandwidth{100e9};
    link.step = sim::Time{1e-6};
    return link;
}

/// Who has contributed to each part of the vector of each device: the slow reference of a sum.
using Parts = std::vector<std::vector<std::vector<int>>>;  // [device][part][contributor] = times

Parts own_parts(int n) {
    Parts parts(
        static_cast<std::size_t>(n),
        std::vector<std::vector<int>>(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(n))));
    for (int device = 0; device < n; ++device)
        for (auto& part : parts[static_cast<std::size_t>(device)]) part[static_cast<std::size_t>(device)] = 1;
    return parts;
}

bool all_summed(Parts const& parts) {
    for (auto const& device : parts)
        for (auto const& part : device)
            if (std::any_of(part.begin(), part.end(), [](int times) { return times != 1; })) return false;
    return true;
}

struct Walked {
    int steps = 0;
    int parts_sent = 0;  ///< by every device
    bool summed = false;
};

/// A ring, step by step: n - 1 steps that add a part to the next device's, n - 1 that pass the sums on.
Walked walk_ring(int n) {
    auto parts = own_parts(n);
    auto const at = [n](int i) { return static_cast<std::size_t>((i % n + n) % n); };
    Walked walked;
    for (int step = 0; step < 2 * (n - 1); ++step) {
        auto const before = parts;
        bool const adds = step < n - 1;
        for (int device = 0; device < n; ++device) {
            auto const part = at(adds ? device - step : device - step + n);
            auto& there = parts[at(device + 1)][part];
            auto const& here = before[at(device)][part];
            for (std::size_t i = 0; i < here.size(); ++i) there[i] = adds ? there[i] + here[i] : here[i];
        }
        ++walked.steps;
        ++walked.parts_sent;
    }
    walked.summed = all_summed(parts);
    return walked;
}

/// Halving and doubling among n = 2^k devices.
Walked walk_halving(int n) {
    auto parts = own_parts(n);
    Walked walked;
    std::vector<int> first(static_cast<std::size_t>(n), 0);
    int length = n;
    for (int distance = n / 2; distance >= 1; distance /= 2) {
        auto const before = parts;
        length /= 2;
        for (int device = 0; device < n; ++device) {
            int const partner = device ^ distance;
            auto& mine = first[static_cast<std::size_t>(device)];
            if ((device & distance) != 0) mine += length;
            for (int part = mine; part < mine + length; ++part) {
                for (int i = 0; i < n; ++i)
                    parts[static_cast<std::size_t>(device)][static_cast<std::size_t>(part)]
                         [static_cast<std::size_t>(i)] +=
                        before[static_cast<std::size_t>(partner)][static_cast<std::size_t>(part)]
                              [static_cast<std::size_t>(i)];
            }
        }
        ++walked.steps;
        walked.parts_sent += length;
    }
    for (int distance = 1; distance < n; distance *= 2) {
        auto const before = parts;
        auto const starts = first;
        for (int device = 0; device < n; ++device) {
            int const partner = device ^ distance;
            int const theirs = starts[static_cast<std::size_t>(partner)];
            for (int part = theirs; part < theirs + length; ++part)
                parts[static_cast<std::size_t>(device)][static_cast<std::size_t>(part)] =
                    before[static_cast<std::size_t>(partner)][static_cast<std::size_t>(part)];
            first[static_cast<std::size_t>(device)] = std::min(starts[static_cast<std::size_t>(device)], theirs);
        }
        walked.parts_sent += length;
        length *= 2;
        ++walked.steps;
    }
    walked.summed = all_summed(parts);
    return walked;
}

TEST(Links, a_sum_around_a_ring_takes_what_a_walk_of_its_parts_takes) {
    auto const link = plain(Topology::ring);
    for (int n = 2; n <= 17; ++n) {
        auto const walked = walk_ring(n);
        ASSERT_TRUE(walked.summed) << n;
        auto const cost = exchange(link, Collective::all_reduce, n, 1e6);
        EXPECT_DOUBLE_EQ(cost.steps, walked.steps) << n;
        EXPECT_NEAR(cost.sent, walked.parts_sent * 1e6 / n, 1e-3) << n;
        EXPECT_NEAR(cost.seconds, walked.steps * 1e-6 + cost.sent / 100e9, 1e-12) << n;
    }
}

TEST(Links, halving_takes_what_a_walk_of_its_parts_takes) {
    auto const link = plain(Topology::by_switch);
    for (int n : {2, 4, 8, 16, 32}) {
        auto const walked = walk_halving(n);
        ASSERT_TRUE(walked.summed) << n;
        auto const cost = exchange(link, Collective::all_reduce, n, 1e3, Starter::host);  // small
        EXPECT_EQ(cost.algorithm, n == 2 ? "ring" : "halving") << n;
        EXPECT_DOUBLE_EQ(cost.steps, walked.steps) << n;
        EXPECT_NEAR(cost.sent, walked.parts_sent * 1e3 / n, 1e-9) << n;
    }
}

/// Bytes on the busiest link and on all links if every device sends a part to every other one, by their routes.
struct Loads {
    double busiest = 0.0, all = 0.0;
};
Loads loads_on_grid(std::int64_t rows, std::int64_t cols, double bytes) {
    auto const n = rows * cols;
    std::vector<std::array<double, 4>> links(static_cast<std::size_t>(n));
    double const part = bytes / static_cast<double>(n);
    Loads loads;
    for (std::int64_t from = 0; from < n; ++from) {
        for (std::int64_t to = 0; to < n; ++to) {
            auto at = from;
            while (at != to) {
                auto const dx = to % cols - at % cols, dy = to / cols - at / cols;
                std::size_t const port = dx > 0 ? 0 : dx < 0 ? 1 : dy > 0 ? 2 : 3;
                links[static_cast<std::size_t>(at)][port] += part;
                loads.all += part;
                at += port == 0 ? 1 : port == 1 ? -1 : port == 2 ? cols : -cols;
            }
        }
    }
    for (auto const& router : links)
        loads.busiest = std::max(loads.busiest, *std::max_element(router.begin(), router.end()));
    return loads;
}

TEST(Links, all_to_all_loads_the_busiest_link_of_a_grid_as_its_routes_do) {
    for (std::int64_t n = 2; n <= 40; ++n) {
        auto const [rows, cols] = grid_of(n);
        ASSERT_EQ(rows * cols, n);
        ASSERT_LE(rows, cols);
        auto const loads = loads_on_grid(rows, cols, 1e6);
        auto const cost = exchange(plain(Topology::mesh), Collective::all_to_all, n, 1e6);
        EXPECT_NEAR(cost.sent, loads.busiest, 1e-3) << rows << " x " << cols;
        EXPECT_NEAR(cost.all_sent, loads.all, 1e-2) << rows << " x " << cols;
    }
}

TEST(Links, all_to_all_on_a_ring_takes_the_shorter_way) {
    for (std::int64_t n = 2; n <= 20; ++n) {
        double hops = 0.0;
        for (std::int64_t to = 1; to < n; ++to) hops += static_cast<double>(std::min(to, n - to));
        auto const cost = exchange(plain(Topology::ring), Collective::all_to_all, n, 1e6);
        EXPECT_NEAR(cost.all_sent, hops * 1e6, 1e-3) << n;
        EXPECT_NEAR(cost.sent, hops * 1e6 / static_cast<double>(n), 1e-3) << n;
    }
}

TEST(Links, laws_of_every_topology_and_collective) {
    for (auto const topology : {Topology::ring, Topology::by_switch, Topology::full, Topology::mesh}) {
        auto const link = plain(topology);
        auto infinite = link;
        infinite.bandwidth = sim::Bandwidth{1e30};
        infinite.step = sim::Time{0.0};
        for (std::size_t c = 0; c < collective_names.size(); ++c) {
            auto const collective = static_cast<Collective>(c);
            for (std::int64_t n : {1, 2, 3, 4, 6, 8, 12, 16, 24, 64}) {
                double before = -1.0;
                for (double const bytes : {0.0, 1.0, 1e3, 1e6, 1e9}) {
                    auto const cost = exchange(link, collective, n, bytes);
                    auto const name = std::string(topology_names[static_cast<std::size_t>(topology)]) + " " +
                                      std::string(collective_names[c]) + " " + std::to_string(n);
                    EXPECT_GE(cost.seconds, before) << name;  // more data never take less time
                    before = cost.seconds;
                    EXPECT_GE(cost.all_sent * (1.0 + 1e-12), cost.sent > 0.0 ? bytes / static_cast<double>(n) : 0.0)
                        << name;
                    EXPECT_NEAR(exchange(infinite, collective, n, bytes).seconds, 0.0, 1e-18) << name;
                    if (n == 1) {
                        EXPECT_EQ(cost.seconds, 0.0);
                        EXPECT_EQ(cost.all_sent, 0.0);
                        continue;
                    }
                    // No device can send, or receive, faster than all its wires.
                    auto const parts = static_cast<double>(n);
                    double const least = collective == Collective::send || collective == Collective::broadcast
                                             ? bytes
                                             : (parts - 1.0) / parts * bytes;
                    EXPECT_GE(cost.seconds * 100e9, least * (1.0 - 1e-12)) << name;
                    // A sum that all get takes a sum of parts and a gathering, or less; a host's library no less
                    // than a program.
                    double const both = exchange(link, Collective::reduce_scatter, n, bytes).seconds +
                                        exchange(link, Collective::all_gather, n, bytes).seconds;
                    if (collective == Collective::all_reduce) {
                        EXPECT_LE(cost.seconds, both * (1.0 + 1e-9)) << name;
                    }
                    EXPECT_GE(exchange(link, collective, n, bytes, Starter::host).seconds, cost.seconds) << name;
                }
            }
        }
    }
}

// 8 A100, 32 MiB: a start of 7 us, 14 steps of 1.1 us, 15 us to fill buffers, 2 x 7/8 x 33.55 MB at 0.7 x 300 GB/s:
// 7 + 15.4 + 15 + 279.6 us.
TEST(Links, by_hand) {
    auto const link = load_link(0);
    auto const cost = exchange(link, Collective::all_reduce, 8, 33554432.0, Starter::host);
    EXPECT_EQ(cost.algorithm, "ring");
    EXPECT_NEAR(cost.seconds, 317.0e-6, 0.1e-6);
    EXPECT_NEAR(cost.all_sent, 8.0 * 1.75 * 33554432.0, 1.0);
    // Within a program a start of 2.3 us and four steps are enough, and two for few bytes, which go in packets.
    EXPECT_NEAR(exchange(link, Collective::all_reduce, 8, 33554432.0).seconds, 301.3e-6, 0.1e-6);
    auto const small = exchange(link, Collective::all_reduce, 8, 8192.0);
    EXPECT_EQ(small.algorithm, "one pass");
    EXPECT_NEAR(small.seconds, 4.5e-6 + 7.0 * 8192.0 / (0.5 * 300e9), 1e-9);
}

/// Boards that read all vectors in one pass move more and wait less than boards that add parts. Measured on eight A100:
/// 5.7, 11.4 and 21.7 us (AIConfigurator's tables, 2026).
TEST(Links, small_sums_of_boards_take_one_pass) {
    auto const link = load_link(link_kind("nvlink3"));
    auto const sum = [&](int devices, double bytes) { return exchange(link, Collective::all_reduce, devices, bytes); };
    for (int const devices : {3, 4, 8})
        for (double bytes = 512.0; bytes < 1e9; bytes *= 2.0) {
            auto const parts = static_cast<double>(devices), others = parts - 1.0;
            auto const cost = sum(devices, bytes);
            bool const once = cost.algorithm == "one pass";
            EXPECT_EQ(cost.steps, once ? 2.0 : 4.0) << devices << " " << bytes;
            EXPECT_NEAR(cost.sent, others * bytes * (once ? 1.0 : 2.0 / parts), 1e-6) << devices << " " << bytes;
            EXPECT_NEAR(cost.all_sent, parts * cost.sent, 1e-3);
        }
    for (double const bytes : {1e3, 1e6}) {
        EXPECT_EQ(sum(2, bytes).steps, 2.0) << "parts of two move no less than all";
        EXPECT_EQ(sum(2, bytes).sent, bytes);
    }
    EXPECT_NEAR(sum(8, 1024.0).seconds, 5.7e-6, 1.3e-6);
    EXPECT_NEAR(sum(8, 131072.0).seconds, 11.4e-6, 3.3e-6);
    EXPECT_NEAR(sum(8, 1048576.0).seconds, 21.7e-6, 3e-6);
}

/// Measured on RTX PRO 6000 (512 MiB): 38.6 GB/s of two boards, 24.7 and 26.4 of four and eight; on Arc B60, whose
/// eight lanes carry less than what crosses between sockets: 18.3 of two and of four.
TEST(Links, rings_over_both_sockets_attain_what_crosses_between_them) {
    auto wide = load_link(link_kind("pcie5")), narrow = wide;
    narrow.set_bandwidth(wide.bandwidth.si / 2.0);
    constexpr double bytes = 0x1p29;
    auto const attained = [&](ChipLink const& link, Collective collective, int devices) {
        auto const cost = exchange(link, collective, devices, bytes, Starter::host);
        return cost.sent / cost.seconds;
    };
    EXPECT_NEAR(attained(wide, Collective::all_reduce, 2), 38.6e9, 2e9);
    for (int const devices : {4, 8}) EXPECT_NEAR(attained(wide, Collective::all_reduce, devices), 25.5e9, 2e9);
    EXPECT_NEAR(attained(wide, Collective::all_to_all, 2), 25.7e9, 2e9);
    for (int const devices : {2, 4}) EXPECT_NEAR(attained(narrow, Collective::all_gather, devices), 18.3e9, 0.5e9);
}

/// The library sends parts of up to 16 KiB with flags beside data; measured on eight H200: 8 to 12 us up to 128 KiB,
/// 14.4 us for 256 KiB, and no more for 1 MiB.
TEST(Links, exchanges_of_large_parts_fill_buffers) {
    auto const link = load_link(link_kind("nvlink4"));
    for (int const devices : {2, 4, 8}) {
        auto const parts = static_cast<double>(devices);
        auto const of_parts = [&](double part) {
            return exchange(link, Collective::all_to_all, devices, part * parts, Starter::host);
        };
        auto const small = of_parts(16384.0), large = of_parts(16400.0);
        EXPECT_EQ(small.steps, 1.0 + std::log2(parts)) << devices;
        EXPECT_GT(large.seconds, small.seconds + 0.6 * link.exchange_fill.si) << devices;
        double const rate = link.bandwidth.si * link.gather_share;
        EXPECT_NEAR(of_parts(1e6).seconds - large.seconds, (parts - 1.0) * (1e6 - 16400.0) / rate, 1e-9) << devices;
    }
}

/// More lanes have more ports.
TEST(Links, of_twice_the_bandwidth_stand_by_and_cost_twice) {
    auto link = load_link(link_kind("eth400"));
    link.cost = 1500.0;
    link.carbon = 30.0;
    auto const before = link;
    link.set_bandwidth(2.0 * before.bandwidth.si);
    EXPECT_EQ(link.bandwidth.si, 2.0 * before.bandwidth.si);
    EXPECT_EQ(link.standby.si, 2.0 * before.standby.si);
    EXPECT_EQ(link.cost, 3000.0);
    EXPECT_EQ(link.carbon, 60.0);
}

/// Over eight H100 the switch adds: each vector passes a link once, which no ring does.
TEST(Links, a_sum_in_the_switch_goes_below_what_a_ring_must_send) {
    auto const link = load_link(1);
    double const bytes = 268435456.0;
    auto const cost = exchange(link, Collective::all_reduce, 8, bytes, Starter::host);
    EXPECT_EQ(cost.algorithm, "in the switch");
    EXPECT_EQ(cost.sent, bytes);
    EXPECT_NEAR(cost.seconds, 1.06e-3, 0.03e-3);  // measured: 1.055 ms on eight H200
    EXPECT_LT(cost.seconds, 1.75 * bytes / link.bandwidth.si + 0.02e-3);
    EXPECT_GE(cost.seconds, min_seconds(link, Collective::all_reduce, 8, bytes));
    EXPECT_EQ(exchange(link, Collective::all_reduce, 2, bytes, Starter::host).algorithm, "ring");
}

TEST(Links, take_no_less_than_their_bytes_at_the_rate_of_the_data_sheet) {
    for (std::size_t kind = 0; kind < link_names.size(); ++kind) {
        auto const link = load_link(kind);
        for (std::size_t c = 0; c < collective_names.size(); ++c) {
            auto const collective = static_cast<Collective>(c);
            for (int n : {2, 3, 8}) {
                for (double bytes = 1.0; bytes < 1e10; bytes *= 7.0) {
                    for (auto const starter : {Starter::program, Starter::host})
                        EXPECT_GE(exchange(link, collective, n, bytes, starter).seconds,
                                  min_seconds(link, collective, n, bytes) * (1.0 - 1e-12))
                            << link_names[kind] << " " << collective_names[c] << " " << n << " " << bytes;
                }
            }
        }
    }
}

TEST(Links, measured_collectives_above_1_MiB_are_within_30_percent) {
    std::ifstream csv(data_directory() / "tests" / "data" / "collectives.csv");
    ASSERT_TRUE(csv);
    int held = 0;
    for (auto const& row : read_measured_rows(csv, "collectives.csv")) {
        if (row.bytes <= 1048576.0) continue;  // the times of small ones are noise of the launch
        ++held;
        EXPECT_NEAR(seconds_of(row) / row.seconds, 1.0, 0.3) << "line " << row.line;
    }
    EXPECT_EQ(held, 22);
}

std::string error_of(std::string const& text) {
    std::istringstream csv(text);
    return refusal_by([&] { (void)read_measured_rows(csv, "rows.csv"); });
}

TEST(Links, tables_of_measured_collectives_are_checked) {
    std::string const head = "collective,link,devices,nodes,between,bytes,milliseconds\n";
    EXPECT_THAT(error_of(""), says("empty"));
    EXPECT_THAT(error_of("a,b\n"), says("head"));
    EXPECT_THAT(error_of(head), says("no-rows"));
    EXPECT_THAT(error_of(head + "all_reduce,nvlink3,2\n"), says("cells"));
    EXPECT_THAT(error_of(head + "allreduce,nvlink3,2,1,,8,1\n"), says("collective"));
    EXPECT_THAT(error_of(head + "send,nvlink9,2,1,,8,1\n"), says("link"));
    EXPECT_THAT(error_of(head + "send,nvlink3,2.5,1,,8,1\n"), says("devices"));
    EXPECT_THAT(error_of(head + "send,nvlink3,2,1,,-8,1\n"), says("bytes"));
    EXPECT_THAT(error_of(head + "send,nvlink3,2,2,eth100,8,1\n"), says("nodes"));
}

/// Without peer access the memory of the host carries all data at its rate, however many devices share it; and programs
/// do what the library does.
TEST(Links, that_share_the_memory_of_a_host_move_as_much_together_whatever_their_number) {
    auto link = plain(Topology::by_switch);
    link.collective_start = sim::Time{4e-6};
    link.shared = sim::Bandwidth{10e9};
    double const bytes = 1e9;
    for (std::int64_t const devices : {2, 4, 8})
        for (auto const collective : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce}) {
            auto const cost = exchange(link, collective, devices, bytes, Starter::host);
            double const moving = cost.seconds - link.collective_start.si - cost.steps * link.step.si;
            EXPECT_NEAR(cost.all_sent / moving, link.shared.si, 1.0) << devices;
            EXPECT_EQ(exchange(link, collective, devices, bytes, Starter::program).seconds, cost.seconds);
            EXPECT_GE(cost.seconds, min_seconds(link, collective, devices, bytes));
        }
    EXPECT_NEAR(exchange(link, Collective::send, 4, bytes).seconds, link.step.si + bytes / link.shared.si, 1e-9);
    // Four groups of two that exchange at the same time move as much together as one group does.
    auto const moving = [&](Collective collective, std::int64_t groups) {
        auto const cost = exchange(link, collective, 2, bytes, Starter::host, groups);
        return cost.seconds - cost.steps * link.step.si -
               (collective == Collective::send ? 0 : link.collective_start.si);
    };
    for (auto const collective : {Collective::all_reduce, Collective::all_to_all, Collective::send})
        EXPECT_NEAR(moving(collective, 4), 4 * moving(collective, 1), 1e-9);
    link.shared = sim::Bandwidth{1e12};  // the wires are the limit
    EXPECT_NEAR(exchange(link, Collective::send, 4, bytes).seconds, link.step.si + bytes / link.bandwidth.si, 1e-9);
}

}  // namespace
}  // namespace pimdse::models::chips::test::links_test
