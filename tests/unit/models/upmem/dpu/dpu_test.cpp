#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/interpreter.hpp"
#include "models/upmem/dpu/memory.hpp"
#include "stepped_dpu.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace pimdse::models::upmem::dpu::dpu_test {
namespace {

/// A source that is always willing; the i-th instruction has the i-th extra.
struct Extras {
    std::vector<int> extras;
    std::size_t next = 0;
    Issued issue(std::size_t) {
        constexpr std::array<std::uint32_t, 3> reads{0, 0b101, 0b1010101};
        Issued issued{.reads = reads[static_cast<std::size_t>(extras[next])]};
        if (++next == extras.size()) issued.kind = Issued::Kind::stop;
        return issued;
    }
    void moved(Issued const&) {}
};

std::vector<int> repeated(std::vector<int> const& pattern, std::size_t n) {
    std::vector<int> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(pattern[i % pattern.size()]);
    return all;
}

/// What a program with one tasklet is refused for; "" if it ends.
std::string refusal(std::string const& main, MemoryMap const& memories = {}) {
    try {
        Interpreter program(assemble(main, "main.s", {}, 1), 1, {}, 0, memories);
        for (int i = 0; i < 1000; ++i) {
            auto const issued = program.issue(0);
            if (issued.kind == Issued::Kind::transfer) program.moved(issued);
            if (issued.kind == Issued::Kind::stop) return "";
        }
        return program.running_at();
    } catch (sim::InputError const& error) {
        return error.what();
    }
}

std::string of_transfer(std::uint32_t wram, std::uint32_t mram, int length, std::string const& name = "ldma") {
    return refusal(fmt::format("move r1, {}\nmove r2, {}\n{} r1, r2, {}\njump r23\n", wram, mram, name, length));
}

}  // namespace

TEST(Dpu, memory_clock_gives_every_dpu_cycle_its_memory_cycles) {
    std::vector<std::int64_t> const wanted{0, 6, 13, 20, 27, 34, 41, 48, 54};
    for (std::size_t c = 0; c < wanted.size(); ++c)
        EXPECT_EQ(repaired_clock.first(static_cast<std::int64_t>(c)), wanted[c]);
    for (auto const& clock : {original_clock, repaired_clock, MemoryClock(1000, 3000), MemoryClock(7, 5)}) {
        for (std::int64_t m = 0; m < 2000; ++m) {
            std::int64_t const c = clock.cycle_of(m);
            ASSERT_LE(clock.first(c), m);
            ASSERT_GT(clock.first(c + 1), m);
        }
    }
    for (std::int64_t c = 0; c < 8'000'000; c += 997)
        ASSERT_EQ(repaired_clock.first(c), static_cast<std::int64_t>(2400.0 / 350.0 * static_cast<double>(c)));
}

