#include "models/contract/published.hpp"
#include "tests/unit/models/text/folder.hpp"
#include "tests/unit/models/text/given.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <array>

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

/// lpddr5x_pim with attention on one of its units.
Architecture attending_on(Folder const& folder, std::string const& unit) {
    return architecture(folder.with(unit + ".toml", fmt::format("schema = 1\nbase = \"lpddr5x_pim\"\nname = \"{0}\"\n"
                                                                "summary = \"x\"\n[run]\n\"*.attention\" = {{ on = "
                                                                "\"{0}\", together = true }}\n",
                                                                unit)));
}

/// A pass attends where it takes less time; units in banks do not attend to cached vectors of all heads.
TEST(Bounds, hold_whichever_unit_attends) {
    Folder const folder;
    auto const npu = attending_on(folder, "npu"), banks = attending_on(folder, "bank_units");
    auto const& chosen = shipped("lpddr5x_pim");
    std::array<int, 2> taken{};
    for (auto const* llm : {"llama-3.2-1b", "opt-1.3b"}) {
        for (auto const* input : {"1", "30", "500", "1900"}) {
            Settings const settings{{"llm", llm}, {"input", input}, {"output", "9"}, {"channels", "16"}};
            auto const of = [&](Architecture const& machine, std::string_view name) {
                return Given(machine, settings).metric(name);
            };
            for (auto const* time : {"ttft", "itl"}) {
                double const on_npu = of(npu, time).value, in_banks = of(banks, time).value;
                auto const best = of(chosen, time);
                EXPECT_NEAR(best.value, std::min(on_npu, in_banks), 1e-12 * best.value) << llm << input << time;
                EXPECT_LE(best.lower, std::min(of(npu, time).lower, of(banks, time).lower) * (1.0 + 1e-12));
                ++taken[in_banks < on_npu ? 1 : 0];
            }
            Given const given(chosen, settings);
            auto const fine = std::get<Metrics>(given.machine->evaluate(given.inputs, given.point, Fidelity::cycle));
            for (auto const* name : {"ttft", "itl", "latency", "energy"}) {
                auto const metric = static_cast<std::size_t>(find_metric(given.machine->metrics(), name));
                EXPECT_LE(given.metric(name).lower, fine[metric].value) << name << llm << input;
            }
        }
    }
    EXPECT_GT(taken[0], 0);
    EXPECT_GT(taken[1], 0);
    Settings const latent{
        {"llm", std::string(PIMDSE_TEST_DATA) + "/keys/tiny_latent.toml"}, {"input", "500"}, {"output", "9"}};
    EXPECT_EQ(Given(chosen, latent).metric("itl").value, Given(npu, latent).metric("itl").value);
}

/// 2,048 rows of 1 MiB each: a third of the inputs of a layer fits a buffer of 8 MiB, and all of them one of 2 GiB.
TEST(Bounds, are_those_of_every_weight_once_however_small_a_buffer_is) {
    Folder const folder;
    auto const with_buffer = [&](std::string const& name, std::string const& bytes) {
        return architecture(folder.with(
            name + ".toml", fmt::format("schema = 1\nbase = \"lpddr5x_pim\"\nname = \"{}\"\nsummary = \"x\"\n"
                                        "[constant.npu_buffer]\nvalue = {}\nunit = \"MiB\"\nsource = \"x\"\n",
                                        name, bytes)));
    };
    Settings const prompt{{"llm", "llama-3.2-1b"}, {"input", "2048"}, {"output", "1"}, {"channels", "32"}};
    auto const small = with_buffer("small", "0.25"), middle = with_buffer("middle", "8"),
               large = with_buffer("large", "2048");
    auto const moved = [&](Architecture const& machine) {
        Given const given(machine, prompt);
        auto const design = given.design();
        auto const result = analytic(design);
        return std::pair(result.all().read[0], result.all().written[0]);
    };
    auto const once = moved(large);
    EXPECT_GT(moved(middle).first + moved(middle).second, once.first + once.second);
    EXPECT_GT(moved(small).first + moved(small).second, 2.0 * (moved(middle).first + moved(middle).second));
    for (auto const* name : {"ttft", "energy"}) {
        EXPECT_EQ(Given(small, prompt).metric(name).lower, Given(large, prompt).metric(name).lower) << name;
        EXPECT_GE(Given(small, prompt).metric(name).value, Given(large, prompt).metric(name).value) << name;
    }
    EXPECT_EQ(Given(with_buffer("none", "0.001"), prompt).rule(), "machine");
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
