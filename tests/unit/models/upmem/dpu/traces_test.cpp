#include "models/upmem/cycle.hpp"
#include "stepped_dpu.hpp"
#include "tests/unit/models/upmem/support.hpp"

namespace pimdse::models::upmem::traces_test {
namespace {

using dpu::BankMemory;
using dpu::Core;
using dpu::Counters;
using dpu::cycles_of;
using dpu::Interpreter;
using dpu::original_clock;
using dpu::repaired_clock;
using dpu::SteppedDpu;

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
    Design const d = read_design(upmem().point(settings));
    return {settings, d, make_interpreter(prepared(), d, elements)};
}

SteppedDpu<Interpreter> stepped(Case& c, dpu::MemoryClock clock = original_clock, std::int64_t limit = 1LL << 40) {
    return {c.source, {static_cast<int>(c.design.tasklets), 11, limit}, {}, clock};
}

Counters fast(Case& c, dpu::MemoryClock clock = original_clock, std::int64_t limit = 1LL << 40) {
    BankMemory memory({}, clock);
    return Core<Interpreter, BankMemory>(c.source, memory, {static_cast<int>(c.design.tasklets), 11, limit}).run();
}

/// By cycle, as SteppedDpu::places prints them.
using Places = std::map<std::int64_t, std::string>;

void expect_places(SteppedDpu<Interpreter>& dpu, Places const& wanted) {
    for (std::int64_t cycle = 0; cycle <= wanted.rbegin()->first; ++cycle) {
        dpu.cycle();
        if (auto const row = wanted.find(cycle); row != wanted.end()) {
            EXPECT_EQ(dpu.places(), row->second) << cycle;
        }
    }
}

}  // namespace

TEST(DpuTraces, two_tasklets_of_alu1_pass_the_places_as_traced) {
    auto c = make("alu1", 2, 2000);
    auto d = stepped(c);
    Places const wanted{{76, "none 12(3) empty none none none"}, {77, "none 12(3) t0 none none none"},
                        {78, "none 12(2) t1 none t0:0 none"},    {79, "none 12(2) empty t1 none t0"},
                        {80, "none 13(2) empty none t1:0 none"}, {81, "none 12(2) empty none none t1"},
                        {82, "none 12(2) empty none none none"}, {87, "none 12(3) empty none none none"},
                        {88, "none 12(4) empty none none none"}, {89, "none 12(3) t0 none none none"},
                        {90, "none 12(2) t1 none t0:0 none"},    {91, "none 12(2) empty t1 none t0"},
                        {92, "none 13(2) empty none t1:0 none"}};
    expect_places(d, wanted);
    std::vector<std::int64_t> const issues{10, 21, 22, 32, 33, 43, 44, 54, 55, 65, 66, 76, 77, 87, 88};
    EXPECT_EQ(cycles_of(d.issues), issues);
}

TEST(DpuTraces, congested_aluhaz_passes_the_places_as_traced) {
    auto c = make("aluhaz", 16, 16000);
    auto d = stepped(c);
    Places const wanted{{1990, "none 12(8) t5 none t4:0 none"},    {1991, "none 12(9) empty t5 none t4"},
                        {1992, "none 13(9) empty none none t5"},   {1993, "t15 12(8) t6 none none none"},
                        {1994, "none 12(9) empty none t6:0 none"}, {1995, "none 12(9) t7 none none t6"},
                        {1996, "none 12(10) empty none none t7"},  {2001, "t5 12(10) t10 none none none"},
                        {2004, "none 13(10) t12 none none t11"},   {2005, "t7 12(9) t13 none t12:0 none"},
                        {2006, "none 12(9) t14 t13 none t12"},     {2007, "none 13(9) t14 none none t13"},
                        {2008, "t8 12(9) empty none t14:0 none"}};
    expect_places(d, wanted);
}

TEST(DpuTraces, first_blocks_of_dma1_take_the_memory_cycles_of_the_trace) {
    auto c = make("dma1", 1, 64 * 8, 64);
    auto d = stepped(c, original_clock, 286);
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
    EXPECT_EQ(cycles_of(d.issues),
              (std::vector<std::int64_t>{10, 21, 32, 43, 54, 65, 76, 87, 98, 109, 120, 131, 200, 211, 222, 285}));
}

TEST(DpuTraces, whole_row_read_takes_the_memory_cycles_of_the_trace) {
    auto c = make("dma1", 1, 64 * 128, 1024);
    auto d = stepped(c, original_clock, 1700);
    d.run();
    auto const issues = cycles_of(d.issues);
    for (std::int64_t cycle : {131, 860, 871, 882, 1616})
        EXPECT_NE(std::find(issues.begin(), issues.end(), cycle), issues.end()) << cycle;
}

TEST(DpuTraces, mutex_is_won_in_issue_order) {
    auto c = make("mutex", 2, 200);
    auto d = stepped(c, original_clock, 176);
    d.run();
    std::vector<std::int64_t> waiting;
    for (auto const& [cycle, tasklet] : d.issues) {
        if (tasklet == 1 && cycle >= 77 && cycle <= 121) waiting.push_back(cycle);
    }
    EXPECT_EQ(waiting, (std::vector<std::int64_t>{77, 88, 99, 110, 121}));
}

TEST(DpuTraces, running_totals_equal_the_checkpoints) {
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
        auto const clock = row.fixed ? repaired_clock : original_clock;
        auto reference = stepped(slow, clock, row.cycles);
        EXPECT_EQ(reference.run(), row.wanted) << row.kernel << row.cycles;
        EXPECT_EQ(reference.memory.accesses, row.accesses) << row.kernel << row.cycles;
        EXPECT_EQ(fast(quick, clock, row.cycles), row.wanted) << row.kernel << row.cycles;
    }
}

}  // namespace pimdse::models::upmem::traces_test
