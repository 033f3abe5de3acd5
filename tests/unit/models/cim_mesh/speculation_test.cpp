#include "models/llm/request_passes.hpp"

#include "tests/unit/models/begun_passes.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <string>
#include <vector>

/// Speculative decoding against a walk over its passes, and its laws.
namespace pimdse::models::cim_mesh::test::speculation_test {
namespace {

Settings proposing(Settings const& settings, std::string const& draft, std::string const& acceptance,
                   std::string const& llm = "none") {
    return with(settings, {{"draft", draft}, {"acceptance", acceptance}, {"draft_llm", llm}});
}

std::vector<Settings> requests() {
    return {
        small("llama-3.2-1b", "serial"),
        small("llama-3.2-1b", "tree"),
        small("llama-3.2-1b", "searched"),
        with(small("llama-3.2-1b", "serial"), {{"output", "2"}, {"lm_head", "counted"}, {"activations", "counted"}}),
        with(small("llama-3.2-1b", "serial"), {{"machine", "leap-a"}, {"batch", "2"}}),
        with(small("llama-3.2-1b", "serial"), {{"machine", "leap-d"}, {"lm_head", "counted"}}),
        with(small("llama-3.2-1b", "serial"), {{"dynamic_products", "hybrid"}}),
        with(small("opt-125m", "tree"), {{"input", "300"}, {"output", "60"}, {"batch", "3"}})};
}

TEST(Proposals, of_no_token_change_nothing) {
    for (auto const& settings : requests()) {
        Given const plain(settings), idle(proposing(settings, "0", "0.1"));
        ASSERT_EQ(plain.rule(), "");
        auto const a = std::get<Metrics>(plain.outcome()), b = std::get<Metrics>(idle.outcome());
        for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].value == b[i].value || std::isnan(a[i].value)) << i;
    }
}

/// A request of two tokens has one pass, which ends where its context does: one for each pass of the longer request.
TEST(Proposals, cost_what_a_walk_over_all_passes_costs) {
    for (auto const& [draft, acceptance, output] : {std::array<std::string, 3>{"3", "1", "41"}, {"1", "0.5", "31"}}) {
        auto const settings =
            with(small("llama-3.2-1b", "serial"), {{"input", "64"}, {"output", output}, {"lm_head", "counted"}});
        Given const given(proposing(settings, draft, acceptance));
        auto const speculation = given.design.speculation;
        double walked = 0.0;
        std::int64_t before = 64;
        for (double const begins :
             models::test::begun_passes(speculation.draft, speculation.acceptance, std::stoll(output) - 1)) {
            auto const end = before++ + speculation.positions();
            if (begins == 0.0) continue;
            auto const one = with(settings, {{"input", std::to_string(end - 1)}, {"output", "2"}});
            walked += begins * Given(proposing(one, draft, acceptance)).metric("itl").value;
        }
        double const all = given.metric("latency").value - given.metric("ttft").value;
        EXPECT_NEAR(all, walked, 1e-3 * walked) << draft;
    }
}

TEST(Proposals, that_nobody_accepts_make_nothing_faster) {
    for (auto const& settings : requests()) {
        Given const before(settings);
        for (char const* draft : {"1", "3", "16"}) {
            Given const after(proposing(settings, draft, "0"));
            ASSERT_EQ(after.rule(), "");
            for (auto const* metric : {"ttft", "itl", "latency", "energy"}) {
                EXPECT_GE(after.metric(metric).value, before.metric(metric).value * (1.0 - 1e-9)) << metric << draft;
                EXPECT_GE(after.metric(metric).lower, before.metric(metric).lower * (1.0 - 1e-9)) << metric << draft;
            }
            EXPECT_EQ(after.metric("area").value, before.metric("area").value);
            EXPECT_EQ(after.metric("ttft").value, before.metric("ttft").value);
        }
    }
}

TEST(Proposals, never_take_longer_where_more_are_accepted) {
    for (auto const& settings : requests()) {
        double before = 1e300;
        for (char const* acceptance : {"0", "0.2", "0.5", "0.8", "1"}) {
            double const now = Given(proposing(settings, "4", acceptance)).metric("latency").value;
            EXPECT_LE(now, before * (1.0 + 1e-12)) << acceptance;
            before = now;
        }
    }
}

/// A decoded token waits for every router on its way, positions of a pass follow each other through them.
TEST(Proposals, fill_the_pipeline_of_a_layer) {
    auto const settings = with(small("llama-3.2-1b", "serial"), {{"output", "101"}});
    double const gain = Given(settings).metric("itl").value / Given(proposing(settings, "4", "1")).metric("itl").value;
    EXPECT_GT(gain, 2.0);
    EXPECT_LT(gain, 5.0);
}

TEST(Proposals, are_refused_where_nothing_verifies_or_makes_them) {
    EXPECT_EQ(Given(proposing(small("llada-8b", "serial"), "2", "0.7")).rule(), "draft");
    EXPECT_EQ(Given(proposing(small("llama-3.2-1b", "serial"), "2", "0.7", "opt-125m")).rule(), "draft_llm");
    EXPECT_EQ(Given(proposing(small("llama-3.2-1b", "serial"), "0", "0.7", "opt-125m")).rule(), "");
}

TEST(Proposals, at_cycle_level_are_within_the_bounds_of_the_closed_forms) {
    for (auto const& settings : requests()) {
        for (auto const& more : {Settings{}, Settings{{"placement", "searched"}}}) {
            Given const given(proposing(with(settings, more), "3", "0.6"));
            if (!given.rule().empty()) continue;
            expect_bounds(given, settings.list.front().second);
        }
    }
}

/// Acceptance and draft model are in a key where there are proposals, and only there.
TEST(Proposals, are_in_the_key_of_a_search_where_there_are_any) {
    auto const key = [](Settings const& settings) { return Given(settings).key(); };
    auto const request = small("llama-3.2-1b", "serial");
    EXPECT_EQ(key(proposing(request, "0", "0.1")), key(proposing(request, "0", "0.9", "opt-125m")));
    EXPECT_NE(key(proposing(request, "4", "0.7")), key(proposing(request, "0", "0.7")));
    EXPECT_NE(key(proposing(request, "4", "0.7")), key(proposing(request, "4", "0.6")));
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::speculation_test
