#include "models/dplena/program.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace analytic_test {
namespace {

using namespace pimdse::models;
using support::value;

TEST(DplenaProgram, counts_every_instruction_of_the_reference_rows) {
    ASSERT_EQ(support::rows().size(), 35U);
    for (auto const& row : support::rows()) {
        dplena::Program const program(support::design(row.settings), support::machine().costs);
        auto const counts = program.total();
        EXPECT_EQ(counts.vector, row.vector) << row.text;
        EXPECT_EQ(counts.scalar, row.scalar) << row.text;
        EXPECT_EQ(counts.control, row.control) << row.text;
        EXPECT_EQ(program.prefetches(), row.prefetches) << row.text;
        EXPECT_EQ(counts.sum() + row.memory, row.total) << row.text;
    }
}

TEST(DplenaAnalytic, is_near_the_reference_rows) {
    for (auto const& row : support::rows()) {
        EXPECT_NEAR(value(row.settings, "cycles_total") / static_cast<double>(row.total), 1.0, 0.05) << row.text;
    }
}

TEST(DplenaAnalytic, reproduces_the_silicon_of_tables_two_and_four) {
    support::Settings const small{{"vlen", "512"}};
    EXPECT_NEAR(value({}, "vector_sram"), 4064768.0 * 2.0, 0.5);
    EXPECT_EQ(value({}, "fp_sram"), 4096.0);
    EXPECT_EQ(value(small, "fp_sram"), 1024.0);
    EXPECT_EQ(value({}, "int_sram"), 4096.0);
    EXPECT_NEAR(value({}, "vector_area"), 2.931e-6 + 661e-12, 1e-9);
    EXPECT_NEAR(value(small, "vector_area"), 0.731e-6 + 661e-12, 1e-9);
    EXPECT_NEAR(value({}, "vector_power"), 1.52453, 1e-4);
    EXPECT_NEAR(value(small, "vector_power"), 0.38172, 1e-4);
    EXPECT_NEAR(value({}, "vector_energy"), 1.51e-3, 0.02e-3);
    EXPECT_NEAR(value(small, "vector_energy"), 1.30e-3, 0.02e-3);
    EXPECT_NEAR(value({{"mode", "edge"},
                       {"vlen", "64"},
                       {"prefetch", "1"},
                       {"batch", "32"},
                       {"block_length", "64"},
                       {"v_chunk", "128"}},
                      "vector_sram"),
                12.5 * 1024.0, 0.03 * 12.5 * 1024.0);
}

TEST(DplenaAnalytic, gives_the_sampling_shares_of_the_three_diffusion_models) {
    auto const share = [](std::string const& model, std::string const& bandwidth, std::string const& bits) {
        return value({{"scope", "end_to_end"}, {"llm", model}, {"model_bandwidth", bandwidth}, {"weight_bits", bits}},
                     "sampling_share");
    };
    EXPECT_NEAR(share("llada-8b", "512 GB/s", "8"), 0.044, 0.001);
    EXPECT_NEAR(share("dream-7b", "512 GB/s", "8"), 0.067, 0.001);
    EXPECT_NEAR(share("llada-moe-7b-a1b", "512 GB/s", "8"), 0.072, 0.001);
    // The sampling of 16 channels beside passes at what 32 of them carry.
    auto const at_more_channels = [](std::string const& model) {
        support::Settings const at{{"scope", "end_to_end"}, {"llm", model}, {"weight_bits", "4"}};
        auto const faster = support::with(at, {{"channels", "32"}, {"model_bandwidth", "1000 GB/s"}});
        double const narrow = value(at, "sampling_share"), sampling = value(at, "model_time") * narrow / (1.0 - narrow);
        return sampling / (sampling + value(faster, "model_time"));
    };
    EXPECT_NEAR(at_more_channels("llada-8b"), 0.058, 0.001);
    EXPECT_NEAR(at_more_channels("dream-7b"), 0.067, 0.001);
    EXPECT_NEAR(at_more_channels("llada-moe-7b-a1b"), 0.177, 0.003);
}

TEST(DplenaAnalytic, explains_every_second_joule_and_square_metre) {
    for (support::Settings const& settings :
         std::vector<support::Settings>{{},
                                        {{"scope", "end_to_end"}, {"steps", "4"}},
                                        {{"overlap", "prefetch"}, {"buffers", "2"}},
                                        {{"overlap", "dual_issue"}, {"buffers", "2"}}}) {
        auto const point = support::point(settings);
        auto const breakdown = support::architecture().explain(support::inputs(), point, Fidelity::analytic);
        auto const sum = [](std::vector<Share> const& shares) {
            double total = 0.0;
            for (auto const& share : shares) total += share.amount;
            return total;
        };
        EXPECT_NEAR(sum(breakdown.time) / value(settings, "latency"), 1.0, 1e-12);
        EXPECT_NEAR(sum(breakdown.energy) / value(settings, "energy"), 1.0, 1e-12);
        EXPECT_NEAR(sum(breakdown.area) / value(settings, "area"), 1.0, 1e-12);
    }
}

TEST(DplenaFeasibility, names_the_rule_and_the_numbers) {
    EXPECT_EQ(support::broken_rule({{"vlen", "96"}, {"block_length", "32"}}), "vlen_line");
    EXPECT_EQ(support::broken_rule({{"vlen", "64"}, {"mx_block", "48"}}), "vlen_mx_block");
    EXPECT_EQ(support::broken_rule({{"vlen", "64"}, {"block_length", "65"}}), "block_length_vlen");
    EXPECT_EQ(support::broken_rule({{"vlen", "64"}, {"block_length", "64"}}), "");
    EXPECT_EQ(support::broken_rule({{"mode", "edge"}, {"vlen", "64"}, {"v_chunk", "320"}}), "v_chunk_prefetch");
    EXPECT_EQ(support::broken_rule({{"mode", "edge"}, {"vlen", "64"}, {"v_chunk", "512"}}), "");
    EXPECT_EQ(support::broken_rule({{"v_chunk", "253952"}}), "v_chunk_vocab");
    EXPECT_EQ(support::broken_rule({{"preload", "3"}}), "preload_batch");
    EXPECT_EQ(support::broken_rule({{"vocab", "1024"}}), "vocab_vlen");
    EXPECT_EQ(support::broken_rule({{"sram_limit", "8 MB"}}), "sram_overflow");
    EXPECT_EQ(support::broken_rule({{"preload", "16"}, {"block_length", "64"}}), "sram_overflow");
    EXPECT_EQ(support::broken_rule({{"channels", "12"}}), "channels_power_of_two");
    EXPECT_EQ(support::broken_rule({{"steps", "128"}}), "address_space");
    EXPECT_EQ(support::broken_rule({{"exp_lanes", "4096"}}), "exp_lanes_vlen");
    EXPECT_EQ(support::broken_rule({{"scope", "end_to_end"}, {"generation_length", "100"}}), "blocks");
    EXPECT_EQ(support::broken_rule({{"scope", "end_to_end"}, {"channels", "4"}}), "memory");
    auto const outcome = support::evaluate({{"vlen", "64"}, {"block_length", "65"}}, Fidelity::analytic);
    EXPECT_NE(std::get<Infeasible>(outcome).reason.find("65"), std::string::npos);
    EXPECT_NE(std::get<Infeasible>(outcome).reason.find("64"), std::string::npos);
}

TEST(DplenaParameters, have_the_defaults_of_the_paper) {
    auto const d = support::design({});
    EXPECT_EQ(d.vlen, 2048);
    EXPECT_EQ(d.vocab, 126976);
    EXPECT_EQ(d.v_chunk, d.vocab);
    EXPECT_EQ(d.exp_lanes, d.vlen);
    EXPECT_EQ(d.model->name, "LLaDA-8B");
    EXPECT_EQ(support::design({{"scope", "end_to_end"}}).vocab, 126976);
    EXPECT_EQ(support::design({{"scope", "end_to_end"}, {"llm", "llada-moe-7b-a1b"}}).vocab, 157696);
}

}  // namespace
}  // namespace analytic_test
