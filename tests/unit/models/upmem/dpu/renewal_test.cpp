#include "models/upmem/dpu/block_program.hpp"
#include "models/upmem/dpu/core.hpp"
#include "models/upmem/dpu/memory.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::models::upmem::dpu::renewal_test {
namespace {

/// The same program without the knowledge of what comes next: every round is stepped.
struct Unknown {
    BlockProgram program;
    Issued issue(std::size_t tasklet) { return program.issue(tasklet); }
    void moved(Issued const&) {}
};

static_assert(Renewing<BlockProgram> && !Renewing<Unknown>);

template <class Memory>
void compare(BlockWork const& work, Memory stepped, Memory counted, int distance) {
    Unknown slow{BlockProgram(work)};
    BlockProgram quick(work);
    auto const wanted = Core<Unknown, Memory>(slow, stepped, {work.tasklets, distance}).run();
    auto const ours = Core<BlockProgram, Memory>(quick, counted, {work.tasklets, distance}).run();
    ASSERT_EQ(ours, wanted) << work.tasklets << " tasklets, " << work.blocks << " blocks of " << work.per_block;
    ASSERT_EQ(counted.busy_cycles(), stepped.busy_cycles());
}

}  // namespace

TEST(DpuRenewal, counted_rounds_equal_stepped_rounds) {
    std::mt19937 random(11);
    for (int round = 0; round < tests::draws(300); ++round) {
        BlockWork work;
        work.tasklets = static_cast<int>(1 + random() % 24);
        work.blocks = random() % 90;
        work.chunk = 1 + random() % 3;
        work.per_block = static_cast<double>(random() % 60000) / 11.0;
        work.instructions = std::max(0.0, (static_cast<double>(work.blocks) - 0.7) * work.per_block);
        work.fixed = static_cast<double>(random() % 900);
        work.reads = static_cast<int>(random() % 3);
        work.writes = static_cast<int>(random() % 2);
        work.read_bytes = static_cast<std::uint32_t>(8 + 8 * (random() % 256));
        work.write_bytes = static_cast<std::uint32_t>(8 + 8 * (random() % 256));
        int const distance = round % 2 == 0 ? 11 : static_cast<int>(1 + random() % 14);
        compare(work, BankMemory({}, MemoryClock(2400, 350)), BankMemory({}, MemoryClock(2400, 350)), distance);
        compare(work, ServerMemory(72, 0.5, pipeline_depth), ServerMemory(72, 0.5, pipeline_depth), distance);
    }
}

/// Whole blocks alike, or alike every few blocks, and services without rounding: the state comes back, and a period
/// stands for all that follow. Tenths and sixty-fifths have no period that is certain.
TEST(DpuRenewal, counted_blocks_equal_stepped_blocks) {
    static_assert(Recurring<BlockProgram, ServerMemory> && !Recurring<BlockProgram, BankMemory>);
    std::mt19937 random(13);
    for (int round = 0; round < tests::draws(200); ++round) {
        BlockWork work;
        work.tasklets = static_cast<int>(1 + random() % 24);
        work.blocks = random() % 1500;
        work.chunk = 1 + random() % 3;
        constexpr std::array<double, 10> parts{1.0, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 64.0, 65.0};
        double const part = parts[random() % parts.size()];
        work.per_block = static_cast<double>(random() % static_cast<unsigned>(120.0 * part)) / part;
        work.instructions = std::max(0.0, (static_cast<double>(work.blocks) - 0.3) * work.per_block);
        work.extras = random() % 3 == 0 ? 0.25 : 0.0;
        work.reads = static_cast<int>(random() % 3);
        work.writes = static_cast<int>(random() % 2);
        work.read_bytes = static_cast<std::uint32_t>(8 + 8 * (random() % 32));
        work.write_bytes = static_cast<std::uint32_t>(8 + 8 * (random() % 32));
        double const per_byte = round % 4 == 0 ? 350.0 / 1300.0 : 0.5;
        ServerMemory const memory(static_cast<double>(random() % 90), per_byte, pipeline_depth);
        compare(work, memory, memory, round % 2 == 0 ? 11 : static_cast<int>(1 + random() % 14));
    }
}

TEST(DpuRenewal, a_long_run_of_small_blocks_costs_its_period) {
    for (double const per_block : {82.0, 82.2}) {
        BlockWork work;
        work.tasklets = 16;
        work.blocks = 1'000'000'000;
        work.per_block = per_block;
        work.instructions = 1e9 * per_block;
        work.reads = 2;
        work.writes = 1;
        work.read_bytes = work.write_bytes = 24;
        BlockProgram program(work);
        ServerMemory memory(72, 0.5, pipeline_depth);
        auto const run = Core<BlockProgram, ServerMemory>(program, memory, {work.tasklets, 11}).run();
        EXPECT_NEAR(static_cast<double>(run.cycles), 3 * 84e9, 1e4);
        EXPECT_EQ(memory.busy_cycles(), 3 * 84e9);
    }
}

}  // namespace pimdse::models::upmem::dpu::renewal_test
