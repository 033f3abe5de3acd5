#include "models/llm/request_passes.hpp"

#include "models/umdam/request.hpp"
#include "models/umdam/serving.hpp"
#include "random_setting.hpp"
#include "requested.hpp"
#include "shipped.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/begun_passes.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <string>

/// Speculative decoding against a walk over its passes, and its laws.
namespace pimdse::models::umdam::testing::speculation_test {
namespace {

using tests::with;

Setting proposing(std::string const& draft, std::string const& acceptance, std::string const& llm = "none") {
    return {{"draft", draft}, {"acceptance", acceptance}, {"draft_llm", llm}};
}

std::vector<Setting> served() {
    return {{},
            {{"decode_unit", "npu"}, {"batch", "3"}},
            {{"decode_unit", "pim"}, {"pim_vectors", "4"}, {"attention", "npu"}},
            {{"llm", own_model("tiny_kinds.toml")}, {"input", "90"}, {"output", "40"}},
            {{"llm", own_model("tiny_latent.toml")}, {"attention", "npu"}},
            {{"baseline", "relayout"}, {"weight_bits", "4"}, {"output", "2"}},
            {{"concurrency", "dual_row_buffer"}, {"llm", "opt-1.3b"}}};
}

TEST(Proposals, of_no_token_change_nothing) {
    for (auto const& setting : served()) {
        auto const plain = asked(setting), idle = asked(with(setting, proposing("0", "0.2", "opt-125m")));
        ASSERT_EQ(plain.rule(), "") << printed(setting);
        auto const a = plain.metrics(), b = idle.metrics();
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_TRUE(a[i].value == b[i].value || std::isnan(a[i].value)) << printed(setting);
            EXPECT_TRUE(a[i].lower == b[i].lower || std::isnan(a[i].value)) << printed(setting);
        }
    }
}

TEST(Proposals, cost_what_a_walk_over_all_passes_costs) {
    for (auto const& unit : {"npu", "pim"}) {
        for (auto const& [draft, acceptance] : {Setting::value_type{"3", "1"}, {"2", "0.55"}, {"4", "0"}}) {
            Requested const requested(with({{"llm", "opt-125m"},
                                            {"output", "281"},
                                            {"input", "40"},
                                            {"refresh", "none"},
                                            {"decode_unit", unit},
                                            {"attention", unit},
                                            {"batch", "2"}},
                                           proposing(draft, acceptance)));
            auto const& prepared = prepared_of(requested.inputs);
            Speculation const s{requested.system.design.speculation.draft,
                                requested.system.design.speculation.acceptance};
            double walked = 0.0;
            auto one = requested.system;
            double before = 40.0;
            for (double const begins : models::test::begun_passes(s.draft, s.acceptance, 280)) {
                one.passes = {1.0, one.passes.queries, {before + 1.0, before + one.passes.queries}, 0.0};
                if (begins > 0.0)
                    walked += begins * run_request(prepared, one, Fidelity::analytic).front().decode().value;
                before += 1.0;
            }
            EXPECT_NEAR(requested.cost().decode().value, walked, 2e-3 * walked) << unit << draft << acceptance;
        }
    }
}

TEST(Proposals, that_nobody_accepts_make_nothing_faster) {
    for (auto const& setting : served()) {
        auto const before = asked(setting);
        for (char const* draft : {"1", "3", "16"}) {
            auto const after = asked(with(setting, proposing(draft, "0")));
            ASSERT_EQ(after.rule(), "") << printed(setting);
            for (auto const* metric : {"itl", "latency", "ttft", "energy"})
                EXPECT_GE(after.metric(metric).value, before.metric(metric).value * (1.0 - 1e-9))
                    << metric << draft << printed(setting);
        }
    }
}

TEST(Proposals, never_take_longer_where_more_are_accepted) {
    for (auto const& setting : served()) {
        for (char const* llm : {"none", "opt-125m"}) {
            double before = 1e300;
            for (char const* acceptance : {"0", "0.2", "0.5", "0.8", "1"}) {
                auto const now = asked(with(setting, proposing("5", acceptance, llm)));
                ASSERT_EQ(now.rule(), "") << printed(setting);
                EXPECT_LE(now.metric("latency").value, before) << acceptance << printed(setting);
                before = now.metric("latency").value;
            }
        }
    }
}

/// The NPU reads weights once for all positions; banks with one operand at a time multiply them one after the other.
TEST(Proposals, pay_where_one_read_of_the_weights_serves_all_positions) {
    auto const gain = [](Setting const& unit) {
        return asked(unit).metric("itl").value / asked(with(unit, proposing("4", "1"))).metric("itl").value;
    };
    EXPECT_GT(gain({{"decode_unit", "npu"}, {"attention", "npu"}}), 4.5);
    EXPECT_LT(gain({{"decode_unit", "npu"}, {"attention", "npu"}}), 5.0);
    Setting const banks{{"decode_unit", "pim"}, {"attention", "pim"}};
    EXPECT_LT(gain(banks), 1.2);
    EXPECT_GT(gain(with(banks, {{"pim_vectors", "8"}, {"global_buffer_elements", "8192"}})), 2.0 * gain(banks));
}

TEST(Proposals, of_a_model_take_its_prompt_its_memory_and_its_passes) {
    Setting const alone{{"llm", "opt-1.3b"}}, small{{"llm", "opt-125m"}};
    auto const both = asked(with(alone, proposing("4", "0.7", "opt-125m"))),
               free = asked(with(alone, proposing("4", "0.7")));
    auto const of = [](tests::Asked const& e, char const* name) { return e.value(name); };
    EXPECT_NEAR(of(both, "ttft"), of(asked(alone), "ttft") + of(asked(small), "ttft"), 1e-9);
    EXPECT_EQ(of(both, "footprint"), of(asked(alone), "footprint") + of(asked(small), "footprint"));
    EXPECT_EQ(of(free, "footprint"), of(asked(alone), "footprint"));
    EXPECT_GT(of(both, "itl"), of(free, "itl"));
    EXPECT_GT(of(both, "energy"), of(free, "energy"));
}

TEST(Proposals, are_refused_where_nothing_verifies_them) {
    EXPECT_EQ(asked(with({{"llm", "llada-8b"}, {"generation", "diffusion"}, {"ignore_capacity", "true"}},
                         proposing("4", "0.7")))
                  .rule(),
              "draft");
    EXPECT_EQ(asked(proposing("4", "0.7", "llada-8b")).rule(), "draft_llm");
    EXPECT_EQ(asked(with({{"concurrency", "scheduled"}}, proposing("4", "0.7"))).rule(), "concurrency");
    EXPECT_EQ(asked(with({{"channels", "2"}, {"density", "16"}}, proposing("4", "0.7", "opt-6.7b"))).rule(),
              "capacity");
}

TEST(Proposals, at_cycle_level_are_within_the_bounds_of_the_closed_forms) {
    RandomSetting settings(41);
    int compared = 0;
    for (int trial = 0; trial < tests::draws(80, 16); ++trial) {
        auto const setting = with(settings.next(), proposing(trial % 3 == 0 ? "2" : "5", trial % 2 == 0 ? "0.6" : "1",
                                                             trial % 4 == 0 ? "opt-125m" : "none"));
        auto const of = asked(setting);
        if (!of.rule().empty()) continue;
        auto const exact = of.metrics(Fidelity::cycle), analytic = of.metrics();
        auto const names = shipped_umdam().metrics();
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto const value = exact[i].value;
            auto const& bounds = analytic[i];
            if (std::isnan(value)) continue;
            double const slack = 1e-12 * std::abs(value);
            EXPECT_LE(bounds.lower, value + slack) << names[i].name << " " << printed(setting);
            EXPECT_GE(bounds.upper, value - slack) << names[i].name << " " << printed(setting);
        }
        ++compared;
    }
    EXPECT_GT(compared, tests::in_campaign() ? 10 : 0);
}

