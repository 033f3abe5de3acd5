#include "models/upmem/cycle.hpp"
#include "models/upmem/dpu/block_program.hpp"
#include "stepped_dpu.hpp"
#include "support.hpp"

#include <random>

namespace pimdse::models::upmem {
namespace {

using dpu::Core;
using dpu::Counters;
using dpu::Interpreter;
using dpu::Issued;
using dpu::SteppedDpu;

dpu::MemoryClock const original(6, 1);
dpu::MemoryClock const repaired(2400, 350);

struct Case {
    Settings settings;
    Design design;
    Interpreter source;
};

Case make(std::string const& kernel, int tasklets, std::int64_t elements, int block = 1024) {
    Settings settings{{"kernel", kernel},
                      {"tasklets", std::to_string(tasklets)},
                      {"elements", std::to_string(elements)},
                      {"dma_block", std::to_string(block)},
                      {"preset", "upimulator-go"}};
    Design const d = bind_design(upmem().point(settings));
    return {settings, d, make_interpreter(upmem().inputs().as<Prepared>().kernels[d.kernel], d, elements)};
}

SteppedDpu<Interpreter> stepped(Case& c, dpu::MemoryClock clock = original, std::int64_t limit = 1LL << 40) {
    return {c.source, {static_cast<int>(c.design.tasklets), 11, limit}, {}, clock};
}

Counters fast(Case& c, dpu::MemoryClock clock = original, std::int64_t limit = 1LL << 40) {
    dpu::BankMemory memory({}, clock);
    return Core<Interpreter, dpu::BankMemory>(c.source, memory, {static_cast<int>(c.design.tasklets), 11, limit}).run();
}

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

std::vector<std::int64_t> cycles_of(std::vector<std::pair<std::int64_t, int>> const& events) {
    std::vector<std::int64_t> cycles;
    for (auto const& [cycle, tasklet] : events) cycles.push_back(cycle);
    return cycles;
}

}  // namespace

TEST(Dpu, memory_clock_gives_every_dpu_cycle_its_memory_cycles) {
    std::vector<std::int64_t> const wanted{0, 6, 13, 20, 27, 34, 41, 48, 54};
    for (std::size_t c = 0; c < wanted.size(); ++c) EXPECT_EQ(repaired.first(static_cast<std::int64_t>(c)), wanted[c]);
    for (auto const& clock : {original, repaired, dpu::MemoryClock(1000, 3000), dpu::MemoryClock(7, 5)}) {
        for (std::int64_t m = 0; m < 2000; ++m) {
            std::int64_t const c = clock.cycle_of(m);
            ASSERT_LE(clock.first(c), m);
            ASSERT_GT(clock.first(c + 1), m);
        }
    }
    for (std::int64_t c = 0; c < 8'000'000; c += 997)
        ASSERT_EQ(repaired.first(c), static_cast<std::int64_t>(2400.0 / 350.0 * static_cast<double>(c)));
}

TEST(Dpu, register_extras_count_pairs_of_equal_parity) {
    auto registers = [](std::vector<int> const& list) {
        std::uint32_t set = 0;
        for (int r : list) set |= 1U << r;
        return set;
    };
    EXPECT_EQ(dpu::register_extra(registers({3, 1})), 1);     // add r3,r3,-1 after add r1
    EXPECT_EQ(dpu::register_extra(registers({1, 5, 3})), 1);  // add r2,r1,r5 after add r3
    EXPECT_EQ(dpu::register_extra(registers({3, 2})), 0);
    EXPECT_EQ(dpu::register_extra(registers({21})), 0);
    EXPECT_EQ(dpu::register_extra(registers({14, 12})), 1);
    EXPECT_EQ(dpu::register_extra(registers({0, 1, 2})), 1);
    EXPECT_EQ(dpu::register_extra(registers({0, 8, 1})), 1);
    EXPECT_EQ(dpu::register_extra(registers({0, 2, 4, 6, 1, 3, 5})), 3);
    EXPECT_EQ(dpu::register_extra(0), 0);
}

TEST(Dpu, assembled_instructions_read_and_write_the_registers_of_the_rules) {
    auto const program = dpu::assemble(
        "move r1, r2\nadd r3, r4, r5\nlsl_add r6, r7, r8, 3\n.L:\nmul_step d0, r2, d0, 4, z, .L\nlw r1, r2, 0\nld d8, r2, 0\nsw r1, 0, "
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
        (void)dpu::assemble("add r1, r2\nmove r99, 1\nad r1, r1, 1\nlw r1, r2, NOWHERE\njeq r1, r2, .gone\n", "bad.s", {{"BLOCK", 8}}, 1);
        FAIL();
    } catch (sim::InputError const& error) {
        ASSERT_EQ(error.sentences().size(), 5u);
        EXPECT_EQ(error.sentences()[0], "bad.s:1: 'add' has 2 operands (it takes 3, and a condition with a label if it branches)");
        EXPECT_EQ(error.sentences()[1], "bad.s:2: 'r99' is no register (write r0 to r23)");
        EXPECT_NE(error.sentences()[2].find("bad.s:3: unknown instruction 'ad'. Did you mean 'add'?"), std::string::npos);
        EXPECT_NE(error.sentences()[3].find("bad.s:4: 'NOWHERE' is neither a number nor a known constant"), std::string::npos);
        EXPECT_EQ(error.sentences()[4], "bad.s:5: label '.gone' is not there");
    }
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
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 25, 26, 27, 29, 31, 32, 33, 34},
         {15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 32, 33, 35, 36, 37, 39, 40, 41, 43, 44, 46, 47, 48, 49, 51}}};
    for (auto const& row : rows) {
        Extras slow{row.extras}, quick{row.extras};
        SteppedDpu<Extras> reference(slow, {1, 1}, {}, original);
        Counters const wanted = reference.run();
        EXPECT_EQ(cycles_of(reference.issues), row.issues);
        EXPECT_EQ(cycles_of(reference.retires), row.retires);
        dpu::BankMemory memory({}, original);
        Counters const ours = Core<Extras, dpu::BankMemory>(quick, memory, {1, 1}).run();
        EXPECT_EQ(ours, wanted);
        EXPECT_EQ(ours.cycles, row.retires.back() + 1);
    }
}

