#include "models/contract/parameter_text.hpp"
#include "shipped.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What weights cost that lie otherwise, in fewer bits, or not in memory yet.
namespace pimdse::models::umdam::baselines_test {
namespace {

using tests::Setting;

/// A small request, with more settings.
Setting small(Setting more = {}) {
    Setting setting{{"llm", "opt-125m"},    {"input", "32"},      {"output", "4"},   {"prefill_unit", "npu"},
                    {"decode_unit", "pim"}, {"attention", "pim"}, {"lm_head", "npu"}};
    setting.insert(setting.end(), more.begin(), more.end());
    return setting;
}

std::map<std::string, Estimate> estimates(Setting const& setting, Fidelity fidelity = Fidelity::analytic) {
    auto const metrics = asked(setting).metrics(fidelity);
    std::map<std::string, Estimate> found;
    auto const names = shipped_umdam().metrics();
    for (std::size_t i = 0; i < names.size(); ++i) found[names[i].name] = metrics.at(i);
    return found;
}

double metric(Setting const& setting, char const* name) { return asked(setting).value(name); }
std::string rule(Setting const& setting) { return asked(setting).rule(); }

/// Every new setting at both levels: the interval of the closed form holds the simulated value.
TEST(Baselines, are_bounded_by_their_closed_forms) {
    for (Setting const& more : {Setting{{"tile_order", "row"}},
                                {{"tile_order", "morton"}},
                                {{"tile_order", "row"}, {"engines", "4"}},
                                {{"tile_width", "256"}},
                                {{"tile_width", "16"}, {"split_k", "true"}},
                                {{"tile_width", "32"}, {"tile_order", "row"}, {"lm_head", "skip"}},
                                {{"baseline", "facil"}},
                                {{"baseline", "pimnast"}},
                                {{"baseline", "pimnast"}, {"channels", "16"}},
                                {{"baseline", "column_in_bank"}},
                                {{"baseline", "column_in_bank"}, {"engines", "4"}},
                                {{"weight_bits", "8"}},
                                {{"npu_l1", "1 MiB"}},
                                {{"weight_bits", "4"}, {"loop_order", "nat"}},
                                {{"weight_load", "once"}},
                                {{"weight_load", "once"}, {"baseline", "facil"}, {"weight_bits", "4"}}}) {
        auto closed = estimates(small(more)), exact = estimates(small(more), Fidelity::cycle);
        for (auto const& [name, value] : exact) {
            if (std::isnan(value.value)) continue;
            double const slack = 1e-9 * std::abs(value.value);
            EXPECT_LE(closed[name].lower, value.value + slack) << name << " " << more.front().second;
            EXPECT_GE(closed[name].upper, value.value - slack) << name << " " << more.front().second;
        }
    }
}

TEST(Tiles, of_another_order_open_more_rows_and_take_the_banks_longer) {
    auto const of = [](char const* order, char const* name) { return metric(small({{"tile_order", order}}), name); };
    EXPECT_GT(of("morton", "time_per_token"), of("column", "time_per_token"));
    EXPECT_GT(of("row", "time_per_token"), of("morton", "time_per_token"));
    EXPECT_GT(of("row", "activations"), 2.0 * of("column", "activations"));
    auto const simulated = [](char const* order, char const* name) {
        return estimates(small({{"tile_order", order}}), Fidelity::cycle)[name].value;
    };
    EXPECT_GT(simulated("row", "activations"), simulated("column", "activations"));
    EXPECT_LE(simulated("row", "npu_bandwidth"), simulated("column", "npu_bandwidth"));
}

TEST(Tiles, keep_columns_in_their_banks_or_are_refused) {
    EXPECT_EQ(metric(small({{"tile_width", "64"}}), "ttlt"), metric(small(), "ttlt"));  // as many as there are banks
    EXPECT_EQ(rule(small({{"tile_width", "32"}})), "pim_locality");
    EXPECT_EQ(metric(small({{"tile_width", "32"}, {"split_k", "true"}}), "split_factor"), 2.0);
    EXPECT_EQ(rule(small({{"tile_width", "32"}, {"split_k", "true"}, {"tile_order", "morton"}})), "pim_locality");
    EXPECT_EQ(rule(small({{"tile_width", "128"}, {"loop_order", "nat"}})), "loop_order");
    EXPECT_EQ(rule(small({{"tile_width", "48"}})), "power_of_two");
    // tile rows of an even number of tiles: half of the banks hold the even tile columns
    EXPECT_EQ(metric(small({{"tile_width", "32"}, {"tile_order", "row"}, {"lm_head", "skip"}}), "split_factor"), 1.0);
    EXPECT_GT(metric(small({{"tile_width", "256"}}), "time_per_token"), metric(small(), "time_per_token"));
}

TEST(Facil, pays_for_pages_and_for_a_choice_of_mapping) {
    auto umdam = estimates(small()), facil = estimates(small({{"baseline", "facil"}}));
    double const walks = facil["ttft"].value - umdam["ttft"].value;
    double const bytes = 2.0 * (12.0 * 12.0 * 768.0 * 768.0 + 768.0 * 50304.0);
    EXPECT_NEAR(walks, bytes / 2097152.0 * 100e-9, 0.02 * walks);
    EXPECT_GT(facil["energy"].value, umdam["energy"].value);
    EXPECT_NEAR(facil["area"].value - umdam["area"].value, 4 * 104e-12, 1e-14);
    EXPECT_GT(facil["footprint"].value, umdam["footprint"].value);
    EXPECT_EQ(facil["time_per_token"].value, umdam["time_per_token"].value);
}

/// The placement of relayout is one of those that pimnast chooses from, so that no token takes longer.
TEST(Pimnast, is_never_slower_than_relayout_and_moves_the_weights_for_the_npu) {
    for (auto const* llm : {"opt-125m", "opt-1.3b"}) {
        for (auto const* channels : {"4", "16", "64"}) {
            for (auto const* batch : {"1", "3"}) {
                auto const with = [&](char const* baseline, Fidelity fidelity) {
                    auto setting = small({{"channels", channels}, {"batch", batch}, {"baseline", baseline}});
                    setting.front().second = llm;
                    return estimates(setting, fidelity);
                };
                auto relayout = with("relayout", Fidelity::analytic), pimnast = with("pimnast", Fidelity::analytic);
                EXPECT_LE(pimnast["time_per_token"].value, relayout["time_per_token"].value) << llm << channels;
                EXPECT_GT(pimnast["relayout_time"].value, 0.0);
                double const simulated = with("pimnast", Fidelity::cycle)["time_per_token"].value;
                EXPECT_LE(simulated, 1.002 * with("relayout", Fidelity::cycle)["time_per_token"].value);
            }
        }
    }
    Setting const wide{{"channels", "64"}};  // 1024 banks for 768 columns
    auto balanced = wide;
    balanced.emplace_back("baseline", "pimnast");
    EXPECT_LT(metric(small(balanced), "time_per_token"), 0.97 * metric(small(wide), "time_per_token"));
    EXPECT_GT(metric(small(balanced), "split_factor"), 1.0);
    EXPECT_EQ(rule(small({{"baseline", "pimnast"}, {"tile_order", "row"}})), "placement");
    EXPECT_EQ(rule(small({{"baseline", "pimnast"}, {"tile_width", "64"}})), "placement");
}

/// A column of opt-125m has less than a row, one of opt-1.3b two rows.
TEST(ColumnInBank, leaves_the_npu_less_bandwidth_with_a_short_queue_and_the_banks_as_much) {
    for (auto const* model : {"opt-125m", "opt-1.3b"}) {
        auto const with = [&](Setting more) {
            auto setting = small(std::move(more));
            setting.front().second = model;
            return estimates(setting, Fidelity::cycle);
        };
        auto umdam = with({{"queue_depth", "16"}}),
             columns = with({{"queue_depth", "16"}, {"baseline", "column_in_bank"}});
        EXPECT_LT(columns["npu_bandwidth"].value, 0.7 * umdam["npu_bandwidth"].value);
        EXPECT_NEAR(columns["time_per_token"].value, umdam["time_per_token"].value,
                    0.01 * umdam["time_per_token"].value);
        EXPECT_EQ(columns["relayout_time"].value, 0.0);
        EXPECT_EQ(columns["weight_footprint"].value, umdam["weight_footprint"].value);
        EXPECT_EQ(columns["split_factor"].value, 1.0);
    }
}

/// The queue that holds the columns of several banks interleaves them; estimates follow it.
TEST(ColumnInBank, reads_faster_with_a_longer_queue_at_both_levels) {
    for (auto const* engines : {"1", "4"}) {
        double last = 0.0;
        for (auto const* depth : {"1", "8", "32", "64", "128"}) {
            Setting setting = small({{"baseline", "column_in_bank"}, {"queue_depth", depth}, {"engines", engines}});
            setting.front().second = "opt-1.3b";
            auto closed = estimates(setting)["npu_bandwidth"];
            double const exact = estimates(setting, Fidelity::cycle)["npu_bandwidth"].value;
            EXPECT_NEAR(closed.value, exact, 0.2 * exact) << engines << " engines, queue of " << depth;
            EXPECT_LE(closed.lower, exact);
            EXPECT_GE(closed.upper, exact);
            EXPECT_GT(exact, last);
            last = exact;
        }
    }
}

/// Parts of qwen2.5-1.5b begin in different banks, those of opt-1.3b in one.
TEST(ColumnInBank, is_read_by_engines_that_meet_only_in_the_bank_in_which_they_begin) {
    for (auto const* model : {"qwen2.5-1.5b", "opt-1.3b"}) {
        double last = 0.0;
        for (auto const* engines : {"4", "2"}) {
            Setting setting = small({{"baseline", "column_in_bank"}, {"engines", engines}});
            setting.front().second = model;
            auto closed = estimates(setting)["npu_bandwidth"];
            double const exact = estimates(setting, Fidelity::cycle)["npu_bandwidth"].value;
            EXPECT_NEAR(closed.value, exact, 0.1 * exact) << model << " " << engines << " engines";
            EXPECT_LE(closed.lower, exact);
            EXPECT_GE(closed.upper, exact);
            EXPECT_GT(exact, last);
            last = exact;
        }
    }
}

/// Only umdam chooses its tiles: for the others both parameters mean nothing, whatever their values.
TEST(Tiles, of_other_baselines_are_not_judged) {
    for (auto const* baseline : {"facil", "relayout", "column_in_bank", "no_interleave", "npu_only"}) {
        auto const with = [&](char const* width, char const* order) {
            return estimates(small({{"baseline", baseline}, {"tile_width", width}, {"tile_order", order}}));
        };
        auto one = with("0", "column"), other = with("7", "row");
        for (auto const& [name, value] : one) {
            if (std::isnan(value.value)) continue;
            EXPECT_EQ(other[name].value, value.value) << baseline << " " << name;
        }
    }
}

TEST(WeightBits, halve_the_weights_and_the_time_of_the_banks_for_more_area) {
    auto const of = [](char const* bits) {  // columns of whole tiles in every format
        auto setting = small({{"weight_bits", bits}});
        setting.front().second = "opt-1.3b";
        return estimates(setting);
    };
    auto before = of("16");
    for (auto const* bits : {"8", "4"}) {
        auto now = of(bits);
        EXPECT_EQ(now["precision"].value, std::stod(bits));
        EXPECT_NEAR(now["weight_footprint"].value, 0.5 * before["weight_footprint"].value,
                    0.01 * before["weight_footprint"].value);
        EXPECT_LT(now["time_per_token"].value, before["time_per_token"].value);
        EXPECT_LT(now["ttft"].value, before["ttft"].value);
        EXPECT_GT(now["area"].value, before["area"].value);
        EXPECT_GT(now["idle_power"].value, before["idle_power"].value);
        before = now;
    }
}

TEST(WeightLoad, is_as_long_as_storage_needs_and_belongs_to_the_first_request) {
    auto loaded = estimates(small()), first = estimates(small({{"weight_load", "once"}}));
    double const bytes = loaded["weight_footprint"].value;  // opt-125m has no padding but that of its LM head
    EXPECT_NEAR(first["ttft"].value - loaded["ttft"].value, bytes / 4.2e9, 0.01 * bytes / 4.2e9);
    EXPECT_NEAR(first["ttlt"].value - first["ttft"].value, loaded["ttlt"].value - loaded["ttft"].value, 1e-12);
    EXPECT_GT(first["energy"].value, loaded["energy"].value);
    EXPECT_EQ(first["relayout_time"].value, 0.0);
    auto huge = estimates(small({{"weight_load", "once"}, {"baseline", "facil"}}));
    EXPECT_GT(huge["ttft"].value, first["ttft"].value + 100e-6 * bytes / 2097152.0);
}

TEST(WeightLoad, takes_the_energy_of_storage_and_of_cleared_pages) {
    auto loaded = estimates(small()), first = estimates(small({{"weight_load", "once"}}));
    double const bytes = loaded["weight_footprint"].value, storage = bytes * 8 * 40e-12;
    auto const added = [&](Setting more) {
        auto with = more;
        with.emplace_back("weight_load", "once");
        return estimates(small(with))["energy"].value - estimates(small(more))["energy"].value;
    };
    EXPECT_GT(first["energy"].value - loaded["energy"].value, storage);
    // facil writes every page once more: at least the energy of the bytes on their way
    EXPECT_GT(added({{"baseline", "facil"}}), added({}) + bytes * 8 * 3e-12);
}

TEST(FirstLevel, takes_energy_and_area_by_its_size_and_time_where_its_tiles_are_small) {
    Setting const long_prompt{{"input", "512"}, {"prefill_unit", "npu"}};
    auto const of = [&](char const* bytes) {
        auto setting = long_prompt;
        setting.emplace_back("npu_l1", bytes);
        return estimates(setting);
    };
    auto without = estimates(long_prompt), small_one = of("256 KiB"), paper = of("1 MiB");
    EXPECT_EQ(paper["ttlt"].value, without["ttlt"].value);
    EXPECT_EQ(paper["area"].value, without["area"].value);  // whose area has the same 1 MiB
    EXPECT_LT(small_one["area"].value, paper["area"].value);
    EXPECT_LT(paper["energy"].value, small_one["energy"].value);
    auto tiny = of("64 KiB");
    EXPECT_GT(tiny["ttft"].value, 1.05 * paper["ttft"].value);
    EXPECT_LE(small_one["ttft"].value, tiny["ttft"].value);
    EXPECT_EQ(rule({{"npu_l1", "16 KiB"}}), "npu_l1");
    EXPECT_EQ(rule({{"npu_l1", "1 MiB"}, {"npu_buffer", "1 MiB"}}), "npu_l1") << "two of them behind a buffer of one";
}

}  // namespace
}  // namespace pimdse::models::umdam::baselines_test
