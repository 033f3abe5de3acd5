#include "models/upmem/timeline.hpp"

#include "support.hpp"

#include <cmath>

namespace pimdse::models::upmem::host_link_test {
namespace {

double bandwidth(Direction direction, double bytes, Transfer how = Transfer::table1, std::int64_t dpus = 1,
                 std::int64_t ranks = 1) {
    return static_cast<double>(dpus) * bytes / transfer_time(prepared(), how, direction, bytes, dpus, ranks).si;
}

}  // namespace

TEST(HostLink, table_1_is_met_on_its_grid_and_clamped_beyond) {
    auto const& t = prepared().table1;
    ASSERT_EQ(t.bytes.size(), 12u);
    for (std::size_t i = 0; i < t.bytes.size(); ++i) {
        EXPECT_NEAR(bandwidth(Direction::in, t.bytes[i]), t.in[i], 1e-9 * t.in[i]);
        EXPECT_NEAR(bandwidth(Direction::out, t.bytes[i]), t.out[i], 1e-9 * t.out[i]);
    }
    EXPECT_NEAR(bandwidth(Direction::in, 1.0), 0.0002e9, 1.0);
    EXPECT_NEAR(bandwidth(Direction::out, 1e9), 0.11e9, 1.0);
}

TEST(HostLink, table_1_between_its_points_is_log_log_linear) {
    struct Row {
        double kib, in, out;
    };
    for (auto const& [kib, in, out] : {Row{4, .0141, .0095},
                                       {16, .0316, .0212},
                                       {64, .0775, .0424},
                                       {256, .1549, .0775},
                                       {1024, .2828, .1140},
                                       {4096, .3742, .1249},
                                       {16384, .3240, .1149}}) {
        EXPECT_NEAR(bandwidth(Direction::in, kib * 1024) / 1e9, in, 6e-5) << kib;
        EXPECT_NEAR(bandwidth(Direction::out, kib * 1024) / 1e9, out, 6e-5) << kib;
    }
}

TEST(HostLink, time_never_falls_when_bytes_grow) {
    for (auto const how :
         {Transfer::table1, Transfer::parallel, Transfer::serial, Transfer::broadcast, Transfer::constant}) {
        for (auto const direction : {Direction::in, Direction::out}) {
            double last = 0.0;
            for (double bytes = 8; bytes < 1e8; bytes *= 1.3) {
                double const time = transfer_time(prepared(), how, direction, bytes, 4, 1).si;
                EXPECT_GE(time, last * (1.0 - 1e-12))
                    << bytes;  // between 32 and 128 B Table 1 grows exactly with the size
                last = time;
            }
        }
    }
}

TEST(HostLink, a_rank_of_64_moves_what_prim_measured) {
    EXPECT_NEAR(bandwidth(Direction::in, 64e6, Transfer::parallel, 64), 6.68e9, 0.03 * 6.68e9);
    EXPECT_NEAR(bandwidth(Direction::out, 64e6, Transfer::parallel, 64), 1.55e9, 0.03 * 1.55e9);
    EXPECT_NEAR(bandwidth(Direction::in, 64e6, Transfer::broadcast, 64), 16.88e9, 0.03 * 16.88e9);
}

TEST(HostLink, ranks_work_side_by_side_until_host_or_channels_are_full) {
    double const one = bandwidth(Direction::in, 64e6, Transfer::parallel, 64, 1);
    EXPECT_NEAR(bandwidth(Direction::in, 64e6, Transfer::parallel, 128, 2), 2.0 * one, 0.01 * one);
    EXPECT_NEAR(bandwidth(Direction::in, 64e6, Transfer::parallel, 256, 4), 19.2e9, 0.01 * 19.2e9);
    for (std::int64_t const ranks : {8, 32, 40}) {
        EXPECT_NEAR(bandwidth(Direction::in, 64e6, Transfer::parallel, 64 * ranks, ranks), 23.1e9, 0.01 * 23.1e9);
        EXPECT_NEAR(bandwidth(Direction::out, 64e6, Transfer::parallel, 64 * ranks, ranks),
                    std::min(3.46 * 4.74e9, 1.575e9 * static_cast<double>(ranks)), 0.01 * 16.4e9);
    }
}

TEST(HostLink, no_way_of_moving_goes_beyond_what_was_measured_of_a_rank) {
    for (auto const how : {Transfer::table1, Transfer::parallel, Transfer::constant}) {
        EXPECT_LE(bandwidth(Direction::in, 2 << 20, how, 64, 1), 6.68e9 * (1.0 + 1e-12));
        EXPECT_LE(bandwidth(Direction::out, 2 << 20, how, 64, 1), 4.74e9 * (1.0 + 1e-12));
    }
    EXPECT_LE(bandwidth(Direction::in, 64e6, Transfer::broadcast, 64, 1), 16.88e9 * (1.0 + 1e-12));
}

TEST(HostLink, no_way_of_moving_goes_beyond_the_pins_of_the_channels) {
    for (auto const how : {Transfer::table1, Transfer::parallel, Transfer::broadcast, Transfer::constant}) {
        for (std::int64_t const ranks : {1, 4, 5, 32, 40}) {
            double const roof = std::ceil(static_cast<double>(ranks) / 4.0) * 19.2e9;
            for (auto const direction : {Direction::in, Direction::out})
                EXPECT_LE(bandwidth(direction, 2 << 20, how, 64 * ranks, ranks), roof * (1.0 + 1e-12)) << ranks;
        }
    }
    EXPECT_NEAR(bandwidth(Direction::in, 2 << 20, Transfer::table1, 2048, 32), 3.46 * 6.68e9, 1e3);
    EXPECT_NEAR(bandwidth(Direction::in, 2 << 20, Transfer::table1, 16, 1), 16 * 0.4e9, 1e3);
    // A rank that is not used takes no channel.
    EXPECT_NEAR(bandwidth(Direction::in, 2 << 20, Transfer::table1, 2, 40), 2 * 0.4e9, 1e3);
}

TEST(HostLink, serial_copies_add_up_and_nothing_takes_no_time) {
    double const one = transfer_time(prepared(), Transfer::table1, Direction::in, 4096, 1, 1).si;
    EXPECT_DOUBLE_EQ(transfer_time(prepared(), Transfer::serial, Direction::in, 4096, 7, 1).si, 7.0 * one);
    EXPECT_EQ(transfer_time(prepared(), Transfer::parallel, Direction::in, 0.0, 7, 1).si, 0.0);
}

}  // namespace pimdse::models::upmem::host_link_test
