#include "models/upmem/cycle.hpp"
#include "models/upmem/dpu/block_program.hpp"
#include "stepped_dpu.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace pimdse::models::upmem::dpu::random_programs_test {
namespace {

/// Random but ending programs: a counted loop of arithmetic, loads, stores, transfers of any size that may cross rows,
/// a multiply step, and a critical section under one of two locks.
class Writer {
  public:
    explicit Writer(std::uint64_t seed) : random_(seed) {}

    std::string program() {
        text_ = fmt::format(
            "move r21, r23\nmove r12, {}\nmove r1, id\nlsl r2, r1, 12\nmove r14, heap\nadd r14, r14, r2\nlsl r2, r1, "
            "{}\nadd r12, r12, "
            "r2\nmove r4, 0\nmove r3, {}\n.Lv:\n",
            8 * any(512), 3 + any(9), 2 + any(12));
        int const length = 1 + any(14);
        for (int i = 0; i < length; ++i) line();
        text_ += "add r3, r3, -1, nz, .Lv\n";
        show_registers();
        return text_ + "jump r21\n";
    }

    int any(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  private:
    static constexpr std::array free{0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 17, 18, 19, 20, 22};

    int scratch() { return free[static_cast<std::size_t>(any(free.size()))]; }

    void line() {
        constexpr std::array arithmetic{"add", "addc", "sub", "and", "lsl", "lsr"};
        switch (any(10)) {
            case 0:
                text_ += fmt::format("lw r{}, r14, {}\n", scratch(), 4 * any(64));
                break;
            case 1:
                text_ += fmt::format("sw r14, {}, r{}\n", 4 * any(64), scratch());
                break;
            case 2:
                text_ += fmt::format("ld d{}, r14, {}\n", 2 * any(2) + 8, 8 * any(32));
                break;
            case 3:
            case 4:
                transfer();
                break;
            case 5:
                critical();
                break;
            case 6:
                text_ +=
                    fmt::format("mul_step d0, r{}, d0, {}, z, .L{}\n.L{}:\n", scratch(), any(32), labels_, labels_);
                ++labels_;
                break;
            case 7:
                text_ += fmt::format("add r{}, r{}, r{}, {}, .L{}\nmove r{}, id\n.L{}:\n", scratch(), scratch(),
                                     scratch(), any(2) == 0 ? "z" : "nz", labels_, scratch(), labels_);
                ++labels_;
                break;
            default:
                text_ += fmt::format("{} r{}, r{}, r{}\n", arithmetic[static_cast<std::size_t>(any(arithmetic.size()))],
                                     scratch(), scratch(), scratch());
        }
    }

    void transfer() {
        int const words = any(3) == 0 ? 1 + any(256) : 1 + any(16);
        text_ +=
            fmt::format("{} r14, r12, {}\nadd r12, r12, {}\n", any(2) == 0 ? "ldma" : "sdma", words - 1, 8 * any(400));
    }

    void critical() {
        text_ += fmt::format(".L{}:\nacquire r4, {}, nz, .L{}\nadd r{}, r{}, 1\n", labels_, 8 + any(2), labels_,
                             scratch(), scratch());
        if (any(3) == 0) transfer();
        text_ += fmt::format("release r4, 8, nz, .L{}\n.L{}:\nrelease r4, 9, nz, .L{}\n.L{}:\n", labels_ + 1,
                             labels_ + 1, labels_ + 2, labels_ + 2);
        labels_ += 3;
    }

    /// What stands in the registers at the end becomes addresses of transfers in 64 MiB, which the test compares: the
    /// lower 23 bits, then the upper 16.
    void show_registers() {
        for (int const r : free) {
            text_ += fmt::format(
                "lsl r12, r{}, 9\nlsr r12, r12, 6\nsdma r14, r12, 0\nlsr r12, r{}, 16\nlsl r12, r12, 3\nsdma r14, "
                "r12, 0\n",
                r, r);
        }
    }

    std::mt19937_64 random_;
    std::string text_;
    int labels_ = 0;
};

/// A program with all that it issued: branches and the addresses of transfers, the last of which are the registers.
struct Recorded {
    Interpreter interpreter;
    std::vector<Issued> issued;

