#include "support.hpp"
#include "tests/unit/says.hpp"

namespace pimdse::models::upmem::rules_test {
namespace {

std::string refusal(Settings const& settings) { return upmem().refusal(settings); }

}  // namespace

TEST(Feasibility, default_point_exists) { EXPECT_EQ(refusal({}), ""); }

TEST(Feasibility, more_tasklets_than_the_hardware_has_are_refused_by_number) {
    EXPECT_EQ(refusal({{"tasklets", "24"}, {"dma_block", "256"}}), "");
    EXPECT_THAT(refusal({{"tasklets", "25"}, {"dma_block", "256"}}), says("tasklets-tasklets-per-dpu"));
    EXPECT_THAT(refusal({{"tasklets", "0"}}), says("tasklets-tasklets-per-dpu-2"));
}

TEST(Feasibility, counts_end_where_the_system_ends) {
    EXPECT_THAT(refusal({{"dpus", "0"}}), says("dpus-dpus"));
    EXPECT_EQ(refusal({{"dpus", "2560"}, {"ranks", "40"}}), "");
    EXPECT_THAT(refusal({{"dpus", "2561"}, {"ranks", "40"}}), says("dpus-dpus-2"));
    EXPECT_EQ(refusal({{"dpus", "64"}}), "");
    EXPECT_THAT(refusal({{"dpus", "65"}}), says("ranks-dpus-rank-rank"));
    EXPECT_EQ(refusal({{"dpus", "1"}, {"ranks", "2"}}), "");
    EXPECT_THAT(refusal({{"dpus", "1"}, {"ranks", "2"}, {"lock", "rank_level"}}), says("ranks-ranks-dpu-every"));
    EXPECT_THAT(refusal({{"ranks", "41"}, {"dpus", "64"}}), says("ranks-ranks"));
    EXPECT_THAT(refusal({{"streams", "65"}}), says("streams-beyond-64"));
    EXPECT_THAT(refusal({{"elements", "0"}}), says("elements-elements-one-least"));
    EXPECT_THAT(refusal({{"dispatch_distance", "15"}}), says("dispatch_distance-cycles-between-instructions"));
}

TEST(Feasibility, mram_transfers_move_8_to_2048_bytes_in_eights) {
    for (std::string const good : {"8", "16", "2048"})
        EXPECT_EQ(refusal({{"dma_block", good}, {"tasklets", "11"}}), "") << good;
    for (std::string const bad : {"0", "4", "12", "2056", "4096"}) {
        EXPECT_EQ(refusal({{"dma_block", bad}, {"tasklets", "1"}}),
                  "dma_block: a DMA block of " + bad + " B (MRAM transfers move 8 to 2048 B in multiples of 8)");
    }
}

TEST(Feasibility, working_memory_is_filled_to_the_last_byte_and_not_beyond) {
    // 16 x (2 x 1,024 of buffers + 1,024 of stack) fits 65,536; 21 tasklets need 64,512, 22 need 67,584.
    EXPECT_EQ(refusal({{"tasklets", "21"}}), "");
    EXPECT_THAT(refusal({{"tasklets", "22"}}), says("wram-tasklets-need-wram"));
    EXPECT_EQ(refusal({{"tasklets", "24"}, {"preset", "upimulator-go"}}), "");
    EXPECT_EQ(refusal({{"kernel", "bs"}, {"elements", "32768"}}), "");
}

TEST(Feasibility, bank_memory_is_filled_to_the_last_element_and_not_beyond) {
    EXPECT_EQ(refusal({{"elements", "8388608"}}), "");
    EXPECT_THAT(refusal({{"elements", "8388610"}}), says("mram-data-mram-one"));
    EXPECT_EQ(refusal({{"elements", "8388608"}, {"lock", "double_bank"}, {"streams", "2"}}), "");
    EXPECT_THAT(refusal({{"elements", "8388608"}, {"lock", "double_bank"}}), says("mram-data-one-two"));
}

TEST(Feasibility, model_that_outgrows_the_mram_names_the_bytes) {
    EXPECT_NE(refusal({{"kernel", "gemv-int8"}, {"llm", "opt-6.7b"}}).find("mram: "), std::string::npos);
    EXPECT_EQ(refusal({{"kernel", "gemv-int8"}, {"llm", "opt-6.7b"}, {"dpus", "2048"}, {"ranks", "32"}}), "");
    EXPECT_THAT(refusal({{"kernel", "va"}, {"llm", "opt-6.7b"}}), says("llm-kernel-va-model"));
}

TEST(Feasibility, work_that_cannot_be_cut_takes_one_stream) {
    EXPECT_THAT(refusal({{"kernel", "mlp"}, {"elements", "1024"}, {"streams", "2"}}), says("streams-streams-mlp"));
    EXPECT_THAT(refusal({{"elements", "10"}, {"streams", "6"}}), says("streams-streams-elements-dpu"));
    EXPECT_EQ(refusal({{"elements", "10"}, {"streams", "5"}}), "");
}

}  // namespace pimdse::models::upmem::rules_test
