#include "models/cim_mesh/power.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <string>

namespace pimdse::models::cim_mesh::test::adapters_test {
namespace {

Given swapping(char const* every, std::vector<Setting> more = {}) {
    more.insert(more.begin(), {{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "8"}, {"lora_targets", "all"}});
    more.emplace_back("adapter_every", every);
    return Given(Settings(std::move(more)));
}

/// One request out of N waits for adapters: the mean is that of one request with and N - 1 without a swap.
TEST(Adapters, that_are_swapped_every_n_requests_cost_the_mean_of_n) {
    double const worst = swapping("1").metric("ttft").value, four = swapping("4").metric("ttft").value;
    double const never = swapping("1000000").metric("ttft").value;
    EXPECT_NEAR(four, (worst + 3.0 * never) / 4.0, 1e-5 * (worst - never));
    EXPECT_LT(never, worst);
    EXPECT_NEAR(swapping("4").metric("latency").value - four, swapping("1").metric("latency").value - worst, 1e-12);
    EXPECT_EQ(swapping("4").metric("itl").value, swapping("1").metric("itl").value);
}

/// SRPG hides all but the first layer behind the prompt of the layer before, unless the prompt is shorter than a swap.
TEST(Adapters, of_later_layers_are_hidden_by_long_prompts) {
    auto const exposed = [](char const* input, char const* every) {
        Given const given(Settings{{"llm", "llama-3.2-1b"},
                                   {"input", input},
                                   {"output", "8"},
                                   {"lora_targets", "all"},
                                   {"lora_rank", "64"},
                                   {"adapter_every", every}});
        auto const kinds = kinds_of(given.design, given.machine.value_bits);
        Memory const memory;
        auto const floors = layout(given.machine, memory, kinds, Fidelity::analytic);
        PlacedKind const kind(given.machine, kinds.front(), floors.front(), Fidelity::analytic);
        auto const prompt = kind.seconds(kind.parts(first_pass(given.design)).parts);
        return swap_of(given.machine, kinds).later([&](std::size_t) { return prompt.value; });
    };
    EXPECT_GT(exposed("1", "1"), 0.0);
    EXPECT_EQ(exposed("512", "1"), 0.0);
    EXPECT_NEAR(exposed("1", "5"), exposed("1", "1") / 5.0, 1e-15);
}

/// The slow reference: batches one after the other, of which every `every / batch`-th brings its adapters.
TEST(Adapters, are_replaced_once_for_as_many_batches_as_hold_their_requests) {
    auto const of = [](char const* batch, char const* every, char const* metric) {
        return swapping(every, {{"batch", batch}}).metric(metric).value;
    };
    for (char const* metric : {"ttft", "energy", "latency"}) {
        for (char const* batch : {"1", "2", "4"}) {
            double const swap = of(batch, batch, metric), never = of(batch, "1000000", metric);
            EXPECT_EQ(of(batch, "0", metric), swap) << metric << batch;
            EXPECT_GT(swap, never) << metric << batch;
            // Twelve requests with the same adapters are 12, 6 or 3 batches, of which one swaps.
            double const batches = 12.0 / std::stod(batch);
            EXPECT_NEAR(of(batch, "12", metric), (swap + (batches - 1.0) * never) / batches, 1e-5 * (swap - never));
        }
    }
}

/// Requests of a batch alternate in every layer, so that they cannot have adapters of their own.
TEST(Adapters, are_the_same_for_all_requests_of_a_batch) {
    auto const rule = [](char const* every, char const* targets) {
        return Given({{"llm", "llama-3.2-1b"}, {"batch", "4"}, {"adapter_every", every}, {"lora_targets", targets}})
            .rule();
    };
    for (char const* few : {"1", "3"}) EXPECT_EQ(rule(few, "q"), "adapter_every");
    for (char const* enough : {"0", "4", "5", "100"}) EXPECT_EQ(rule(enough, "q"), "");
    EXPECT_EQ(rule("1", "none"), "");
}

TEST(Adapters, are_sent_once_for_all_requests_that_use_them) {
    auto const sent = [](char const* every) {
        Given const given = swapping(every);
        for (auto const& row : given.explain().energy)
            if (row.what == "host_transfer/writing adapters") return row.amount;
        return 0.0;
    };
    EXPECT_NEAR(sent("8"), sent("1") / 8.0, 1e-18);
    EXPECT_LT(swapping("8").metric("energy").value, swapping("1").metric("energy").value);
    EXPECT_EQ(swapping("8").metric("footprint").value, swapping("1").metric("footprint").value);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::adapters_test
