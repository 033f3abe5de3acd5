#include "models/llm/request_passes.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/model_choices.hpp"
#include "tests/unit/models/begun_passes.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <tuple>

namespace pimdse::models::speculation_test {
namespace {

TEST(Speculation, takes_as_many_passes_as_begin_on_average) {
    EXPECT_EQ(Speculation({4, 1.0}).passes(6), 2.0) << "five tokens, then one";
    EXPECT_EQ(Speculation({4, 1.0}).passes(5), 1.0);
    EXPECT_EQ(Speculation({4, 0.0}).passes(6), 6.0);
    EXPECT_NEAR(Speculation({1, 0.5}).passes(2), 1.5, 1e-15) << "one pass if the proposal is accepted, else two";
    for (double const acceptance : {0.0, 0.1, 0.5, 0.7, 0.999, 1.0}) {
        for (std::int64_t const draft :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{64}}) {
            for (std::int64_t const later : {0, 1, 2, 5, 6, 64, 65, 66, 300}) {
                double expected = 0.0;
                for (double const begins : test::begun_passes(draft, acceptance, later)) expected += begins;
                double const passes = Speculation{draft, acceptance}.passes(later);
                EXPECT_NEAR(passes, expected, 1e-12 * expected) << draft << " " << acceptance << " " << later;
            }
        }
    }
}

/// With k proposals a pass yields (1 - a^(k + 1)) / (1 - a) tokens (Leviathan et al.), as many as a long request shows.
TEST(Speculation, yields_the_accepted_tokens_and_one_more) {
    double const closed = (1.0 - std::pow(0.7, 5.0)) / (1.0 - 0.7);
    EXPECT_NEAR(100'000 / Speculation({4, 0.7}).passes(100'000), closed, 1e-4);
}

TEST(Speculation, takes_fewer_passes_for_more_accepted_tokens_but_one_at_least) {
    for (std::int64_t const later : {0, 1, 2, 9, 999}) {
        EXPECT_EQ(Speculation{}.passes(later), static_cast<double>(later));
        for (std::int64_t const draft : {1, 4, 64}) {
            double before = Speculation{draft, 0.0}.passes(later);
            EXPECT_EQ(before, static_cast<double>(later));
            for (double const acceptance : {0.1, 0.5, 0.9, 1.0}) {
                double const passes = Speculation{draft, acceptance}.passes(later);
                EXPECT_LE(passes, before);
                EXPECT_TRUE(later == 0 || passes >= 1.0);
                before = passes;
            }
        }
    }
}

TEST(TokenPasses, without_proposals_are_one_for_each_token) {
    auto const p = verification_passes({0, 0.7}, 100, 10);
    EXPECT_EQ(p.passes, 10.0);
    EXPECT_EQ(p.queries, 1.0);
    EXPECT_EQ(p.contexts.first, 101.0);
    EXPECT_EQ(p.contexts.last, 110.0);
    EXPECT_EQ(p.cached, 105.5);
    EXPECT_EQ(draft_passes({0, 0.7}, 100, 10).passes, 0.0);
}

struct Sums {
    double passes = 0.0, keys = 0.0, cached = 0.0;
};

TEST(TokenPasses, attend_and_read_as_a_walk_over_them_does) {
    LanguageModel const plain = load_language_model("llama-2-7b");
    struct Case {
        std::int64_t draft;
        double acceptance;
        std::int64_t later;
    };
    for (auto const& c : {Case{0, 0.7, 24}, Case{1, 0.0, 8}, Case{1, 0.5, 12}, Case{2, 0.5, 15}, Case{4, 1.0, 31},
                          Case{64, 0.0, 19}, Case{7, 1.0, 8}, Case{5, 0.83, 40}}) {
        Speculation const s{c.draft, c.acceptance};
        constexpr std::int64_t input = 50;
        auto const verified = verification_passes(s, input, c.later), proposed = draft_passes(s, input, c.later);
        Sums model, draft;
        double before = static_cast<double>(input);
        for (double const begins : test::begun_passes(c.draft, c.acceptance, c.later)) {
            model.passes += begins;
            model.cached += begins * (before + static_cast<double>(s.positions()));
            for (std::int64_t i = 1; i <= s.positions(); ++i) model.keys += begins * (before + static_cast<double>(i));
            for (std::int64_t i = 1; i <= s.draft; ++i) {
                draft.passes += begins;
                draft.keys += begins * (before + static_cast<double>(i));
            }
            before += 1.0;
        }
        EXPECT_NEAR(verified.passes, model.passes, 1e-9);
        EXPECT_NEAR(verified.passes * verified.queries * mean_keys(plain, verified.contexts), model.keys,
                    1e-12 * model.keys);
        EXPECT_NEAR(verified.passes * verified.cached, model.cached, 1e-12 * model.cached);
        EXPECT_NEAR(proposed.passes, draft.passes, 1e-9);
        EXPECT_NEAR(proposed.passes * mean_keys(plain, proposed.contexts), draft.keys, 1e-12 * draft.keys + 1e-12);
    }
}

TEST(SpeculationRules, name_what_cannot_propose_or_verify) {
    auto const causal = load_language_model("opt-125m"), diffusion = load_language_model("llada-8b");
    auto const rule = [](Speculation const& s, bool by_diffusion, std::int64_t input = 100) {
        auto const broken = broken_speculation(s, by_diffusion, input, 100);
        return broken ? broken->rule : "";
    };
    EXPECT_EQ(rule({0, 0.7, &diffusion}, true), "");
    EXPECT_EQ(rule({4, 0.7, nullptr}, false), "");
    EXPECT_EQ(rule({4, 0.7, nullptr}, true), "draft");
    EXPECT_EQ(rule({4, 0.7, &causal}, false), "");
    EXPECT_EQ(rule({4, 0.7, &causal}, false, 1949), "context");
    EXPECT_EQ(rule({4, 0.7, &diffusion}, false), "draft_llm");
}

TEST(SpeculationRows, begin_without_proposals_and_with_a_free_draft) {
    ParameterTable<ModelRequest, ModelChoices> table;
    add_speculation(table);
    auto const& [draft, acceptance, draft_llm] =
        std::tie(table.parameters()[0], table.parameters()[1], table.parameters()[2]);
    EXPECT_EQ(draft.default_value.as_integer(), 0);
    EXPECT_EQ(draft.upper, 64.0);
    EXPECT_EQ(acceptance.default_value.as_quantity(), 0.7);
    EXPECT_TRUE(acceptance.assumed);
    EXPECT_EQ(draft_llm.choices.front(), "none");
    EXPECT_EQ(draft_llm.default_value.as_choice(), 0U);
    EXPECT_EQ(draft_llm.choices.size(), language_model_names().size() + 1);
}

}  // namespace
}  // namespace pimdse::models::speculation_test
