#include "support.hpp"

#include "models/upmem/work.hpp"
#include "tests/laws/streams_in_step.hpp"

#include <numeric>

namespace pimdse::models::upmem::streams_test {
namespace {

Settings paper(std::string const& kernel, int streams, std::string const& elements = "4194304") {
    return {{"kernel", kernel},
            {"streams", std::to_string(streams)},
            {"elements", elements},
            {"transfer", "table1"},
            {"lock", "none"}};
}

double speedup(Settings const& settings) { return upmem().value(settings, "stream_speedup"); }

Settings with(Settings settings, std::string const& name, std::string const& value) {
    settings.emplace_back(name, value);
    return settings;
}

}  // namespace

TEST(Streams, figure_6_speed_ups_come_out_of_one_joint_transfer_and_9_23_cycles_per_element) {
    EXPECT_NEAR(upmem().value(paper("va-paper", 1), "input_time"), 111.8e-3, 0.1e-3);
    EXPECT_NEAR(upmem().value(paper("va-paper", 1), "kernel_time"), 110.6e-3, 0.1e-3);
    EXPECT_NEAR(speedup(paper("va-paper", 2)), 1.37, 0.005);
    EXPECT_NEAR(speedup(paper("va-paper", 4)), 1.65, 0.005);
    EXPECT_NEAR(speedup(paper("va-paper", 8)), 1.83, 0.005);
    EXPECT_NEAR(speedup(paper("va-paper", 16)), 1.92, 0.005);
}

TEST(Streams, figure_6_sending_the_arrays_apart_cannot_reach_it) {
    auto apart = [](int n) { return with(paper("va-paper", n), "joint", "false"); };
    EXPECT_NEAR(upmem().value(apart(1), "input_time"), 103.6e-3, 0.1e-3);
    EXPECT_NEAR(speedup(apart(2)), 1.35, 0.005);
    EXPECT_NEAR(speedup(apart(4)), 1.61, 0.005);
    EXPECT_NEAR(speedup(apart(8)), 1.77, 0.005);
    EXPECT_NEAR(speedup(apart(16)), 1.71, 0.005);
}

TEST(Streams, small_inputs_slow_down_and_the_best_stream_count_moves_with_the_size) {
    struct Row {
        std::string elements;
        double plain, offloaded;
    };
    for (auto const& [elements, plain, offloaded] : {Row{"1024", .30, .13},
                                                     {"16384", .24, .17},
                                                     {"65536", .41, .32},
                                                     {"262144", .68, .57},
                                                     {"1048576", 1.18, 1.09},
                                                     {"4194304", 1.90, 1.90}}) {
        auto const settings = paper("va-paper-start", 16, elements);
        EXPECT_NEAR(speedup(settings), plain, 0.007) << elements;
        EXPECT_NEAR(speedup(with(settings, "offload", "0.25 ms")), offloaded, 0.007) << elements;
    }
}

TEST(Streams, counting_the_output_leaves_a_gain_of_1_41) {
    EXPECT_NEAR(upmem().value(paper("va-paper", 16), "output_time"), 146e-3, 0.2e-3);
    EXPECT_NEAR(upmem().value(paper("va-paper", 1), "total_time"), 368e-3, 0.6e-3);
    EXPECT_NEAR(upmem().value(paper("va-paper", 16), "stream_speedup_total"), 1.41, 0.005);
}

TEST(Streams, exclusive_lock_gains_only_by_the_bandwidth_of_smaller_transfers) {
    EXPECT_NEAR(speedup(with(paper("va-paper", 16), "lock", "exclusive")), 1.14, 0.005);
}

TEST(Streams, two_banks_are_enough_for_the_whole_gain) {
    EXPECT_NEAR(speedup(with(paper("va-paper", 16), "lock", "double_bank")), 1.92, 0.005);
}

TEST(Streams, locks_are_ordered_and_one_stream_is_sequential) {
    for (int n : {1, 2, 3, 5, 16, 64}) {
        for (std::string const elements : {"4000", "100000", "4194304"}) {
            auto const settings = paper("va", n, elements);
            double const none = upmem().value(settings, "total_time");
            double const banks = upmem().value(with(settings, "lock", "double_bank"), "total_time");
            double const exclusive = upmem().value(with(settings, "lock", "exclusive"), "total_time");
            EXPECT_LE(none, banks * (1 + 1e-12));
            EXPECT_LE(banks, exclusive * (1 + 1e-12));
            double const sum = upmem().value(settings, "input_time") + upmem().value(settings, "kernel_time") +
                               upmem().value(settings, "output_time");
            EXPECT_NEAR(exclusive, sum, 1e-9 * sum);
        }
    }
}

TEST(Streams, constant_bandwidth_never_gains_more_than_the_shorter_stage) {
    for (int n : {2, 4, 8, 16, 64}) {
        auto const settings = with(paper("va-paper", n), "transfer", "constant");
        double const in = upmem().value(settings, "input_time"), kernel = upmem().value(settings, "kernel_time");
        EXPECT_LE(speedup(settings), (in + kernel) / std::max(in, kernel) + 1e-12);
        EXPECT_LE(speedup(settings), sim::equal_streams_bound(n, 0.0) + 1e-12);
    }
}

TEST(Streams, ranks_overlap_without_new_hardware) {
    Settings const settings{{"kernel", "va"}, {"elements", "33554432"}, {"dpus", "128"},
                            {"ranks", "2"},   {"transfer", "parallel"}, {"streams", "16"}};
    double const exclusive = upmem().value(with(settings, "lock", "exclusive"), "total_time");
    double const by_rank = upmem().value(with(settings, "lock", "rank_level"), "total_time");
    double const in = upmem().value(with(settings, "lock", "rank_level"), "input_time");
    EXPECT_GT(by_rank, in);
    EXPECT_GT(exclusive, 0.0);
    // With one rank nothing can overlap.
    Settings const single{{"kernel", "va-paper"}, {"streams", "8"}, {"transfer", "table1"}};
    EXPECT_NEAR(upmem().value(with(single, "lock", "rank_level"), "total_time"),
                upmem().value(with(single, "lock", "exclusive"), "total_time"), 1e-9);
}

TEST(Streams, elements_that_do_not_divide_are_distributed_and_none_is_dropped) {
    for (std::int64_t elements : {1, 2, 7, 10, 1000, 4194303}) {
        for (std::int64_t streams : {1, 2, 3, 7, 64}) {
            auto const sizes = stream_sizes(elements, streams, 2);
            EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), elements);
            EXPECT_EQ(sizes.size(), static_cast<std::size_t>(streams));
            auto const [min, max] = std::minmax_element(sizes.begin(), sizes.end());
            EXPECT_LE(*max - *min, 3);
        }
    }
}

TEST(Streams, explanation_sums_to_the_point) {
    for (auto const& settings :
         {paper("va", 16), with(paper("va", 7), "lock", "exclusive"), with(paper("va", 5), "offload", "1 ms"),
          Settings{{"kernel", "mlp"}, {"elements", "512"}, {"dpus", "4"}},
          Settings{{"kernel", "gemv-int8"}, {"llm", "opt-1.3b"}, {"dpus", "512"}, {"ranks", "8"}}}) {
        auto const parts = upmem().row().explain(upmem().inputs(), upmem().point(settings), Fidelity::analytic);
        double time = 0.0, energy = 0.0;
        for (auto const& share : parts.time) {
            EXPECT_GE(share.amount, -1e-12) << share.what;
            time += share.amount;
        }
        for (auto const& share : parts.energy) energy += share.amount;
        EXPECT_NEAR(time, upmem().value(settings, "latency"), 1e-9 * time);
        EXPECT_NEAR(energy, upmem().value(settings, "energy"), 1e-9 * energy);
    }
}

}  // namespace pimdse::models::upmem::streams_test
