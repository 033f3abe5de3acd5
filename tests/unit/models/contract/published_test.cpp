#include "models/contract/published.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>

#include <unistd.h>
#include <cstdlib>
#include <fstream>

namespace pimdse::models::published_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A data folder with the published figures of one architecture, "paper". It is in use during the lifetime of the
/// object.
class DataFolder {
  public:
    explicit DataFolder(std::string const& figures)
        : folder_(std::filesystem::temp_directory_path() / ("pimdse_published_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_ / "models" / "llm");
        std::filesystem::create_directories(folder_ / "models" / "paper");
        std::ofstream(folder_ / "models" / "paper" / "published.toml") << figures;
        ::setenv("PIMDSE_DATA", folder_.c_str(), 1);
    }
    ~DataFolder() {
        ::unsetenv("PIMDSE_DATA");
        std::filesystem::remove_all(folder_);
    }
    DataFolder(DataFolder const&) = delete;
    DataFolder& operator=(DataFolder const&) = delete;

  private:
    std::filesystem::path folder_;
};

std::string const paper =
    "[[paper]]\nname = \"Paper\"\ntitle = \"On rows\"\nauthors = \"A. Author\"\nyear = 2025\nidentifier = "
    "\"arXiv:0000.00000\"\nsources = [\"Table\", \"Figure 6\"]\n";
std::string const head =
    "[[figure]]\nname = \"row 3\"\nsource = \"Table I\"\nmetric = \"latency\"\nvalue = 2.5\nunit = \"ms\"\ntolerance = "
    "0.05\n";

std::string refusal(std::string const& figures) {
    DataFolder const folder(figures + paper);
    return refusal_by([&] { (void)load_published("paper"); });
}

TEST(Published, figures_say_what_they_are_worth) {
    DataFolder const folder(paper + head + head + "fitted = true\n" + head + "gate = false\n" + head +
                            "kind = \"consistency\"\n" + head + "kind = \"reference\"\n" + head +
                            "contradicted = true\nnote = \"a reason\"\n");
    auto const figures = load_published("paper");
    ASSERT_EQ(figures.size(), 6U);
    EXPECT_EQ(status_of(figures[0]), "gated");
    EXPECT_EQ(status_of(figures[1]), "fitted");
    EXPECT_EQ(status_of(figures[2]), "shown");
    EXPECT_EQ(status_of(figures[3]), "consistency");
    EXPECT_EQ(status_of(figures[4]), "reference");
    EXPECT_EQ(status_of(figures[5]), "contradicted");
    EXPECT_FALSE(figures[5].gate);
}

TEST(Published, figures_belong_to_the_paper_that_their_source_begins_with) {
    auto other = paper;
    other.replace(other.find("Paper"), 5, "Other");
    other.replace(other.find("\"Table\", \"Figure 6\""), 19, "\"Table IV\"");
    auto row = head;
    row.replace(row.find("Table I"), 7, "Table IV, row 2");
    DataFolder const folder(paper + other + "evidence = \"measured\"\n" + head + row + row +
                            "evidence = \"simulated\"\n" + row + "kind = \"consistency\"\n");
    auto const figures = load_published("paper");
    ASSERT_EQ(figures.size(), 4U);
    EXPECT_EQ(figures[0].paper, "Paper");
    EXPECT_EQ(figures[0].evidence, Evidence::claimed);
    EXPECT_EQ(figures[1].paper, "Other") << "the longer of two beginnings";
    EXPECT_EQ(figures[1].evidence, Evidence::measured);
    EXPECT_EQ(figures[2].evidence, Evidence::simulated);
    EXPECT_EQ(figures[3].evidence, Evidence::arithmetic) << "a value computed by this project";
    EXPECT_THAT(refusal("[[figure]]\nname = \"x\"\nsource = \"Fig. 3\"\nmetric = \"m\"\nvalue = 1\ntolerance = 0\n"),
                HasSubstr("published.toml:3: 'Fig. 3' does not begin with one of the 'sources' of a [[paper]]"));
}

TEST(Published, papers_name_what_is_not_modelled) {
    DataFolder const folder(paper + "not_modelled = [{ claim = \"it flies\", reason = \"no wings\" }]\n");
    auto const papers = load_papers("paper");
    ASSERT_EQ(papers.size(), 1U);
    EXPECT_EQ(papers[0].title, "On rows");
    EXPECT_EQ(papers[0].year, 2025);
    ASSERT_EQ(papers[0].not_modelled.size(), 1U);
    EXPECT_EQ(papers[0].not_modelled[0].reason, "no wings");
    EXPECT_THAT(refusal(paper + "not_modelled = [{ claim = \"it flies\" }]\n"), says("reason-missing"));
    EXPECT_THAT(refusal(paper + "not_modelled = [3]\n"), HasSubstr("list of { claim, reason }"));
}

TEST(Published, figures_are_read_in_si_with_settings_as_text) {
    DataFolder const folder(
        paper + head +
        "set = { batch = 4, joint = true, llm = \"opt-125m\", share = 0.5 }\ngrid = { vlen = [64, 128] }\n");
    auto const figures = load_published("paper");
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_DOUBLE_EQ(figures[0].value, 2.5e-3);
    EXPECT_TRUE(figures[0].gate);
    EXPECT_EQ(figures[0].fidelity, "analytic");
    EXPECT_THAT(figures[0].set,
                ElementsAre(Pair("batch", "4"), Pair("joint", "true"), Pair("llm", "opt-125m"), Pair("share", "0.5")));
    EXPECT_THAT(figures[0].grid, ElementsAre(Pair("vlen", ElementsAre("64", "128"))));
}

TEST(Published, mistakes_are_refused_with_their_line) {
    EXPECT_THAT(refusal(head + "set = 3\n"), says("set-table"));
    EXPECT_THAT(refusal(head + "set = { batch = [4] }\n"), says("batch-set-value"));
    EXPECT_THAT(refusal(head + "grid = { vlen = [] }\n"), says("vlen-grid-list"));
    EXPECT_THAT(refusal(head + "grid = { vlen = [{}] }\n"), says("vlen-grid-value"));
    EXPECT_THAT(refusal(head + "tolerence = 1\n"), HasSubstr("'tolerence'"));
    EXPECT_THAT(refusal(head + "kind = \"calim\"\n"), HasSubstr("'claim'"));
    EXPECT_THAT(refusal(head + "relation = \"atleast\"\n"), HasSubstr("'at_least'"));
    EXPECT_THAT(refusal(head + "of_grid = \"spread\"\n"), HasSubstr("'of_grid' needs 'grid'"));
    EXPECT_THAT(refusal(head + "over_metric = \"itl\"\n"), HasSubstr("need 'over'"));
    EXPECT_THAT(refusal(head + "measured = 2\nover = { batch = 4 }\n"), HasSubstr("'measured' is divided"));
    EXPECT_THAT(refusal(head + "contradicted = true\n"), HasSubstr("needs a 'note'"));
    EXPECT_THAT(refusal(head + "contradicted = true\ngate = true\nnote = \"x\"\n"), HasSubstr("without gate"));
    EXPECT_THAT(refusal("[[figure]]\nname = \"x\"\n"), says("metric-missing"));
}

}  // namespace
}  // namespace pimdse::models::published_test
