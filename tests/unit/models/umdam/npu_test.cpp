#include "models/umdam/npu.hpp"
#include "models/umdam/constants.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pimdse::models::umdam::npu_test {
namespace {

GemmShape shape(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, std::int64_t buffer = 8 << 20) {
    return {rows, inputs, outputs, 128, 64, inputs * outputs * 2, buffer, 16};
}

NpuConstants const& shipped() {
    static auto const constants = MachineConstants::from(Constants::load("umdam", {}, constant_rules())).npu;
    return constants;
}

CubeBlock in_fp16() { return {shipped(), false}; }

/// Blocks of int8 have 32 inputs: whole ones take half the time, and 16 inputs as long as 32.
TEST(Npu, multiplies_twice_as_many_inputs_of_a_byte) {
    CubeBlock const in_int8{shipped(), true};
    for (std::int64_t const inputs : {16, 32, 48, 4096}) {
        auto const s = shape(64, inputs, 128);
        double const blocks = 4.0 * std::ceil(static_cast<double>(inputs) / 32.0) * 8.0, one = 8192.0 / 16e12;
        EXPECT_DOUBLE_EQ(cube_seconds(s, 16e12, in_int8), blocks * one);
        EXPECT_GE(cube_seconds(s, 16e12, in_fp16()), cube_seconds(s, 16e12, in_int8));
        EXPECT_LE(cube_seconds(s, 16e12, in_fp16()), 2.0 * cube_seconds(s, 16e12, in_int8));
    }
}

TEST(Npu, crosses_from_memory_to_compute_bound_at_the_ridge) {
    // P* = 16 TFLOP/s / BW: 312.5 tokens at 51.2 GB/s, 625 at 25.6
    for (auto const& [bandwidth, ridge] : {std::pair{51.2e9, 312.5}, {25.6e9, 625.0}}) {
        double const below = std::floor(ridge / 16) * 16, above = below + 16;
        double const load = 4096.0 * 4096 * 2 / bandwidth;
        EXPECT_LT(cube_seconds(shape(static_cast<std::int64_t>(below), 4096, 4096), 16e12, in_fp16()), load);
        EXPECT_GT(cube_seconds(shape(static_cast<std::int64_t>(above), 4096, 4096), 16e12, in_fp16()), load);
        EXPECT_NEAR(cube_seconds(shape(16, 4096, 4096), 16e12, in_fp16()) / 16 * ridge, load, 1e-12);
    }
}

TEST(Npu, keeps_small_activations_on_chip_and_reads_weights_once) {
    auto const menu = tilings(shape(128, 4096, 16384));
    ASSERT_EQ(menu.size(), 1U);
    EXPECT_EQ(menu[0].read, 4096.0 * 16384 * 2);
    EXPECT_EQ(menu[0].write, 0.0);
}

/// Least traffic over every tile of whole units, by brute force.
double min_traffic(GemmShape const& s) {
    double min = 1e300;
    auto const up = [](std::int64_t a, std::int64_t b) { return static_cast<double>((a + b - 1) / b); };
    for (std::int64_t m = 16; m < 2 * s.rows + 16; m += 16) {
        for (std::int64_t k = s.tile_height; k < s.inputs + s.tile_height; k += s.tile_height) {
            for (std::int64_t n = s.tile_width; n < s.outputs + s.tile_width; n += s.tile_width) {
                if (2 * (m * k + k * n) * 2 + m * n * 4 > s.buffer) continue;
                double const sums = static_cast<double>(s.rows * s.outputs);
                double const weights = static_cast<double>(s.weight_bytes),
                             activations = static_cast<double>(s.rows * s.inputs * 2);
                double const k_innermost =
                    weights * up(s.rows, m) + activations * (k < s.inputs ? up(s.outputs, n) : 1.0) + 2 * sums;
                double const m_innermost =
                    weights + activations * up(s.outputs, n) + 2 * sums + 8 * sums * (up(s.inputs, k) - 1);
                min = std::min({min, k_innermost, m_innermost});
            }
        }
    }
    return min;
}

TEST(Npu, finds_the_least_traffic_of_all_whole_tiles) {
    for (auto const& s :
         {shape(2048, 1024, 1024, 1 << 20), shape(1500, 768, 3072, 2 << 20), shape(700, 2048, 512, 512 << 10)}) {
        auto const menu = tilings(s);
        ASSERT_FALSE(menu.empty());
        double min = 1e300;
        for (auto const& t : menu) min = std::min(min, t.read + t.write);
        EXPECT_DOUBLE_EQ(min, min_traffic(s));
        EXPECT_DOUBLE_EQ(min_tiling(s).read + min_tiling(s).write, min);
    }
}

TEST(Npu, moves_what_an_interpreted_loop_nest_moves) {
    // 3 x 2 x 2 tiles of 16 rows, 128 inputs and 64 outputs, K innermost, one tile of A and of W at a time
    GemmShape const s{48, 256, 128, 128, 64, 256 * 128 * 2, 2 * (16 * 128 + 128 * 64) * 2 + 16 * 64 * 4, 16};
    double read = 0.0, written = 0.0;
    for (int m = 0; m < 3; ++m) {
        for (int n = 0; n < 2; ++n) {
            for (int k = 0; k < 2; ++k) read += (16 * 128 + 128 * 64) * 2;
            written += 16 * 64 * 2;
        }
    }
    double min = 1e300;
    for (auto const& t : tilings(s)) min = std::min(min, t.read + t.write);
    // M innermost reads every weight once, activations twice, and sums go out and come back once
    double const other = 256 * 128 * 2 + 2 * 48 * 256 * 2 + 48 * 128 * 2 + 2 * 48 * 128 * 4;
    EXPECT_DOUBLE_EQ(min, std::min(read + written, other));
}

TEST(Npu, spills_only_what_does_not_fit) {
    // 128 x (7168 + 28672) fp16 activations exceed 8 MiB by less than a megabyte
    auto const menu = tilings(shape(128, 7168, 28672));
    double const weights = 7168.0 * 28672 * 2;
    EXPECT_GT(menu.front().write, 0.0);
    EXPECT_LT(menu.front().read + menu.front().write, weights * 1.01);
}

TEST(Npu, offers_only_tilings_nobody_beats) {
    auto const menu = tilings(shape(4096, 4096, 4096, 2 << 20));
    for (auto const& a : menu) {
        for (auto const& b : menu) {
            if (&a == &b) continue;
            EXPECT_FALSE(a.read + a.write <= b.read + b.write && a.ramp <= b.ramp);
        }
    }
}

/// Of two tilings with equal traffic and ramp the first stays.
void keep_if_useful(GemmTraffic const& candidate, std::vector<GemmTraffic>& menu) {
    auto const beats = [](GemmTraffic const& a, GemmTraffic const& b) {
        return a.read + a.write <= b.read + b.write && a.ramp <= b.ramp;
    };
    for (auto const& other : menu)
        if (beats(other, candidate)) return;
    std::erase_if(menu, [&](GemmTraffic const& other) { return beats(candidate, other); });
    menu.push_back(candidate);
}

/// Every tile of whole units that fits, the largest first, each with its sums and with its weights staying.
std::vector<GemmTraffic> every_tiling(GemmShape const& s) {
    std::vector<GemmTraffic> menu;
    auto const up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    auto const e = s.element_bits / 8;
    for (std::int64_t m = up(s.rows, 16) * 16; m > 0; m -= 16) {
        for (std::int64_t k = up(s.inputs, s.tile_height) * s.tile_height; k > 0; k -= s.tile_height) {
            for (std::int64_t n = up(s.outputs, s.tile_width) * s.tile_width; n > 0; n -= s.tile_width) {
                if (2 * (m * k + k * n) * e + m * n * 4 > s.buffer) continue;
                auto const ramp = static_cast<double>(e * (k * n + m * k + m * n));
                std::int64_t const of_a = s.rows * s.inputs * e, of_c = s.rows * s.outputs * e,
                                   spills = s.rows * s.outputs * 4 * (up(s.inputs, k) - 1);
                keep_if_useful(
                    {static_cast<double>(s.weight_bytes * up(s.rows, m) + of_a * (k < s.inputs ? up(s.outputs, n) : 1)),
                     static_cast<double>(of_c), ramp},
                    menu);
                keep_if_useful({static_cast<double>(s.weight_bytes + of_a * up(s.outputs, n) + spills),
                                static_cast<double>(of_c + spills), ramp},
                               menu);
            }
        }
    }
    return menu;
}

TEST(Npu, offers_what_trying_every_tile_offers_in_the_same_order) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 30; ++trial) {
        auto const of = [&](std::int64_t unit, std::uint64_t units) {
            return unit * static_cast<std::int64_t>(1 + random() % units) - (random() % 2 == 0 ? 3 : 0);
        };
        // the activations alone exceed the buffer
        bool const one_input = trial % 5 == 0;
        auto const s = shape(of(16, 40) + (one_input ? 1600 : 128), one_input ? 100 : of(128, 12) + 1024,
                             of(64, 20) + 256, 256 << 10);
        auto const expected = every_tiling(s), menu = tilings(s);
        ASSERT_GE(expected.size(), 1U) << trial;
        ASSERT_EQ(menu.size(), expected.size()) << trial;
        for (std::size_t i = 0; i < menu.size(); ++i) {
            EXPECT_EQ(menu[i].read, expected[i].read) << trial;
            EXPECT_EQ(menu[i].write, expected[i].write) << trial;
            EXPECT_EQ(menu[i].ramp, expected[i].ramp) << trial;
        }
    }
}

