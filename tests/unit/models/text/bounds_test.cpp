#include "models/contract/published.hpp"
#include "tests/unit/models/text/given.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>

/// Bounds of times against rows that somebody measured, and against the figures of data sheets.
namespace pimdse::models::text::test::bounds_test {
namespace {

/// True for figures that were printed by a paper about something else, not measured by the authors of the program.
bool is_claim(PublishedFigure const& figure) {
    return figure.source.starts_with("LEAP") || figure.source.starts_with("PRIMAL") || figure.unit == "J" ||
           figure.metric == "sampling_share" || figure.metric == "sampling_time";
}

/// The metric of a figure, on as many boards as it names.
Estimate on_its_boards(PublishedFigure const& figure) {
    auto const& boards = shipped();
    static auto const prepared = prepare(boards, boards.parameters());
    auto parameters = prepared.parameters;
    auto const outcome = boards.evaluate(prepared, point_with(parameters, figure.set), Fidelity::analytic);
    return std::get<Metrics>(outcome).at(static_cast<std::size_t>(find_metric(boards.metrics(), figure.metric)));
}

TEST(Bounds, hold_every_time_that_somebody_measured) {
    int held = 0;
    for (auto const& figure : load_published("gpu")) {
        bool const traffic =
            std::ranges::any_of(figure.set, [](auto const& given) { return given.first.starts_with("traffic."); });
        if (is_claim(figure) || !figure.over.empty() || traffic) continue;
        auto const ours = on_its_boards(figure);
        EXPECT_LE(ours.lower, figure.value) << figure.name;
        EXPECT_GE(ours.upper, figure.value) << figure.name;
        ++held;
    }
    EXPECT_GE(held, 30);
}

TEST(Bounds, refute_what_no_h100_can_do_in_fp16) {
    Given const h100({{"device", "h100"}, {"llm", "llama-3-8b"}, {"input", "1024"}, {"output", "1024"}});
    EXPECT_LT(h100.metric("tokens_per_second").upper, 274.26);
    EXPECT_EQ(h100.metric("tokens_per_second").kinds.upper, Bound::proved);
}

/// HBM-PIM: one sequence is multiplied in the banks, sixteen by the processor; what was chosen at cycle level is within
/// the bounds of the closed form.
TEST(Bounds, hold_whichever_unit_a_pass_chooses) {
    double of_one = 0.0;
    for (int batch = 1; batch <= 32; batch *= 2) {
        Given const given(shipped("hbm_pim"),
                          {{"batch", fmt::format("{}", batch)}, {"input", "128"}, {"output", "16"}});
        auto const metrics = given.machine->metrics();
        auto const at = [&](Fidelity fidelity) {
            return std::get<Metrics>(given.machine->evaluate(given.inputs, given.point, fidelity));
        };
        auto const coarse = at(Fidelity::analytic), fine = at(Fidelity::cycle);
        for (auto const* name : {"ttft", "itl", "latency", "energy"}) {
            auto const metric = static_cast<std::size_t>(find_metric(metrics, name));
            EXPECT_LE(coarse[metric].lower, fine[metric].value) << name << batch;
            EXPECT_GT(coarse[metric].lower, 0.0);
        }
        auto const itl = coarse[static_cast<std::size_t>(find_metric(metrics, "itl"))].value;
        if (batch == 1) of_one = itl;
        EXPECT_LE(itl, of_one * batch * (1.0 + 1e-12));
        if (batch == 16) {
            EXPECT_LT(itl, 0.3 * of_one * batch);
        }
    }
}

TEST(Bounds, at_the_figures_of_the_data_sheet_are_the_lowest_time) {
    Given const g({{"input", "1"}, {"output", "2"}});
    auto const& model = *g.design().request.model;
    double const weights =
        2.0 * static_cast<double>(model.layers * models::layer_weights(model) + models::lm_head_weights(model));
    EXPECT_GT(g.metric("itl").lower, weights / 2039e9);
    EXPECT_NEAR(g.metric("itl").lower, weights / 2039e9, 0.001 * weights / 2039e9);
}

}  // namespace
}  // namespace pimdse::models::text::test::bounds_test