TEST(Dpu, two_tasklets_of_alu1_pass_the_places_as_traced) {
    auto c = make("alu1", 2, 2000);
    auto d = stepped(c);
    std::map<std::int64_t, std::string> const wanted{
        {76, "none 12(3) empty none none none"}, {77, "none 12(3) t0 none none none"},    {78, "none 12(2) t1 none t0:0 none"},
        {79, "none 12(2) empty t1 none t0"},     {80, "none 13(2) empty none t1:0 none"}, {81, "none 12(2) empty none none t1"},
        {82, "none 12(2) empty none none none"}, {87, "none 12(3) empty none none none"}, {88, "none 12(4) empty none none none"},
        {89, "none 12(3) t0 none none none"},    {90, "none 12(2) t1 none t0:0 none"},    {91, "none 12(2) empty t1 none t0"},
        {92, "none 13(2) empty none t1:0 none"}};
    for (std::int64_t cycle = 0; cycle <= 92; ++cycle) {
        d.cycle();
        auto const row = wanted.find(cycle);
        if (row == wanted.end()) continue;
        EXPECT_EQ(d.places(), row->second) << cycle;
    }
    std::vector<std::int64_t> const issues{10, 21, 22, 32, 33, 43, 44, 54, 55, 65, 66, 76, 77, 87, 88};
    EXPECT_EQ(cycles_of(d.issues), issues);
}

TEST(Dpu, congested_aluhaz_passes_the_places_as_traced) {
    auto c = make("aluhaz", 16, 16000);
    auto d = stepped(c);
    std::map<std::int64_t, std::string> const wanted{
        {1990, "none 12(8) t5 none t4:0 none"},   {1991, "none 12(9) empty t5 none t4"},     {1992, "none 13(9) empty none none t5"},
        {1993, "t15 12(8) t6 none none none"},    {1994, "none 12(9) empty none t6:0 none"}, {1995, "none 12(9) t7 none none t6"},
        {1996, "none 12(10) empty none none t7"}, {2001, "t5 12(10) t10 none none none"},    {2004, "none 13(10) t12 none none t11"},
        {2005, "t7 12(9) t13 none t12:0 none"},   {2006, "none 12(9) t14 t13 none t12"},     {2007, "none 13(9) t14 none none t13"},
        {2008, "t8 12(9) empty none t14:0 none"}};
    for (std::int64_t cycle = 0; cycle <= 2008; ++cycle) {
        d.cycle();
        auto const row = wanted.find(cycle);
        if (row == wanted.end()) continue;
        EXPECT_EQ(d.places(), row->second) << cycle;
    }
}

TEST(Dpu, first_blocks_of_dma1_take_the_memory_cycles_of_the_trace) {
    auto c = make("dma1", 1, 64 * 8, 64);
    auto d = stepped(c, original, 286);
    d.run();
    auto const at = [&](std::string const& what, std::size_t n) {
        for (auto const& [name, m] : d.memory.log) {
            if (name == what && n-- == 0) return m;
        }
        return std::int64_t{-1};
    };
    EXPECT_EQ(at("cut", 0), 876);
    EXPECT_EQ(at("activate", 0), 877);
    EXPECT_EQ(at("open", 0), 909);
    for (std::size_t k = 0; k < 8; ++k) {
        auto const n = static_cast<std::int64_t>(k);
        EXPECT_EQ(at("access", k), 910 + 33 * n);
        EXPECT_EQ(at("bus", k), 942 + 33 * n);
        EXPECT_EQ(at("acknowledged", k), 951 + 33 * n);
    }
    EXPECT_EQ(at("cut", 1), 1422);
    EXPECT_EQ(at("access", 8), 1423);
    EXPECT_EQ(cycles_of(d.issues), (std::vector<std::int64_t>{10, 21, 32, 43, 54, 65, 76, 87, 98, 109, 120, 131, 200, 211, 222, 285}));
}