/// A row more never moves less, and a larger buffer never more.
TEST(Npu, moves_no_less_for_larger_products_and_no_more_through_larger_buffers) {
    std::mt19937_64 random(9);
    auto const moved = [](GemmShape const& s) {
        auto const least = min_tiling(s);
        EXPECT_GE(least.read, static_cast<double>(s.weight_bytes));
        EXPECT_EQ(stays_on_chip(s), least.write == 0.0);
        return least.read + least.write;
    };
    for (int trial = 0; trial < 3000; ++trial) {
        auto const of = [&](std::uint64_t max) { return static_cast<std::int64_t>(1 + random() % max); };
        auto const bytes = std::int64_t{1} << (random() % 2);
        auto const with = [&](std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t buffer) {
            return moved({m, k, n, 16, 16, k * n * bytes, buffer, 8 * bytes, 8 * bytes});
        };
        auto const m = of(900), k = of(3000), n = of(3000), buffer = text::min_buffer + of(4 << 20);
        double const now = with(m, k, n, buffer);
        EXPECT_GE(with(m + 1, k, n, buffer), now) << m << " " << k << " " << n << " " << buffer;
        EXPECT_LE(with(m, k, n, 2 * buffer), now) << m << " " << k << " " << n << " " << buffer;
    }
}

