#include "support.hpp"

namespace pimdse::models::upmem {
namespace {

std::string refusal(Settings const& settings) { return upmem().refusal(settings); }

}  // namespace

TEST(Feasibility, default_point_exists) { EXPECT_EQ(refusal({}), ""); }

TEST(Feasibility, more_tasklets_than_the_hardware_has_are_refused_by_number) {
    EXPECT_EQ(refusal({{"tasklets", "24"}, {"dma_block", "256"}}), "");
    EXPECT_EQ(refusal({{"tasklets", "25"}, {"dma_block", "256"}}), "tasklets: 25 tasklets per DPU (there are 1 to 24)");
    EXPECT_EQ(refusal({{"tasklets", "0"}}), "tasklets: 0 tasklets per DPU (there are 1 to 24)");
}

TEST(Feasibility, counts_end_where_the_system_ends) {
    EXPECT_EQ(refusal({{"dpus", "0"}}), "dpus: 0 DPUs (there are 1 to 2560)");
    EXPECT_EQ(refusal({{"dpus", "2560"}, {"ranks", "40"}}), "");
    EXPECT_EQ(refusal({{"dpus", "2561"}, {"ranks", "40"}}), "dpus: 2561 DPUs (there are 1 to 2560)");
    EXPECT_EQ(refusal({{"dpus", "64"}}), "");
    EXPECT_EQ(refusal({{"dpus", "65"}}), "ranks: 65 DPUs in 1 rank (a rank has 64)");
    EXPECT_EQ(refusal({{"dpus", "1"}, {"ranks", "2"}}), "");
    EXPECT_EQ(refusal({{"dpus", "1"}, {"ranks", "2"}, {"lock", "rank_level"}}),
              "ranks: 2 ranks for 1 DPU (every rank that takes turns has one at least)");
    EXPECT_EQ(refusal({{"ranks", "41"}, {"dpus", "64"}}), "ranks: 41 ranks (there are 1 to 40)");
    EXPECT_EQ(refusal({{"streams", "65"}}), "streams: 65 streams (there are 1 to 64)");
    EXPECT_EQ(refusal({{"elements", "0"}}), "elements: 0 elements (there must be one at least)");
    EXPECT_EQ(refusal({{"dispatch_distance", "15"}}),
              "dispatch_distance: 15 cycles between instructions of a tasklet (there are 1 to 14)");
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
    EXPECT_EQ(refusal({{"tasklets", "22"}}),
              "wram: 22 tasklets need 67584 B of WRAM (2048 B of buffers and 1024 B of stack each), a DPU has 65536 B");
    EXPECT_EQ(refusal({{"tasklets", "24"}, {"preset", "upimulator-go"}}), "");
    EXPECT_EQ(refusal({{"kernel", "bs"}, {"elements", "32768"}}), "");
}

TEST(Feasibility, bank_memory_is_filled_to_the_last_element_and_not_beyond) {
    EXPECT_EQ(refusal({{"elements", "8388608"}}), "");
    EXPECT_EQ(refusal({{"elements", "8388610"}}),
              "mram: 67108880 B of data in the MRAM of one DPU (it holds 67108864 B)");
    EXPECT_EQ(refusal({{"elements", "8388608"}, {"lock", "double_bank"}, {"streams", "2"}}), "");
    EXPECT_EQ(refusal({{"elements", "8388608"}, {"lock", "double_bank"}}),
              "mram: 67108864 B of data in one of two MRAM banks of one DPU (it holds 33554432 B)");
}

TEST(Feasibility, model_that_outgrows_the_mram_names_the_bytes) {
    EXPECT_NE(refusal({{"kernel", "gemv-int8"}, {"llm", "opt-6.7b"}}).find("mram: "), std::string::npos);
    EXPECT_EQ(refusal({{"kernel", "gemv-int8"}, {"llm", "opt-6.7b"}, {"dpus", "2048"}, {"ranks", "32"}}), "");
    EXPECT_NE(refusal({{"kernel", "va"}, {"llm", "opt-6.7b"}}).find("llm: kernel va with the model"),
              std::string::npos);
}

TEST(Feasibility, work_that_cannot_be_cut_takes_one_stream) {
    EXPECT_NE(refusal({{"kernel", "mlp"}, {"elements", "1024"}, {"streams", "2"}}).find("streams: 2 streams of mlp"),
              std::string::npos);
    EXPECT_NE(refusal({{"elements", "10"}, {"streams", "6"}})
                  .find("streams: 6 streams of 10 elements on 1 DPU (only 5 transfers"),
              std::string::npos);
    EXPECT_EQ(refusal({{"elements", "10"}, {"streams", "5"}}), "");
}

}  // namespace pimdse::models::upmem
