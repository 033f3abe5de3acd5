#include "models/llm/request_passes.hpp"

#include "models/text/result.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// Speculative decoding against a walk over its passes, and its laws.
namespace pimdse::models::dplena::speculation_test {
namespace {

using support::Settings;
using support::value;

Settings served(Settings const& more = {}) {
    Settings const settings{
        {"scope", "end_to_end"}, {"generation", "autoregressive"}, {"llm", "opt-125m"}, {"input", "64"},
        {"batch", "2"},          {"generation_length", "61"},      {"channels", "16"}};
    return support::with(settings, more);
}

Settings proposing(Settings const& settings, std::string const& draft, std::string const& acceptance,
                   std::string const& llm = "none") {
    return support::with(settings, {{"draft", draft}, {"acceptance", acceptance}, {"draft_llm", llm}});
}

std::vector<Settings> requests() {
    return {served(), served({{"llm", "llama-3.2-1b"}, {"batch", "16"}}),
            served({{"llm", "gemma-2-9b"}, {"input", "5000"}, {"generation_length", "9"}, {"channels", "64"}}),
            served({{"mode", "edge"}, {"v_chunk", "8192"}, {"overlap", "prefetch"}, {"buffers", "2"}}),
            served({{"host_fifo", "32"}, {"generation_length", "2"}})};
}

TEST(Proposals, of_no_token_change_nothing) {
    for (auto const& plain : requests()) {
        ASSERT_EQ(support::broken_rule(plain), "");
        auto const a = std::get<Metrics>(support::evaluate(plain, Fidelity::analytic)),
                   b = std::get<Metrics>(
                       support::evaluate(proposing(plain, "0", "0.1", "opt-125m"), Fidelity::analytic));
        for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].value == b[i].value || std::isnan(a[i].value)) << i;
    }
}

/// What the passes after the first take, without sampling.
struct Passes {
    double seconds = 0.0, operations = 0.0, bytes = 0.0, samplings = 0.0;
};
Passes passes_of(text::Design const& design) {
    auto const result = text::analytic(design);
    auto const& machine = design.prepared->machine();
    Passes all{result.rest.total(), result.rest.operations[1], result.rest.bytes(0)};
    for (std::size_t i = 0; i < machine.rules().size(); ++i)
        if (machine.rules()[i].part != nullptr) all.samplings += result.rest.seconds[i];
    all.seconds -= all.samplings;
    return all;
}

/// Request by request: as long a prompt is before each pass; what the pass takes is read from a request with one.
TEST(Proposals, cost_what_a_walk_over_all_passes_costs) {
    for (auto const* llm : {"none", "opt-125m"}) {
        auto const d = support::served(proposing(served({{"llm", "opt-1.3b"}}), "3", "1", llm));
        auto const all = passes_of(d);
        Passes sum;
        for (std::int64_t pass = 0; pass < 15; ++pass) {
            auto one = d;
            one.request.input = d.request.input + 4 * pass;
            one.request.output = 2;
            ASSERT_EQ(models::passes_of(one.request).rounds, 1.0);
            auto const at = passes_of(one);
            sum.seconds += at.seconds;
            sum.operations += at.operations;
            sum.bytes += at.bytes;
            sum.samplings += at.samplings;
        }
        ASSERT_EQ(models::passes_of(d.request).rounds, 15.0);
        EXPECT_NEAR(all.operations, sum.operations, 1e-9 * sum.operations);
        EXPECT_NEAR(all.bytes, sum.bytes, 1e-9 * sum.bytes);
        EXPECT_NEAR(all.seconds, sum.seconds, 1e-3 * sum.seconds);
        EXPECT_NEAR(all.samplings, sum.samplings, 1e-9 * sum.samplings);
    }
}

TEST(Proposals, that_nobody_accepts_make_nothing_faster) {
    for (auto const& plain : requests()) {
        for (auto const* draft : {"1", "3", "7"}) {
            auto const refused = proposing(plain, draft, "0");
            if (!support::broken_rule(refused).empty()) continue;  // the logits of a pass exceed sram_limit
            for (auto const* metric : {"itl", "latency"})
                EXPECT_GE(value(refused, metric), value(plain, metric) * (1.0 - 1e-9)) << metric << draft;
        }
    }
}

TEST(Proposals, never_take_longer_where_more_are_accepted) {
    int compared = 0;
    for (auto const& plain : requests()) {
        for (auto const* llm : {"none", "opt-125m"}) {
            double before = 1e300;
            for (auto const* acceptance : {"0", "0.3", "0.7", "0.95", "1"}) {
                auto const settings = proposing(plain, "3", acceptance, llm);
                if (!support::broken_rule(settings).empty()) continue;
                EXPECT_LE(value(settings, "latency"), before * (1.0 + 1e-12)) << acceptance;
                before = value(settings, "latency");
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 20);
}

TEST(Proposals, read_the_weights_once_for_all_positions) {
    auto const plain = served({{"llm", "llama-3.2-1b"}, {"batch", "1"}});
    auto const passes = [](Settings const& settings) { return passes_of(support::served(settings)).seconds; };
    double const gain = passes(plain) / passes(proposing(plain, "3", "1"));
    EXPECT_GT(gain, 3.8);
    EXPECT_LT(gain, 4.0);
}

TEST(Proposals, of_a_model_take_its_prompt_and_its_memory) {
    auto const plain = served({{"llm", "opt-1.3b"}});
    auto const free = proposing(plain, "3", "0.7"), paid = proposing(plain, "3", "0.7", "opt-125m");
    EXPECT_GT(value(paid, "ttft"), value(free, "ttft"));
    EXPECT_GT(value(paid, "itl"), value(free, "itl"));
    EXPECT_GT(value(paid, "energy"), value(free, "energy"));
    double const small = text::footprint(support::served(served())).front();
    double const held = value(paid, "footprint") - value(free, "footprint");
    EXPECT_LT(held, small);  // without its logits, which take the place of those of the model
    EXPECT_GT(held, 0.9 * small);
}

TEST(Proposals, are_refused_where_nothing_verifies_them) {
    EXPECT_EQ(support::broken_rule({{"draft", "2"}}), "draft");
    EXPECT_EQ(support::broken_rule({{"scope", "end_to_end"}, {"draft", "2"}}), "draft");
    EXPECT_EQ(support::broken_rule(proposing(served(), "2", "0.7", "llada-8b")), "draft_llm");
    EXPECT_EQ(support::broken_rule(proposing(served(), "2", "0.7", "llama-3-70b")), "memory");
}

TEST(Proposals, at_cycle_level_are_within_the_bounds_of_the_closed_forms) {
    for (auto const& plain : requests()) {
        auto const settings = proposing(plain, "2", "0.6", "opt-125m");
        if (support::broken_rule(settings).empty()) support::expect_bounds(settings);
    }
}

/// Acceptance and draft model are in a key where there are proposals, and only there.
TEST(Proposals, are_in_the_key_of_a_search_where_there_are_any) {
    using support::key;
    EXPECT_EQ(key(proposing(served(), "0", "0.1", "opt-125m")), key(proposing(served(), "0", "0.9")));
    EXPECT_NE(key(proposing(served(), "4", "0.7")), key(proposing(served(), "0", "0.7")));
    EXPECT_NE(key(proposing(served(), "4", "0.7")), key(proposing(served(), "4", "0.6")));
    EXPECT_NE(key(proposing(served(), "4", "0.7")), key(proposing(served(), "4", "0.7", "opt-125m")));
}

}  // namespace
}  // namespace pimdse::models::dplena::speculation_test
