#include "models/umdam/field_order.hpp"
#include "models/umdam/umdam.hpp"
#include "models/validation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pimdse::models::umdam {
namespace {

using Setting = std::vector<std::pair<std::string, std::string>>;

class RandomSetting {
  public:
    explicit RandomSetting(std::uint64_t seed) : random_(seed) {}

    Setting next() {
        Setting s{{"llm", "opt-125m"}, {"input", number(1, 200)}, {"output", number(1, 8)}};
        for (auto const& [name, values] : choices()) s.emplace_back(name, values[random_() % values.size()]);
        s.emplace_back("coll_bits", number(0, 6));
        if (random_() % 4 != 0) s.emplace_back("mapping", order());
        return s;
    }

  private:
    static std::vector<std::pair<std::string, std::vector<std::string>>> const& choices() {
        static std::vector<std::pair<std::string, std::vector<std::string>>> const table{
            {"lm_head", {"skip", "skip", "skip", "pim"}},
            {"baseline", {"umdam", "umdam", "umdam", "relayout", "duplicate", "fused", "no_interleave", "facil", "npu_only"}},
            {"dram", {"L5J", "L5A", "L5B"}},
            {"channels", {"1", "2", "4", "8"}},
            {"ranks", {"1", "1", "2"}},
            {"bank_groups", {"1", "2", "4"}},
            {"banks", {"2", "4", "8"}},
            {"row_bytes", {"1024", "2048", "4096"}},
            {"density", {"8", "16", "32"}},
            {"queue_depth", {"8", "16", "32", "64"}},
            {"scheduler", {"frfcfs", "frfcfs-rowhit"}},
            {"engines", {"1", "1", "2", "4"}},
            {"pim_mac_interval", {"1 ns", "2.5 ns", "4 ns", "5 ns"}},
            {"global_buffer_elements", {"64", "512", "1024", "4096"}},
            {"double_buffer", {"true", "false"}},
            {"loop_order", {"kseg", "nat", "res"}},
            {"activation", {"all", "four", "single"}},
            {"attention", {"pim", "pim", "npu"}},
            {"refresh", {"all_bank", "all_bank", "none"}},
            {"batch", {"1", "1", "2"}},
            {"split_k", {"true", "false"}},
            {"row_pad", {"true", "false"}},
            {"concurrency", {"exclusive", "exclusive", "partition", "dual_row_buffer"}}};
        return table;
    }

    std::string number(std::uint64_t low, std::uint64_t high) { return std::to_string(low + random_() % (high - low + 1)); }

    std::string order() {
        auto items = field_items();
        std::shuffle(items.begin() + (random_() % 3 == 0 ? 0 : 1), items.end(), random_);
        std::string text;
        for (auto const& item : items) text += text.empty() ? item : "-" + item;
        return text;
    }

    std::mt19937_64 random_;
};

std::string printed(Setting const& setting) {
    std::string text;
    for (auto const& [name, value] : setting) text += name + "=" + value + " ";
    return text;
}

TEST(Fidelity, analytic_and_hybrid_bounds_hold_the_cycle_answer_at_random_points) {
    auto const architecture = umdam::architecture();
    auto const names = architecture.metrics();
    RandomSetting settings(2026);
    int compared = 0;
    for (int trial = 0; trial < 30; ++trial) {
        auto const setting = settings.next();
        auto table = architecture.parameters();
        auto const point = point_with(table, setting);
        auto const inputs = prepare(architecture, table);
        auto const exact = evaluate_safely(architecture, inputs, point, Fidelity::cycle);
        for (auto const fidelity : {Fidelity::analytic, Fidelity::hybrid}) {
            auto const bounded = evaluate_safely(architecture, inputs, point, fidelity);
            ASSERT_EQ(exact.index(), bounded.index()) << printed(setting);
            ASSERT_FALSE(std::holds_alternative<Defect>(exact)) << std::get<Defect>(exact).what << printed(setting);
            if (!std::holds_alternative<Metrics>(exact)) continue;
            auto const &a = std::get<Metrics>(exact), &b = std::get<Metrics>(bounded);
            for (std::size_t i = 0; i < names.size(); ++i) {
                EXPECT_EQ(a[i].low, a[i].high) << names[i].name;
                EXPECT_LE(b[i].low, a[i].value * (1 + 1e-12)) << names[i].name << " " << name_of(fidelity) << " " << printed(setting);
                EXPECT_GE(b[i].high, a[i].value * (1 - 1e-12)) << names[i].name << " " << name_of(fidelity) << " " << printed(setting);
            }
            ++compared;
        }
    }
    EXPECT_GT(compared, 20);
}

TEST(Fidelity, gives_the_same_answer_again_and_in_another_order) {
    auto const architecture = umdam::architecture();
    RandomSetting settings(7);
    for (int trial = 0; trial < 6; ++trial) {
        auto const setting = settings.next();
        auto table = architecture.parameters();
        auto const point = point_with(table, setting);
        auto const once = prepare(architecture, table), again = prepare(architecture, table);
        (void)evaluate_safely(architecture, again, default_point(table), Fidelity::hybrid);
        for (auto const fidelity : {Fidelity::hybrid, Fidelity::analytic}) {
            auto const a = evaluate_safely(architecture, once, point, fidelity), b = evaluate_safely(architecture, again, point, fidelity);
            ASSERT_EQ(a.index(), b.index());
            if (!std::holds_alternative<Metrics>(a)) continue;
            for (std::size_t i = 0; i < std::get<Metrics>(a).size(); ++i)
                EXPECT_EQ(std::get<Metrics>(a)[i].value, std::get<Metrics>(b)[i].value);
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam
