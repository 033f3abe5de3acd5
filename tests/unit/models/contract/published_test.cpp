#include "models/contract/published.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>

#include <unistd.h>
#include <cstdlib>
#include <fstream>

namespace pimdse::models {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A data folder with the published figures of one architecture, "paper", in use while it lives.
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

std::string const head =
    "[[figure]]\nname = \"row 3\"\nsource = \"Table I\"\nmetric = \"latency\"\nvalue = 2.5\nunit = \"ms\"\ntolerance = "
    "0.05\n";

std::string refusal(std::string const& figures) {
    DataFolder const folder(figures);
    try {
        (void)load_published("paper");
    } catch (sim::InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(Published, figures_say_what_they_are_worth) {
    DataFolder const folder(head + head + "fitted = true\n" + head + "gate = false\n");
    auto const figures = load_published("paper");
    ASSERT_EQ(figures.size(), 3U);
    EXPECT_EQ(status_of(figures[0]), "gated");
    EXPECT_EQ(status_of(figures[1]), "fitted");
    EXPECT_EQ(status_of(figures[2]), "shown");
}

TEST(Published, figures_are_read_in_si_with_settings_as_text) {
    DataFolder const folder(
        head + "set = { batch = 4, joint = true, llm = \"opt-125m\", share = 0.5 }\ngrid = { vlen = [64, 128] }\n");
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
    EXPECT_THAT(refusal(head + "set = 3\n"), HasSubstr("'set' is not a table"));
    EXPECT_THAT(refusal(head + "set = { batch = [4] }\n"), HasSubstr("published.toml:8: 'batch' of 'set' is no value"));
    EXPECT_THAT(refusal(head + "grid = { vlen = [] }\n"), HasSubstr("'vlen' of the grid is no list"));
    EXPECT_THAT(refusal(head + "grid = { vlen = [{}] }\n"), HasSubstr("'vlen' of 'grid' is no value"));
    EXPECT_THAT(refusal(head + "tolerence = 1\n"), HasSubstr("'tolerence'"));
    EXPECT_THAT(refusal("[[figure]]\nname = \"x\"\n"), HasSubstr("'metric' is missing"));
}

}  // namespace
}  // namespace pimdse::models
