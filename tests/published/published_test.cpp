#include "models/catalogue.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/service/service.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cctype>

namespace pimdse::models {
namespace {

struct Case {
    Architecture const* architecture;
    PublishedFigure figure;
};

std::vector<Case> held_figures() {
    std::vector<Case> cases;
    for (auto const* architecture : published_architectures()) {
        for (auto& figure : load_published(architecture->name))
            if (figure.gate || figure.contradicted) cases.push_back({architecture, std::move(figure)});
    }
    return cases;
}

class Published : public ::testing::TestWithParam<Case> {};

TEST_P(Published, figure_is_reproduced_or_contradicted_as_stated) {
    auto const check =
        FigureChecker(*GetParam().architecture, find_architecture, service::figure_of).check(GetParam().figure);
    EXPECT_EQ(check.problem, "");
    EXPECT_TRUE(check.as_stated()) << (check.figure.contradicted ? "no longer contradicted: "
                                                                 : "outside its tolerance: ")
                                   << check.figure.source << ": " << check.figure.metric << " is " << check.ours
                                   << ", published " << check.figure.value << ", error " << check.error;
}

std::string test_name(Case const& c, std::size_t index) {
    std::string name = std::string(c.architecture->name) + "_" + c.figure.name + "_" + std::to_string(index);
    for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Papers, Published, ::testing::ValuesIn(held_figures()),
                         [](auto const& param) { return test_name(param.param, param.index); });

TEST(PublishedFiles, exist_for_every_architecture_and_name_their_sources) {
    for (auto const& architecture : catalogue()) {
        auto const figures = load_published(architecture.name);
        EXPECT_FALSE(figures.empty()) << architecture.name;
        for (auto const& figure : figures) EXPECT_FALSE(figure.source.empty()) << figure.name;
    }
}

TEST(PublishedFiles, hold_nothing_that_we_computed_as_a_claim) {
    for (auto const& architecture : catalogue()) {
        for (auto const& figure : load_published(architecture.name)) {
            bool const ours = figure.source.find("our arithmetic") != std::string::npos ||
                              figure.source.find("recomputed") != std::string::npos;
            EXPECT_FALSE(ours && figure.kind == FigureKind::claim) << architecture.name << ": " << figure.name;
        }
    }
}

TEST(PublishedFiles, say_of_every_paper_which_rows_are_its_own) {
    for (auto const& architecture : catalogue()) {
        auto const figures = load_published(architecture.name);
        for (auto const& paper : load_papers(architecture.name)) {
            EXPECT_TRUE(std::ranges::any_of(figures, [&](auto const& f) { return f.paper == paper.name; }))
                << architecture.name << ": " << paper.name;
            EXPECT_FALSE(paper.title.empty() || paper.authors.empty() || paper.identifier.empty()) << paper.name;
        }
    }
}

}  // namespace
}  // namespace pimdse::models