/// Acceptance and draft model are in a key where there are proposals, and only there.
TEST(Proposals, are_in_the_key_of_a_search_where_there_are_any) {
    auto const key = [](Setting const& setting) {
        auto const of = asked(setting);
        return of.machine->proofs.cycle_key(of.inputs, of.point);
    };
    EXPECT_EQ(key(proposing("0", "0.1", "opt-125m")), key(proposing("0", "0.9")));
    EXPECT_NE(key(proposing("4", "0.7")), key(proposing("0", "0.7")));
    EXPECT_NE(key(proposing("4", "0.7")), key(proposing("4", "0.6")));
    EXPECT_NE(key(proposing("4", "0.7")), key(proposing("4", "0.7", "opt-125m")));
}

TEST(TokenPasses, are_represented_by_all_of_them_or_by_some_with_their_mean) {
    auto const few = verification_passes({3, 1.0}, 50, 24);  // six passes
    EXPECT_EQ(representative_begins(few, 64), (std::vector<double>{50.0, 54.0, 58.0, 62.0, 66.0, 70.0}));
    EXPECT_EQ(representative_begins(draft_passes({1, 0.0}, 50, 3), 64), (std::vector<double>{50.0, 51.0, 52.0}));
    for (std::int64_t const later : {1, 2, 7, 100, 5000}) {
        for (double const acceptance : {0.0, 0.3, 0.7, 1.0}) {
            for (std::int64_t const draft : {1, 4, 64}) {
                Speculation const s{draft, acceptance};
                for (auto const& passes : {verification_passes(s, 50, later), draft_passes(s, 50, later)}) {
                    auto const begins = representative_begins(passes, 64);
                    ASSERT_GE(begins.size(), 1U);
                    EXPECT_LE(begins.size(), 64U);
                    double sum = 0.0;
                    for (double const begin : begins) sum += begin;
                    double const mean = sum / static_cast<double>(begins.size());
                    EXPECT_NEAR(mean + (passes.queries + 1.0) / 2.0,
                                (passes.contexts.first + passes.contexts.last) / 2.0, 1e-9 * mean);
                    EXPECT_GE(begins.front(), 50.0 - 1e-9);
                }
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::testing::speculation_test