TEST(Dpu, whole_row_read_takes_the_memory_cycles_of_the_trace) {
    auto c = make("dma1", 1, 64 * 128, 1024);
    auto d = stepped(c, original, 1700);
    d.run();
    auto const issues = cycles_of(d.issues);
    for (std::int64_t cycle : {131, 860, 871, 882, 1616}) EXPECT_NE(std::find(issues.begin(), issues.end(), cycle), issues.end()) << cycle;
}

TEST(Dpu, one_transfer_with_an_idle_bank_takes_the_tabulated_cycles) {
    struct Row {
        std::uint32_t bytes;
        std::int64_t first, open, change;
    };
    for (auto const& [bytes, first, open, change] :
         {Row{8, 14, 9, 20}, {64, 53, 47, 58}, {512, 361, 355, 366}, {1024, 713, 707, 718}, {2048, 1429, -1, 1434}}) {
        auto wake = [&](std::vector<std::uint32_t> const& addresses) {
            dpu::BankMemory memory({}, original);
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

TEST(Dpu, mutex_is_won_in_issue_order) {
    auto c = make("mutex", 2, 200);
    auto d = stepped(c, original, 176);
    d.run();
    std::vector<std::int64_t> waiting;
    for (auto const& [cycle, tasklet] : d.issues) {
        if (tasklet == 1 && cycle >= 77 && cycle <= 121) waiting.push_back(cycle);
    }
    EXPECT_EQ(waiting, (std::vector<std::int64_t>{77, 88, 99, 110, 121}));
}

TEST(Dpu, running_totals_equal_the_checkpoints) {
    struct Row {
        char const* kernel;
        int tasklets;
        std::int64_t elements;
        int block;
        bool fixed;
        std::int64_t cycles;
        Counters wanted;
        std::int64_t accesses;
    };
    for (auto const& row : {Row{"aluhaz", 16, 16000, 1024, false, 500, {500, 306, 0, 64, 130, 88}, 0},
                            {"aluhaz", 16, 16000, 1024, false, 2000, {2000, 1181, 0, 64, 755, 525}, 0},
                            {"aluhaz", 16, 16000, 1024, false, 20000, {20000, 11651, 0, 64, 8285, 5761}, 0},
                            {"dmat", 16, 4096, 64, false, 500, {500, 321, 0, 64, 115, 80}, 51},
                            {"dmat", 16, 4096, 64, false, 1000, {1000, 491, 231, 64, 214, 166}, 121},
                            {"dmat", 16, 4096, 64, false, 10000, {10000, 984, 8738, 64, 214, 330}, 1435},
                            {"va", 11, 65536, 1024, false, 1000, {1000, 263, 585, 62, 90, 66}, 120},
                            {"va", 11, 65536, 1024, false, 20000, {20000, 7784, 12048, 62, 106, 110}, 2816},
                            {"va", 24, 65536, 1024, false, 2000, {2000, 581, 67, 62, 1290, 148}, 280},
                            {"va", 24, 65536, 1024, false, 20000, {20000, 908, 1912, 62, 17118, 198}, 3496},
                            {"red", 16, 16384, 1024, false, 5000, {5000, 1525, 2946, 65, 464, 772}, 828},
                            {"red", 16, 16384, 1024, false, 50000, {50000, 28125, 3148, 65, 18662, 16619}, 6576},
                            {"gemv-rows", 16, 64, 1024, false, 1000, {1000, 598, 0, 62, 340, 293}, 90},
                            {"gemv-rows", 16, 64, 1024, false, 50000, {50000, 24347, 14224, 62, 11367, 8735}, 4096},
                            {"bslike", 16, 128, 1024, false, 10000, {10000, 335, 9551, 64, 50, 52}, 1775},
                            {"va", 16, 65536, 1024, true, 2000, {2000, 389, 1407, 62, 142, 100}, 328},
                            {"va", 16, 65536, 1024, true, 50000, {50000, 31222, 18390, 62, 326, 242}, 6861},
                            {"mutex", 8, 800, 1024, false, 10000, {10000, 7238, 0, 2762, 0, 0}, 0}}) {
        auto slow = make(row.kernel, row.tasklets, row.elements, row.block);
        auto quick = make(row.kernel, row.tasklets, row.elements, row.block);
        auto const clock = row.fixed ? repaired : original;
        auto reference = stepped(slow, clock, row.cycles);
        EXPECT_EQ(reference.run(), row.wanted) << row.kernel << row.cycles;
        EXPECT_EQ(reference.memory.accesses, row.accesses) << row.kernel << row.cycles;
        EXPECT_EQ(fast(quick, clock, row.cycles), row.wanted) << row.kernel << row.cycles;
    }
}

}  // namespace pimdse::models::upmem
