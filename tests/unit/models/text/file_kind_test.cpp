#include "models/contract/toml_file.hpp"
#include "models/text/source_files.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>

namespace pimdse::models::text::file_kind_test {
namespace {

TEST(FileKind, of_every_shipped_file_is_known) {
    std::size_t spaces = 0, others = 0;
    for (auto const& entry : std::filesystem::directory_iterator(data_directory() / "spaces")) {
        if (entry.path().extension() != ".toml") continue;
        auto const read = read_toml(entry.path());
        auto const& content = *read;
        EXPECT_TRUE(is_space(content)) << entry.path();
        EXPECT_FALSE(is_machine(content)) << entry.path();
        ++spaces;
    }
    for (auto const& entry : std::filesystem::recursive_directory_iterator(data_directory() / "models")) {
        auto const folder = entry.path().parent_path().filename();
        auto const name = entry.path().filename();
        constexpr std::array parts{"upmem.toml", "keys.toml"};
        bool const is_known = folder == "machines" || folder == "text" || std::ranges::find(parts, name) != parts.end();
        if (entry.path().extension() != ".toml" || is_known) continue;
        auto const read = read_toml(entry.path());
        auto const& content = *read;
        EXPECT_FALSE(is_space(content)) << entry.path();
        EXPECT_FALSE(is_machine(content)) << entry.path();
        ++others;
    }
    EXPECT_GT(spaces, 10U);
    EXPECT_GT(others, 40U);
    EXPECT_TRUE(is_machine(*read_toml(data_directory() / "models/text/skeleton.toml")));
}

TEST(FileKind, does_not_need_a_file_without_mistakes) {
    EXPECT_TRUE(is_space(parse_toml("objectives = 3", "a")));
    EXPECT_TRUE(is_space(parse_toml("architecture = 'gpu'\nname = 'x'\nsummary = 'y'", "a")));
    EXPECT_TRUE(is_machine(parse_toml("[memory.hbm]\nkind = 'rate'", "a")));
    EXPECT_TRUE(is_machine(parse_toml("[run]\n", "a")));
    EXPECT_FALSE(is_machine(parse_toml("", "a")));
    EXPECT_FALSE(is_machine(parse_toml("[memory.hbm]\n[search]\nseed = 1", "a"))) << "a space with a table too many";
}

}  // namespace
}  // namespace pimdse::models::text::file_kind_test
