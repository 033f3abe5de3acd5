#include "models/contract/architecture.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/cycle_key.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/llm/request_passes.hpp"
#include "sim/base/check.hpp"

#include <gtest/gtest.h>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace pimdse::models::architecture_test {
namespace {

TEST(CycleKey, is_equal_only_for_the_same_things_in_the_same_order) {
    std::mt19937_64 random(1);
    std::map<std::vector<std::string>, CycleKey> by_texts;
    std::set<CycleKey> keys;
    for (int round = 0; round < 5000; ++round) {
        std::vector<std::string> texts(random() % 4);
        CycleKeyMaker maker;
        for (auto& text : texts) {
            for (auto length = random() % 4; length > 0; --length) text += "ab\0"[random() % 3];
            maker.add(text);
        }
        auto const [known, fresh] = by_texts.emplace(texts, maker.key());
        EXPECT_EQ(known->second, maker.key());
        if (fresh) {
            EXPECT_TRUE(keys.insert(maker.key()).second) << "two lists of texts have one key";
        }
    }
    EXPECT_GT(keys.size(), 1000U);
}

TEST(CycleKey, tells_numbers_of_every_width_and_sign_apart) {
    auto const key = [](auto value) { return CycleKeyMaker().add(value).key(); };
    EXPECT_NE(key(0.0), key(-0.0)) << "not the same bits";
    EXPECT_NE(key(std::int64_t{1}), key(std::int32_t{1}));
    EXPECT_NE(key(true), key(false));
    EXPECT_NE(key(Kind::flag), key(Kind::choice));
    EXPECT_EQ(key(1.5), key(1.5));
    EXPECT_NE(CycleKeyMaker().add(1).add(2).key(), CycleKeyMaker().add(2).add(1).key());
    auto const before = CycleKeyMaker().add(1);
    auto longer = before;
    longer.add(0);
    EXPECT_NE(longer.key(), before.key());
}

TEST(FindParameter, knows_names_and_aliases_and_nothing_like_them) {
    Parameters const table{count("batch", "", 1, {}, ""),
                           also_called(also_called(flag("gated", true, ""), "gate"), "g"), choice("mode", {"a"}, "")};
    for (auto const& [name, at] : std::map<std::string, int>{{"batch", 0},
                                                             {"gated", 1},
                                                             {"gate", 1},
                                                             {"g", 1},
                                                             {"mode", 2},
                                                             {"", -1},
                                                             {"bat", -1},
                                                             {"batches", -1},
                                                             {"Batch", -1}})
        EXPECT_EQ(find_parameter(table, name), at) << name;
    EXPECT_EQ(find_parameter({}, "batch"), -1);
    EXPECT_EQ(default_point(table), (std::vector{Value::integer(1), Value::flag(true), Value::choice(0)}));
}

TEST(CommonMetric, has_its_own_words_first_and_is_one_of_those_there_are) {
    for (auto const& common : common_metrics) {
        auto const plain = common_metric(common.name), noted = common_metric(common.name, "of the chip");
        EXPECT_EQ(plain.meaning, common.meaning);
        EXPECT_EQ(noted.meaning, std::string(common.meaning) + ": of the chip");
        EXPECT_EQ(plain.better, common.better);
        EXPECT_EQ(plain.unit, common.unit);
        EXPECT_EQ(find_common_metric(common.name)->name, common.name);
    }
    EXPECT_EQ(find_common_metric("latenc"), nullptr);
    EXPECT_THROW((void)common_metric("speed"), sim::ContractViolation);
}

TEST(CommonMetric, is_one_of_every_architecture_with_what_it_says_of_it) {
    auto const list = with_common({{"twice", "1", "its own"}},
                                  {{"area", "of the chip", true}, {"precision", "", false, {needs("scope", "all")}}},
                                  {{needs("scope", "all")}, {needs("scope", "all"), needs_more_than("length", 1)}});
    ASSERT_EQ(list.size(), common_metrics.size() + 1);
    EXPECT_EQ(list.back().name, "twice");
    for (std::size_t i = 0; i < common_metrics.size(); ++i) {
        auto const& common = common_metrics[i];
        EXPECT_EQ(list[i].name, common.name) << "they come first, in their order";
        auto const needs = common.requests == Requests::with_later_tokens                           ? 2U
                           : common.requests == Requests::with_tokens || common.name == "precision" ? 1U
                                                                                                    : 0U;
        EXPECT_EQ(list[i].needs.size(), needs) << common.name;
        EXPECT_EQ(list[i].assumed, common.assumed || common.name == "area") << common.name;
    }
    auto const& area = list[static_cast<std::size_t>(find_metric(list, "area"))];
    EXPECT_EQ(area.meaning, std::string(find_common_metric("area")->meaning) + ": of the chip");
    EXPECT_THROW((void)with_common({}, {{"speed", "of the chip"}}), sim::ContractViolation);
}

TEST(CommonMetric, follows_from_what_a_machine_does_for_a_request) {
    MetricTable<double> table;
    table.row({"twice", "1", "its own"}, [](double const& own) { return Estimate(2.0 * own); });
    auto const list = with_common(table.metrics(), {});
    auto const at = [&](char const* name) { return static_cast<std::size_t>(find_metric(list, name)); };
    RequestResult result;
    result.latency = 4.0;
    result.energy = 6.0;
    result.area = 3.0;
    result.memory_area = 5.0;
    result.own = table.of(1.5);
    MetricPlan const plan(list);
    auto const without = plan.of(result);
    EXPECT_EQ(without[at("twice")].value, 3.0);
    EXPECT_EQ(without[at("latency")].value, 4.0);
    EXPECT_EQ(without[at("energy_delay")].value, 24.0);
    EXPECT_EQ(without[at("silicon")].value, 8.0);
    EXPECT_FALSE(applies(without[at("tokens_per_second")]) || applies(without[at("energy_per_token")]))
        << "it has no tokens";
    EXPECT_FALSE(applies(without[at("ttft")]));
    result.tokens = 12.0;
    result.positions = 30.0;
    auto const with_tokens = plan.of(result);
    EXPECT_EQ(with_tokens[at("tokens_per_second")].value, 3.0);
    EXPECT_EQ(with_tokens[at("energy_per_token")].value, 0.5);
    EXPECT_EQ(with_tokens[at("output_tokens_per_joule")].value, 2.0);
    EXPECT_EQ(with_tokens[at("throughput_with_prompt")].value, 7.5);
    EXPECT_EQ(with_tokens[at("tokens_per_joule_with_prompt")].value, 5.0);
}

/// Rows of other common metrics follow from a result without power; those that do not are absent.
TEST(CommonMetric, is_not_stated_without_power_exactly_if_it_follows_from_it) {
    auto list = with_common({{"own", "J", "its own"}, {"share", "1", "its own"}}, {});
    leave_out_power(list, "is not stated");
    RequestResult r = RequestResult::known_machine();
    r.latency = r.ttft = r.itl = r.footprint = 1.0;
    r.tokens = r.positions = 1.0;
    r.idle_power = does_not_apply();
    for (auto const& metric : list) {
        auto const* common = find_common_metric(metric.name);
        EXPECT_EQ(metric.absent.empty(), common == nullptr ? metric.name == "share" : applies(common->of(r)))
            << metric.name;
    }
}

enum class Thrown : std::uint8_t { nothing, too_long, input, memory };
Thrown thrown = Thrown::nothing;

Architecture throwing() {
    Architecture made{};
    made.evaluate = [](Inputs const&, Point, Fidelity) -> Outcome {
        if (thrown == Thrown::too_long) throw sim::TooLong("it takes for ever");
        if (thrown == Thrown::input) throw sim::InputError("it is wrong");
        if (thrown == Thrown::memory) throw std::bad_alloc();
        return Metrics{Estimate::exact(2.0)};
    };
    return made;
}

TEST(EvaluateSafely, turns_what_a_design_throws_into_a_defect) {
    auto const defect = [](Thrown what) {
        thrown = what;
        return std::get<Defect>(evaluate_safely(throwing(), {}, {}, Fidelity::analytic));
    };
    EXPECT_EQ(defect(Thrown::too_long).kind, DefectKind::timeout);
    EXPECT_EQ(defect(Thrown::too_long).what, "it takes for ever");
    EXPECT_EQ(defect(Thrown::input).kind, DefectKind::exception);
    EXPECT_THROW((void)defect(Thrown::memory), std::bad_alloc) << "want of memory is no fault of the design";
    thrown = Thrown::nothing;
    auto const fine = evaluate_safely(throwing(), {}, {}, Fidelity::analytic);
    EXPECT_EQ(std::get<Metrics>(fine)[0].value, 2.0);
}

TEST(Generation, is_refused_by_the_first_rule_it_breaks) {
    for (bool const bidirectional : {false, true}) {
        models::LanguageModel model;
        model.name = "some-model";
        model.maximum_context = 10;
        model.attention = bidirectional ? models::Attention::bidirectional : models::Attention::causal;
        for (std::int64_t input = 0; input <= 12; ++input) {
            for (std::int64_t output = 1; output <= 12; ++output) {
                for (std::int64_t const block : {1, 2, 4}) {
                    for (bool const diffusion : {false, true}) {
                        auto const broken = models::broken_generation(
                            {&model, 1, input, output,
                             diffusion ? models::Generation::diffusion : models::Generation::autoregressive, 1, block});
                        std::string const rule = bidirectional != diffusion                      ? "generation"
                                                 : input + output > 10                           ? "context"
                                                 : diffusion && output / block * block != output ? "blocks"
                                                                                                 : "";
                        EXPECT_EQ(broken ? broken->rule : "", rule);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::architecture_test