TEST(Dpu, memory_clock_of_frequencies_without_a_common_factor_is_exact_too) {
    // Products of the two are beyond 64 bits: 4 THz against 1088587141 Hz.
    MemoryClock const clock(4'000'000'000'001, 1'088'587'141);
    for (std::int64_t c : {1LL, 1'000'000LL, 1'088'587'140LL, 5'000'000'000LL}) {
        long double const exact = static_cast<long double>(c) * 4'000'000'000'001.0L / 1'088'587'141.0L;
        EXPECT_NEAR(static_cast<double>(static_cast<long double>(clock.first(c)) - exact), 0.0, 1.5) << c;
        EXPECT_EQ(clock.cycle_of(clock.first(c)), c);
        EXPECT_EQ(clock.cycle_of(clock.first(c) - 1), c - 1);
    }
    EXPECT_GT(clock.first(clock.beyond()), std::int64_t{1} << 60);
    EXPECT_LE(clock.first(clock.beyond()), std::int64_t{1} << 62);
}

TEST(Dpu, register_extras_count_pairs_of_equal_parity) {
    auto registers = [](std::vector<int> const& list) {
        std::uint32_t set = 0;
        for (int r : list) set |= 1U << r;
        return set;
    };
    EXPECT_EQ(register_extra(registers({3, 1})), 1);     // add r3,r3,-1 after add r1
    EXPECT_EQ(register_extra(registers({1, 5, 3})), 1);  // add r2,r1,r5 after add r3
    EXPECT_EQ(register_extra(registers({3, 2})), 0);
    EXPECT_EQ(register_extra(registers({21})), 0);
    EXPECT_EQ(register_extra(registers({14, 12})), 1);
    EXPECT_EQ(register_extra(registers({0, 1, 2})), 1);
    EXPECT_EQ(register_extra(registers({0, 8, 1})), 1);
    EXPECT_EQ(register_extra(registers({0, 2, 4, 6, 1, 3, 5})), 3);
    EXPECT_EQ(register_extra(0), 0);
}

TEST(Dpu, assembled_instructions_read_and_write_the_registers_of_the_rules) {
    auto const program = assemble(
        "move r1, r2\nadd r3, r4, r5\nlsl_add r6, r7, r8, 3\n.L:\nmul_step d0, r2, d0, 4, z, .L\nlw r1, r2, 0\nld d8, "
        "r2, 0\nsw r1, 0, "
        "r2\nsdma r1, r2, 3\njeq r1, r2, .L\n"
        "call r23, .L\njump r23\nacquire r4, 8, nz, .L\nmove r1, id\nsw zero, 4, r9\nsd r1, 0, d10\n",
        "t.s", {}, 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> const wanted{{1U << 2, 1U << 1},
                                                                      {1U << 4 | 1U << 5, 1U << 3},
                                                                      {1U << 7 | 1U << 8, 1U << 6},
                                                                      {0b111, 0b11},
                                                                      {1U << 2, 1U << 1},
                                                                      {1U << 2, 3U << 8},
                                                                      {0b110, 0},
                                                                      {0b110, 0},
                                                                      {0b110, 0},
                                                                      {0, 1U << 23},
                                                                      {1U << 23, 0},
                                                                      {1U << 4, 0},
                                                                      {0, 1U << 1},
                                                                      {1U << 9, 0},
                                                                      {1U << 1 | 3U << 10, 0}};
    ASSERT_EQ(program.code.size(), 4 + wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(program.code[4 + i].reads, wanted[i].first) << i;
        EXPECT_EQ(program.code[4 + i].writes, wanted[i].second) << i;
    }
}

TEST(Dpu, mistakes_in_a_listing_are_reported_by_line_all_at_once) {
    try {
        (void)assemble("add r1, r2\nmove r99, 1\nad r1, r1, 1\nlw r1, r2, NOWHERE\njeq r1, r2, .gone\n", "bad.s",
                       {{"BLOCK", 8}}, 1);
        FAIL();
    } catch (sim::InputError const& error) {
        ASSERT_EQ(error.sentences().size(), 5u);
        EXPECT_THAT(error.sentences()[0], says("add-operands-takes-condition"));
        EXPECT_THAT(error.sentences()[1], says("r99-register-write-r0"));
        EXPECT_THAT(error.sentences()[2], says("unknown-instruction-ad-did"));
        EXPECT_THAT(error.sentences()[3], says("nowhere-neither-number-nor"));
        EXPECT_THAT(error.sentences()[4], says("label-gone-defined"));
    }
}

/// Only these: aligned to 8 B, 8 to 2,048 B, inside 128 KiB and 64 MiB.
TEST(Interpreter, makes_the_transfers_that_the_hardware_makes_and_refuses_others_with_their_line) {
    constexpr std::uint32_t wram_end = 1U << 17, mram_end = 1U << 26;
    std::mt19937 random(1);
    int made = 0;
    for (int i = 0; i < 4000; ++i) {
        auto const near = [&](std::uint32_t end) {
            auto const place = (random() % 2 == 0 ? end : 4096) - random() % 3000;
            return random() % 4 == 0 ? place : place / 8 * 8;
        };
        std::uint32_t const wram = near(wram_end), mram = near(mram_end), length = random() % 300;
        std::uint32_t const bytes = 8 * (length + 1);
        bool const right =
            wram % 8 == 0 && mram % 8 == 0 && bytes <= 2048 && wram + bytes <= wram_end && mram + bytes <= mram_end;
        made += right ? 1 : 0;
        auto const said = of_transfer(wram, mram, static_cast<int>(length), i % 2 == 0 ? "ldma" : "sdma");
        EXPECT_EQ(said.empty(), right) << wram << " " << mram << " " << length << ": " << said;
        if (!right) {
            EXPECT_EQ(said.find("main.s:3: "), 0U) << said;
        }
    }
    EXPECT_GT(made, 400);
    EXPECT_NE(of_transfer(64, 0, -1), "") << "a length is no negative number";
    EXPECT_NE(of_transfer((44U << 24U) + 64, 0, 255).find("2400 B"), std::string::npos) << "the address adds to it";
    EXPECT_EQ(of_transfer((255U << 24U) + 64, 0, 0), "") << "2,048 B";
    EXPECT_NE(of_transfer(64, 2147483648, 0).find("2147483655"), std::string::npos);
}

TEST(Interpreter, loads_and_stores_aligned_words) {
    for (std::uint32_t const address : {0U, 4U, 2U, 8U, 12U, 7U, (1U << 17U) - 4, (1U << 17U) - 8, 1U << 17U}) {
        for (std::string const name : {"lw r2, r1, 0", "ld d2, r1, 0", "sw r1, 0, r2", "sd r1, 0, d2"}) {
            std::uint32_t const bytes = name[1] == 'w' ? 4 : 8;
            bool const right = address % bytes == 0 && address + bytes <= 1U << 17U;
            auto const said = refusal(fmt::format("move r1, {}\n\n{}\njump r23\n", address, name));
            EXPECT_EQ(said.empty(), right) << name << " at " << address << ": " << said;
            if (!right) {
                EXPECT_EQ(said.find("main.s:3: "), 0U) << said;
            }
        }
    }
    EXPECT_NE(refusal("move r1, 65536\nlw r2, r1, 0\njump r23\n", {.wram_bytes = 1U << 16U}), "");
    EXPECT_EQ(refusal("move r1, 65532\nlw r2, r1, 0\njump r23\n", {.wram_bytes = 1U << 16U}), "");
}

TEST(Interpreter, knows_the_line_at_which_a_program_runs_on) {
    EXPECT_EQ(refusal("move r1, 0\n.L:\nadd r1, r1, 1, true, .L\n"), "main.s:3: ");
    EXPECT_EQ(refusal("acquire zero, 200, nz, .L\n.L:\njump r23\nmove r1, 0").find("main.s:"), std::string::npos);
    EXPECT_EQ(refusal("move r1, 0\n").find("main.s: "), 0U) << "past its end";
}

TEST(Dpu, delay_line_and_register_stage_alone_issue_and_retire_as_tabulated) {
    struct Row {
        std::vector<int> extras;
        std::vector<std::int64_t> issues, retires;
    };
    std::vector<Row> const rows{
        {repeated({0}, 20),
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
         {15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34}},
        {repeated({1}, 20),
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 21, 23, 25},
         {16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54}},
        {repeated({0, 1}, 24),
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 21, 24, 27, 30, 33, 36, 38},
         {15, 17, 18, 20, 21, 23, 24, 26, 27, 29, 30, 32, 33, 35, 36, 38, 39, 42, 43, 46, 47, 50, 51, 53}},
        {repeated({0, 0, 1}, 24),
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 21, 23, 25, 27, 29, 31},
         {15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28, 30, 31, 32, 34, 35, 36, 39, 40, 42, 44, 45, 46, 49}},
        {{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 20, 21, 22, 23},
         {17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 33, 34, 35, 36, 37}},
        {repeated({0, 0, 0, 0, 0, 1}, 30),
         {0,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
          16, 17, 18, 19, 20, 22, 24, 25, 26, 27, 29, 31, 32, 33, 34},
         {15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31,
          32, 33, 35, 36, 37, 39, 40, 41, 43, 44, 46, 47, 48, 49, 51}}};
    for (auto const& row : rows) {
        Extras slow{row.extras}, quick{row.extras};
        SteppedDpu<Extras> reference(slow, {1, 1}, {}, original_clock);
        Counters const wanted = reference.run();
        EXPECT_EQ(cycles_of(reference.issues), row.issues);
        EXPECT_EQ(cycles_of(reference.retires), row.retires);
        BankMemory memory({}, original_clock);
        Counters const ours = Core<Extras, BankMemory>(quick, memory, {1, 1}).run();
        EXPECT_EQ(ours, wanted);
        EXPECT_EQ(ours.cycles, row.retires.back() + 1);
    }
}

