#include "models/toml_file.hpp"
#include "sim/check.hpp"
#include "temporary_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::models {
namespace {

using ::testing::HasSubstr;

TEST(TableReader, collects_every_mistake_with_its_line) {
    auto const table = toml::parse(std::string_view("name = 3\nwidht = 4\n"), std::string_view("t.toml"));
    std::vector<std::string> mistakes;
    TableReader reader(table, "t.toml", mistakes);
    (void)reader.text("name");
    (void)reader.integer("width");
    reader.refuse_unknown_keys();
    ASSERT_EQ(mistakes.size(), 3U);
    EXPECT_THAT(mistakes[0], HasSubstr("t.toml:1"));
    EXPECT_THAT(mistakes[1], HasSubstr("'width' is missing"));
    EXPECT_THAT(mistakes[2], HasSubstr("'width'"));
}

TEST(TomlFile, says_where_it_is_not_toml) {
    testing::TemporaryFile const file("a = 1\nb = = 2\n");
    try {
        (void)read_toml(file.path());
        FAIL() << "broken TOML was read";
    } catch (sim::InputError const& error) {
        EXPECT_THAT(error.what(), HasSubstr(":2:"));
    }
    EXPECT_THROW((void)read_toml("no/such/file.toml"), sim::InputError);
}

TEST(TomlFile, writes_scalars_as_a_person_would_type_them) {
    auto const table = toml::parse(std::string_view("text = \"4 ns\"\nyes = true\nwhole = -3\nreal = 0.05\nlist = [1]\n"));
    EXPECT_EQ(scalar_text(*table.get("text")), "4 ns");
    EXPECT_EQ(scalar_text(*table.get("yes")), "true");
    EXPECT_EQ(scalar_text(*table.get("whole")), "-3");
    EXPECT_EQ(scalar_text(*table.get("real")), "0.05");
    EXPECT_THROW((void)scalar_text(*table.get("list")), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models
