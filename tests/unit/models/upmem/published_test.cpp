#include "models/contract/published.hpp"
#include "support.hpp"

namespace pimdse::models::upmem::published_test {
namespace {

double computed(PublishedFigure const& figure) {
    Fidelity const fidelity = figure.fidelity == "cycle" ? Fidelity::cycle : Fidelity::analytic;
    double const value = upmem().value(figure.set, figure.metric, fidelity);
    return figure.over.empty() ? value : value / upmem().value(figure.over, figure.metric, fidelity);
}

}  // namespace

TEST(Published, every_figure_that_gates_is_met) {
    auto const figures = load_published("upmem");
    EXPECT_GT(figures.size(), 450u);
    for (auto const& figure : figures) {
        double const ours = computed(figure);
        if (!figure.gate) continue;
        EXPECT_NEAR(ours, figure.value, figure.tolerance * figure.value) << figure.name << " (" << figure.source << ")";
    }
}

}  // namespace pimdse::models::upmem::published_test
