#include "models/llm/request_passes.hpp"

#include "tests/unit/models/begun_passes.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <string>
#include <utility>

/// Speculative decoding against a walk over its passes, and its laws.
namespace pimdse::models::text::test::speculation_test {
namespace {

using Texts = std::pair<std::string, std::string>;

Settings proposing(std::string const& draft, std::string const& acceptance, std::string const& draft_llm = "none") {
    return {{"draft", draft}, {"acceptance", acceptance}, {"draft_llm", draft_llm}};
}

/// Requests and boards that the laws must hold for.
std::vector<Settings> served() {
    return {{},
            {{"batch", "16"}, {"weights", "int8"}, {"kv_cache", "8bit"}},
            {{"llm", "llama-2-13b"}, {"input", "1000"}, {"output", "33"}},
            {{"llm", "mixtral-8x7b"}, {"weights", "int8"}, {"device", "h100"}, {"output", "2"}},
            {{"llm", "gemma-2-9b"}, {"input", "5000"}, {"power_limit", "200 W"}},
            {{"llm", "gpt-oss-20b"}, {"device", "h100"}, {"weights", "fp8"}, {"batch", "3"}},
            {{"llm", "llama-3-8b"}, {"batch", "64"}, {"attained_share", "0.1"}}};
}

Settings joined(Settings a, Settings const& b) {
    a.list.insert(a.list.end(), b.list.begin(), b.list.end());
    return a;
}

/// Pass by pass: the passes of the draft model, then the one that verifies them.
PassCost walk_after_prompt(Given const& g) {
    auto const design = g.design();
    auto const& d = design.request;
    auto const& s = d.speculation;
    auto const at = [](double first, double queries) {
        return PassShape{queries, {first, first + queries - 1.0}, first + queries - 1.0, queries, true};
    };
    PassCost all;
    double first = static_cast<double>(d.input) + 1.0;
    for (double const begins : models::test::begun_passes(s.draft, s.acceptance, d.output - 1)) {
        for (std::int64_t i = 0; s.has_model() && i < s.draft; ++i)
            all += cost_of(design, of_draft(d), at(first + static_cast<double>(i), 1.0), Phase::decode).times(begins);
        all += cost_of(design, d, at(first, static_cast<double>(s.positions())), Phase::decode).times(begins);
        first += 1.0;
    }
    return all;
}

TEST(Speculating, costs_what_a_walk_over_all_passes_costs) {
    for (auto const& [draft, acceptance, output] : {std::array<std::string, 3>{"1", "0", "9"},
                                                    {"1", "0.5", "31"},
                                                    {"4", "1", "51"},
                                                    {"2", "0.5", "16"},
                                                    {"4", "1", "8"}}) {
        for (auto const* draft_llm : {"none", "llama-3.2-1b"}) {
            Given const g(joined({{"llm", "llama-3.1-8b"}, {"output", output}, {"batch", "3"}},
                                 proposing(draft, acceptance, draft_llm)));
            auto const d = g.design();
            auto const rest = analytic(d).rest, slow = walk_after_prompt(g);
            EXPECT_NEAR(rest.total(), slow.total(), 1e-9 * slow.total()) << draft << draft_llm;
            EXPECT_NEAR(rest.min, slow.min, 1e-9 * slow.min);
            EXPECT_NEAR(sum(rest.operations), sum(slow.operations), 1e-9 * sum(slow.operations));
            EXPECT_NEAR(bytes_of(rest), bytes_of(slow), 1e-9 * bytes_of(slow));
            EXPECT_NEAR(joules_of(d, rest), joules_of(d, slow), 1e-9 * joules_of(d, slow));
        }
    }
}

/// Positions at the edge of a window are taken to be as frequent as all others.
TEST(Speculating, costs_nearly_what_a_walk_costs_where_windows_end) {
    for (auto const* input : {"100", "4000", "4090", "5000"}) {
        Given const g(
            joined({{"llm", "gemma-2-9b"}, {"output", "151"}, {"input", input}, {"batch", "8"}}, proposing("4", "1")));
        auto const d = g.design();
        auto const rest = analytic(d).rest, slow = walk_after_prompt(g);
        EXPECT_NEAR(rest.total(), slow.total(), 1e-3 * slow.total()) << input;
        EXPECT_NEAR(bytes_of(rest), bytes_of(slow), 1e-3 * bytes_of(slow)) << input;
        EXPECT_NEAR(sum(rest.operations), sum(slow.operations), 1e-3 * sum(slow.operations)) << input;
    }
}

TEST(Speculating, of_no_token_is_decoding_whatever_the_draft) {
    for (auto const& settings : served()) {
        auto const plain = std::get<Metrics>(Given(settings).outcome());
        auto const idle = std::get<Metrics>(Given(joined(settings, proposing("0", "0.1", "opt-125m"))).outcome());
        ASSERT_EQ(plain.size(), idle.size());
        for (std::size_t i = 0; i < plain.size(); ++i)
            EXPECT_TRUE(plain[i].value == idle[i].value || std::isnan(plain[i].value)) << i;
    }
}

TEST(Speculating, is_never_faster_where_nothing_is_accepted) {
    for (auto const& settings : served()) {
        auto const before = Given(settings);
        for (char const* draft : {"1", "3", "64"}) {
            auto const g = Given(joined(settings, proposing(draft, "0")));
            for (auto const* metric : {"itl", "latency", "energy", "ttft"}) {
                EXPECT_GE(g.metric(metric).value, before.metric(metric).value * (1.0 - 1e-12)) << metric << draft;
                EXPECT_GE(g.metric(metric).lower, before.metric(metric).lower * (1.0 - 1e-12)) << metric << draft;
            }
        }
    }
}

TEST(Speculating, is_nearly_as_many_times_as_fast_as_tokens_where_weights_are_read) {
    auto const itl = [](char const* draft) { return Given(proposing(draft, "1")).metric("itl").value; };
    double const alone = itl("0");
    EXPECT_GT(alone / itl("1"), 1.9);
    EXPECT_GT(alone / itl("4"), 4.7);
    EXPECT_LT(alone / itl("4"), 5.0);
}

TEST(Speculating, never_takes_longer_where_more_is_accepted) {
    for (auto const& settings : served()) {
        for (auto const& [draft, llm] : {Texts{"1", "none"}, Texts{"5", "none"}, Texts{"5", "qwen2.5-0.5b"}}) {
            double last_time = 1e300, last_lower = 1e300;
            for (char const* acceptance : {"0", "0.2", "0.5", "0.7", "0.9", "0.99", "1"}) {
                auto const g = Given(joined(settings, proposing(draft, acceptance, llm)));
                if (!g.rule().empty()) continue;
                auto const time = g.metric("latency");
                EXPECT_LE(time.value, last_time * (1.0 + 1e-12)) << acceptance;
                EXPECT_LE(time.lower, last_lower * (1.0 + 1e-12)) << acceptance;
                last_time = time.value;
                last_lower = time.lower;
            }
        }
    }
}

TEST(Speculating, takes_memory_for_the_model_that_proposes) {
    for (auto const& settings : served()) {
        auto const bytes = [&](Settings const& more) {
            return Given(joined(settings, more)).metric("footprint").value;
        };
        EXPECT_EQ(bytes(proposing("8", "0.7")), bytes({}));
    }
    auto const bytes = [&](Settings const& more) { return Given(more).metric("footprint").value; };
    EXPECT_EQ(bytes(proposing("8", "0.7", "opt-125m")), bytes({}) + bytes({{"llm", "opt-125m"}}));
    EXPECT_EQ(Given(joined({{"llm", "llama-3-70b"}, {"device", "h100"}, {"weights", "int8"}},
                           proposing("4", "0.7", "llama-3.2-1b")))
                  .rule(),
              "");
    EXPECT_EQ(Given(joined({{"llm", "llama-3-70b"}, {"device", "h100"}, {"weights", "int8"}},
                           proposing("4", "0.7", "llama-2-13b")))
                  .rule(),
              "memory");
}

TEST(Speculating, reads_the_prompt_with_both_models) {
    Settings const proposed = proposing("4", "0.7", "opt-125m");
    double const both = Given(proposed).metric("ttft").value;
    EXPECT_NEAR(both, Given().metric("ttft").value + Given({{"llm", "opt-125m"}}).metric("ttft").value, 1e-12);
    EXPECT_GT(Given(proposed).metric("energy").value, Given(proposing("4", "0.7")).metric("energy").value);
    EXPECT_GT(Given(proposed).metric("itl").value, Given(proposing("4", "0.7")).metric("itl").value);
}

TEST(Speculating, is_refused_where_blocks_are_denoised) {
    Settings const diffusion{{"llm", "llada-8b"}, {"generation", "diffusion"}};
    EXPECT_EQ(Given(diffusion).rule(), "");
    EXPECT_EQ(Given(joined(diffusion, proposing("4", "0.7"))).rule(), "draft");
    EXPECT_EQ(Given(proposing("4", "0.7", "llada-8b")).rule(), "draft_llm");
}

/// Acceptance and draft model are in a key where there are proposals, and only there.
TEST(Speculating, are_in_the_key_of_a_search_where_there_are_any) {
    auto const key = [](Settings const& settings) {
        Given const g(settings);
        return shipped().proofs.cycle_key(g.inputs, g.point);
    };
    EXPECT_EQ(key(proposing("0", "0.1", "opt-125m")), key(proposing("0", "0.9")));
    EXPECT_NE(key(proposing("4", "0.7")), key(proposing("0", "0.7")));
    EXPECT_NE(key(proposing("4", "0.7")), key(proposing("4", "0.6")));
    EXPECT_NE(key(proposing("4", "0.7")), key(proposing("4", "0.7", "opt-125m")));
}

}  // namespace
}  // namespace pimdse::models::text::test::speculation_test