    Issued issue(std::size_t tasklet) { return issued.emplace_back(interpreter.issue(tasklet)); }
    void moved(Issued const& transfer) { interpreter.moved(transfer); }
};

constexpr std::int64_t limit = 3'000'000;

void compare(std::uint64_t seed, MemoryClock clock, int dispatch_distance) {
    Writer writer(seed);
    auto const text = writer.program();
    int const tasklets = 1 + writer.any(24);
    auto const program = assemble(text, "random.s", {{"heap", 4096}}, tasklets);
    Recorded slow{{program, tasklets, {}, 4095}, {}}, quick{{program, tasklets, {}, 4095}, {}};
    SteppedDpu<Recorded> reference(slow, {tasklets, dispatch_distance, limit}, {}, clock);
    BankMemory memory({}, clock);
    Counters const wanted = reference.run();
    Core<Recorded, BankMemory> core(quick, memory, {tasklets, dispatch_distance, limit});
    ASSERT_EQ(core.run(), wanted) << "seed " << seed << ", " << tasklets << " tasklets\n" << text;
    ASSERT_LT(wanted.cycles, limit) << text;
    EXPECT_EQ(wanted.cycles, wanted.instructions + wanted.idle_dma + wanted.idle_other + wanted.back_pressure);
    EXPECT_EQ(memory.row_activations(), reference.memory.activations) << seed;
    EXPECT_TRUE(slow.issued == quick.issued) << seed;
}

}  // namespace

TEST(RandomPrograms, event_driven_equals_stepped_with_the_original_clock) {
    for (std::uint64_t seed = 1; seed <= tests::draws(200UL); ++seed) compare(seed, original_clock, 11);
}

TEST(RandomPrograms, event_driven_equals_stepped_with_the_repaired_clock) {
    for (std::uint64_t seed = 1001; seed <= 1000 + tests::draws(150UL); ++seed) compare(seed, repaired_clock, 11);
}

TEST(RandomPrograms, event_driven_equals_stepped_with_other_clocks_and_dispatch_distances) {
    for (std::uint64_t seed = 2001; seed <= 2000 + tests::draws(120UL); ++seed)
        compare(seed, {static_cast<std::int64_t>(100 + seed * 37 % 2000), 200}, static_cast<int>(1 + seed % 14));
}

TEST(RandomPrograms, made_block_programs_run_alike_too) {
    std::mt19937 random(5);
    for (int round = 0; round < tests::draws(150); ++round) {
        BlockWork work;
        work.tasklets = static_cast<int>(1 + random() % 24);
        work.blocks = random() % 60;
        work.chunk = 1 + random() % 4;
        work.per_block = 1.0 + static_cast<double>(random() % 4000) / 7.0;
        work.instructions = std::max(0.0, (static_cast<double>(work.blocks) - 0.3) * work.per_block);
        work.fixed = static_cast<double>(random() % 200);
        work.extras = round % 3 == 0 ? static_cast<double>(random() % 100) / 60.0 : 0.0;
        int const distance = round % 2 == 0 ? 11 : static_cast<int>(1 + random() % 14);
        work.reads = static_cast<int>(random() % 3);
        work.writes = static_cast<int>(random() % 2);
        work.read_bytes = static_cast<std::uint32_t>(8 + 8 * (random() % 256));
        work.write_bytes = static_cast<std::uint32_t>(8 + 8 * (random() % 256));
        BlockProgram slow(work), quick(work);
        SteppedDpu<BlockProgram> reference(slow, {work.tasklets, distance, limit}, {}, original_clock);
        BankMemory memory({}, original_clock);
        auto const ours = Core<BlockProgram, BankMemory>(quick, memory, {work.tasklets, distance, limit}).run();
        EXPECT_EQ(ours, reference.run()) << round;
        double const transfers = static_cast<double>(work.blocks) * (work.reads + work.writes);
        if (work.per_block >= work.reads + work.writes + 1) {
            double const starts = 4.0 * work.tasklets - 1 + work.tasklets * work.fixed;
            EXPECT_NEAR(static_cast<double>(ours.instructions), std::max(work.instructions, transfers) + starts, 4.0)
                << round;
        }
    }
}

}  // namespace pimdse::models::upmem::dpu::random_programs_test