TEST(Dpu, one_transfer_with_an_idle_bank_takes_the_tabulated_cycles) {
    struct Row {
        std::uint32_t bytes;
        std::int64_t first, open, change;
    };
    for (auto const& [bytes, first, open, change] :
         {Row{8, 14, 9, 20}, {64, 53, 47, 58}, {512, 361, 355, 366}, {1024, 713, 707, 718}, {2048, 1429, -1, 1434}}) {
        auto wake = [&](std::vector<std::uint32_t> const& addresses) {
            BankMemory memory({}, original_clock);
            std::int64_t cycle = 100, back = 0;
            for (std::size_t i = 0; i < addresses.size(); ++i) {
                if (i > 0) cycle = back + 100;
                memory.accept({.kind = Issued::Kind::transfer, .mram = addresses[i], .bytes = bytes}, cycle);
                back = memory.next_hand_back(std::numeric_limits<std::int64_t>::max());
                EXPECT_EQ(memory.hand_back(back - 1), -1);
                EXPECT_EQ(memory.hand_back(back), 0);
            }
            return back + 1 - cycle;
        };
        EXPECT_EQ(wake({0}), first) << bytes;
        EXPECT_EQ(wake({0, 4096}), change) << bytes;
        if (open > 0) {
            EXPECT_EQ(wake({0, 0}), open) << bytes;
        }
    }
}

}  // namespace pimdse::models::upmem::dpu::dpu_test
