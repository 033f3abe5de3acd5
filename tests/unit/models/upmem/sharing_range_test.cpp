#include "models/upmem/shared_bank.hpp"

#include "random_streams.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <random>

/// Lock fine: bounds of what sharing costs.
namespace pimdse::models::upmem::sharing_range_test {

/// Kernels somewhere between both ends.
TEST(SharingRange, holds_what_any_kernels_between_its_ends_cost) {
    std::mt19937 random(5);
    auto const drawn = [&] { return std::uniform_real_distribution<double>(0.0, 1.0)(random); };
    int useful = 0;
    for (int i = 0; i < 3000; ++i) {
        auto const timing = timing_of(std::exp(-18.0 + 7.0 * drawn()));
        auto lower = random_streams(random);
        double const quiet = drawn(), loose = i % 2 == 0 ? 0.02 : 0.5;
        for (auto& s : lower) s.busy = std::min(s.kernel, quiet * s.busy);
        auto upper = lower, real = lower;
        double all = 0.0;
        for (std::size_t k = 0; k < lower.size(); ++k) {
            double const kernel = lower[k].kernel.si, busy = lower[k].busy.si;
            upper[k].kernel = sim::Time{kernel * (1.0 + loose)};
            upper[k].busy = std::min(upper[k].kernel, sim::Time{busy * (1.0 + loose)});
            real[k].kernel = sim::Time{kernel * (1.0 + loose * drawn())};
            real[k].busy = std::min(real[k].kernel, sim::Time{busy * (1.0 + loose * drawn())});
            auto const& s = upper[k];
            all += (s.input + s.offload + s.load + s.kernel).si;
        }
        auto const range = sharing_range(lower, upper, timing);
        auto const bank = share_bank(real, timing);
        double const room = 1e-12, rows = 1e-6;
        EXPECT_LE(last(bank), all - range.saved.si + room) << i;
        EXPECT_LE(bank.queued.si, range.queued_max.si + room) << i;
        EXPECT_GE(bank.queued.si, range.queued_min.si - room) << i;
        EXPECT_LE(bank.rows, range.rows_max * (1.0 + 1e-9) + rows) << i;
        EXPECT_GE(bank.rows, range.rows_min * (1.0 - 1e-9) - rows) << i;
        useful += range.saved.si > 0.01 * all ? 1 : 0;
    }
    EXPECT_GT(useful, 500);
}

TEST(SharingRange, every_metric_of_the_cycle_level_lies_within_the_bounds_of_the_coarse_fidelities) {
    std::mt19937 random(6);
    auto const pick = [&](std::vector<std::string> const& of) { return of[random() % of.size()]; };
    auto const declared = upmem().row().metrics();
    int designs = 0;
    while (designs < 60) {
        Settings const drawn{
            {"kernel", pick({"va", "red", "hst-s", "scan-ssa", "scan-rss", "sel", "gemv", "bs", "uni"})},
            {"elements", pick({"4096", "20000", "65536", "200000"})},
            {"streams", pick({"2", "3", "4", "8", "16"})},
            {"dpus", pick({"1", "4", "16", "64"})},
            {"tasklets", pick({"1", "2", "8", "11", "16"})},
            {"dma_block", pick({"64", "256", "1024"})},
            {"transfer", pick({"parallel", "table1"})},
            {"loading", pick({"none", "each_launch"})},
            {"reduction", pick({"host", "dpu"})},
            {"offload", pick({"0 ms", "0.25 ms"})},
            {"lock", "fine"}};
        if (!upmem().refusal(drawn).empty()) continue;
        auto const run = upmem().outcome(drawn, Fidelity::cycle);
        ++designs;
        auto const coarse = upmem().outcome(drawn, Fidelity::analytic);
        for (std::size_t m = 0; m < declared.size(); ++m) {
            auto const& bounds = std::get<Metrics>(coarse)[m];
            double const exact = std::get<Metrics>(run)[m].value;
            if (std::isnan(exact) || std::isnan(bounds.value)) continue;
            auto const what = [&] {
                std::string text = declared[m].name;
                for (auto const& [name, value] : drawn) text += " " + name + "=" + value;
                return text;
            };
            EXPECT_GE(exact, bounds.lower - 1e-12 * std::abs(exact)) << what();
            EXPECT_LE(exact, bounds.upper + 1e-12 * std::abs(exact)) << what();
        }
    }
}

}  // namespace pimdse::models::upmem::sharing_range_test