TEST(Npu, more_bandwidth_is_never_slower) {
    auto const s = shape(512, 4096, 4096);
    auto const menu = tilings(s);
    double before = 1e9;
    for (double bandwidth = 1e9; bandwidth < 1e12; bandwidth *= 1.7) {
        double const now = chosen_gemm(menu, cube_seconds(s, 16e12, in_fp16()), {bandwidth, bandwidth}).seconds.value;
        EXPECT_LE(now, before);
        before = now;
    }
}

/// At plenty of bandwidth every tiling is hidden by the products: the smallest ramp is not worth fifty times the bytes.
TEST(Npu, moves_little_where_time_is_alike) {
    auto const s = shape(2000, 3072, 8192);
    auto const menu = tilings(s);
    double const compute = cube_seconds(s, 16e12, in_fp16());
    for (double const bandwidth : {20e9, 100e9, 550e9, 4e12}) {
        double fastest = 1e9, moved_by_fastest = 0.0, fewest = 1e18;
        for (auto const& tiling : menu) {
            double const moved = tiling.read + tiling.write;
            double const seconds = tiling.ramp / bandwidth + std::max(compute, moved / bandwidth);
            if (seconds < fastest) moved_by_fastest = moved;
            fastest = std::min(fastest, seconds);
            fewest = std::min(fewest, moved);
        }
        auto const chosen = chosen_gemm(menu, compute, {bandwidth, bandwidth});
        double const moved = chosen.read.value + chosen.write.value;
        EXPECT_LE(chosen.seconds.value, 1.01 * fastest) << bandwidth;
        EXPECT_LE(moved, moved_by_fastest) << bandwidth;
        EXPECT_LE(moved, 2.0 * fewest) << bandwidth;
    }
}

TEST(Npu, pays_for_writes_at_their_own_rate) {
    std::vector<GemmTraffic> const menu{{3e9, 1e9, 0.0}};
    EXPECT_DOUBLE_EQ(chosen_gemm(menu, 0.0, {3e9, 0.5e9}).seconds.value, 3.0);
    EXPECT_DOUBLE_EQ(chosen_gemm(menu, 7.0, {3e9, 0.5e9}).seconds.value, 7.0);
}

}  // namespace
}  // namespace pimdse::models::umdam::npu_test
