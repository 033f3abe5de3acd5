#include "models/upmem/cycle.hpp"
#include "models/upmem/plan.hpp"
#include "support.hpp"

namespace pimdse::models::upmem::cycle_rows_test {
namespace {

using Row = std::map<std::string, std::string>;

/// The number after `name=` in a row's size column, or `otherwise`.
std::int64_t size_of(Row const& row, std::string const& name, std::int64_t otherwise) {
    auto const& text = row.at("size");
    auto const at = (" " + text).find(" " + name + "=");
    return at == std::string::npos ? otherwise : std::stoll(text.substr(at + name.size() + 1));
}

/// The row as a point: its size in the elements of the kernel.
Settings settings_of(Row const& row) {
    std::string kernel = row.at("kernel");
    std::int64_t const t = std::stoll(row.at("tasklets"));
    std::int64_t block = std::int64_t{1} << size_of(row, "BL", 10);
    std::int64_t elements = size_of(row, "N", 0);
    if (kernel == "alu1" || kernel == "aluhaz") elements = 1000 * t;
    if (kernel == "mutex") elements = size_of(row, "n", 0) * t;
    if (kernel == "bslike") elements = size_of(row, "nq", 0) * t;
    if (kernel == "dma1" || kernel == "dmat") {
        block = size_of(row, "size", 0);
        elements = (kernel == "dma1" ? 64 : 32) * t * block / 8;
    }
    if (kernel == "gemv") {
        kernel = "gemv-rows";
        elements = 4 * t;
    }
    return {{"kernel", kernel},
            {"tasklets", std::to_string(t)},
            {"elements", std::to_string(elements)},
            {"dma_block", std::to_string(block)},
            {"preset", row.at("clock") == "original" ? "upimulator-go" : "upimulator-cpp"}};
}

}  // namespace

TEST(CycleRows, all_37_runs_of_upimulator_are_identical_in_all_six_counts) {
    auto const rows = rows_of("upimulator_rows.csv");
    ASSERT_EQ(rows.size(), 37u);
    for (auto const& row : rows) {
        auto const& p = prepared();
        Design const d = read_design(upmem().point(settings_of(row)));
        Plan const work = plan(p, d);
        auto const run = simulate(p, d, work.launches.front().task);
        EXPECT_TRUE(run.ended);
        auto const number = [&](std::string const& name) {
            return static_cast<std::int64_t>(std::stoll(row.at(name)));
        };
        dpu::Counters const wanted{number("cycles"),     number("instructions"),  number("idle_dma"),
                                   number("idle_other"), number("back_pressure"), number("hazard_cycles")};
        EXPECT_EQ(run.counters, wanted) << row.at("kernel") << " " << row.at("clock") << " " << row.at("tasklets")
                                        << " " << row.at("size") << ": " << run.counters.cycles << " "
                                        << run.counters.instructions << " " << run.counters.idle_dma << " "
                                        << run.counters.idle_other << " " << run.counters.back_pressure << " "
                                        << run.counters.hazard_cycles;
    }
}

}  // namespace pimdse::models::upmem::cycle_rows_test
