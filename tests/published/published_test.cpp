#include "models/catalogue.hpp"
#include "models/contract/validation.hpp"

#include <gtest/gtest.h>
#include <cctype>

namespace pimdse::models {
namespace {

struct Case {
    Architecture const* architecture;
    PublishedFigure figure;
};

std::vector<Case> gated_figures() {
    std::vector<Case> cases;
    for (auto const& architecture : catalogue()) {
        for (auto& figure : load_published(architecture.name)) {
            if (figure.gate) cases.push_back({&architecture, std::move(figure)});
        }
    }
    return cases;
}

class Published : public ::testing::TestWithParam<Case> {};

TEST_P(Published, figure_is_reproduced_within_its_tolerance) {
    auto const check = FigureChecker(*GetParam().architecture).check(GetParam().figure);
    EXPECT_EQ(check.problem, "");
    EXPECT_TRUE(check.within) << check.figure.source << ": " << check.figure.metric << " is " << check.ours
                              << ", published " << check.figure.value << ", error " << check.error;
}

std::string test_name(Case const& c, std::size_t index) {
    std::string name = std::string(c.architecture->name) + "_" + c.figure.name + "_" + std::to_string(index);
    for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Papers, Published, ::testing::ValuesIn(gated_figures()),
                         [](auto const& param) { return test_name(param.param, param.index); });

TEST(PublishedFiles, exist_for_every_architecture_and_name_their_sources) {
    for (auto const& architecture : catalogue()) {
        auto const figures = load_published(architecture.name);
        EXPECT_FALSE(figures.empty()) << architecture.name;
        for (auto const& figure : figures) EXPECT_FALSE(figure.source.empty()) << figure.name;
    }
}

}  // namespace
}  // namespace pimdse::models
