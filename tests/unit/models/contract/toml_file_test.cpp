#include "models/contract/toml_file.hpp"
#include "models/contract/read_once.hpp"
#include "sim/base/check.hpp"
#include "temporary_file.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace pimdse::models::toml_file_test {
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
    EXPECT_THAT(mistakes[1], says("width-missing"));
    EXPECT_THAT(mistakes[2], HasSubstr("'width'"));
}

TEST(TomlFile, says_where_it_is_not_toml) {
    testing::TemporaryFile const file("a = 1\nb = = 2\n");
    EXPECT_THAT(refusal_by([&] { (void)read_toml(file.path()); }), HasSubstr(":2:"));
    EXPECT_THROW((void)read_toml("no/such/file.toml"), sim::InputError);
}

int value_in(std::filesystem::path const& file) { return (*read_toml(file))["value"].value_or(0); }

/// Texts of one size, in quick succession: faster than clocks of file systems tick.
TEST(TomlFile, is_read_again_whenever_it_changes) {
    testing::TemporaryFile const file("value = 10");
    for (int value = 10; value < 60; ++value) {
        std::ofstream(file.path()) << "value = " << value;
        EXPECT_EQ(value_in(file.path()), value);
        EXPECT_EQ(value_in(file.path()), value);
    }
}

TEST(TomlFile, that_stays_as_it_is_is_read_once) {
    testing::TemporaryFile const file("value = 10");
    auto const parsed = [&] {
        return read_once<int>(
            file.path(),
            [](toml::table const& table, std::filesystem::path const&, int times) {
                static int read = 0;
                return times * table["value"].value_or(0) + read++;
            },
            2);
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    EXPECT_EQ(read_toml(file.path()), read_toml(file.path()));
    auto const first = *parsed();
    EXPECT_EQ(*parsed(), first);
    std::ofstream(file.path()) << "value = 20";
    EXPECT_EQ(*parsed(), first + 2 * 10 + 1) << "read once more";
    EXPECT_EQ(value_in(file.path()), 20);
}

TEST(TomlFile, writes_scalars_as_a_person_would_type_them) {
    auto const table =
        toml::parse(std::string_view("text = \"4 ns\"\nyes = true\nwhole = -3\nreal = 0.05\nlist = [1]\n"));
    EXPECT_EQ(scalar_text(*table.get("text")), "4 ns");
    EXPECT_EQ(scalar_text(*table.get("yes")), "true");
    EXPECT_EQ(scalar_text(*table.get("whole")), "-3");
    EXPECT_EQ(scalar_text(*table.get("real")), "0.05");
    EXPECT_THROW((void)scalar_text(*table.get("list")), sim::InputError);
}

TEST(TableReader, takes_a_value_for_nothing_but_what_it_is) {
    auto const refused = [](std::string const& written, auto const& read) {
        std::vector<std::string> mistakes;
        auto const table = parse_toml("key = " + written, "t.toml");
        TableReader reader(table, "t.toml", mistakes);
        read(reader);
        return mistakes.size() == 1;
    };
    for (std::string const written : {"true", "7", "0", "1.0", "\"true\"", "[true]", "{}", "2020-01-01"}) {
        EXPECT_EQ(refused(written, [](auto& r) { (void)r.flag("key"); }), written != "true") << written;
        EXPECT_EQ(refused(written, [](auto& r) { (void)r.text("key"); }), written != "\"true\"") << written;
        bool const number = written == "7" || written == "0" || written == "1.0";
        EXPECT_EQ(refused(written, [](auto& r) { (void)r.number("key"); }), !number) << written;
        EXPECT_EQ(refused(written, [](auto& r) { (void)r.integer("key"); }), !number) << written;
    }
}

TEST(TableReader, takes_counts_that_64_bits_hold_and_numbers_that_are_finite) {
    auto const table =
        parse_toml("whole = 4.0\nbig = 1e308\nlow = -1e308\nendless = inf\nnone = nan\nhalf = 0.5\n", "t.toml");
    std::vector<std::string> mistakes;
    TableReader reader(table, "t.toml", mistakes);
    EXPECT_EQ(reader.integer("whole"), 4);
    EXPECT_TRUE(mistakes.empty());
    for (auto const* key : {"big", "low", "endless", "none", "half"}) EXPECT_EQ(reader.integer(key), 0) << key;
    ASSERT_EQ(mistakes.size(), 5U);
    EXPECT_THAT(mistakes, ::testing::Each(says("whole-number")));
    EXPECT_EQ(reader.number("big"), 1e308);
    (void)reader.number("endless");
    (void)reader.number("none");
    ASSERT_EQ(mistakes.size(), 7U);
    EXPECT_THAT(mistakes.back(), says("none-nan-finite-number"));
}

TEST(TableReader, holds_counts_within_their_limits) {
    auto const table = parse_toml("a = 3\nb = 11\nc = 'x'\n", "t.toml");
    std::vector<std::string> mistakes;
    TableReader reader(table, "t.toml", mistakes);
    EXPECT_EQ(reader.count("a", {1, 10}), 3);
    EXPECT_EQ(reader.count("b", {1, 10}), 1);
    EXPECT_EQ(reader.count("c", {1, 10}), 1);
    ASSERT_EQ(mistakes.size(), 2U);
    EXPECT_THAT(mistakes[0], HasSubstr("t.toml:2: 'b' = 11 is out of range (it must lie in 1..10)"));
}

std::string many(std::string const& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(TomlFile, is_refused_where_it_is_too_deep_or_too_long_for_a_stack) {
    std::string const lists = "a = " + many("[", 50'000), tables = "a = " + many("{ a = ", 50'000),
                      dots = "x = 1\na" + many(".a", 200'000) + " = 1\n", head = "[a" + many(".a", 50'000) + "]\n",
                      mixed = "a = " + many("{ a" + many(".a", 20) + " = ", 20);
    for (auto const& deep : {lists, tables, dots, head, mixed}) {
        EXPECT_THAT(refusal_by([&] { (void)parse_toml(deep, "t.toml"); }), says("nested-too-deeply"));
    }
    EXPECT_THROW((void)parse_toml(std::string((16 << 20) + 1, '#'), "t.toml"), sim::InputError);
}

TEST(TomlFile, nests_as_far_as_anybody_writes_and_has_dots_in_texts) {
    auto const dots = many(".", 1000);
    auto const text = "# " + dots + "\na = \"" + dots + "\"\nb = '" + dots + "'\nc = \"\"\"" + dots + "\n\"" + dots +
                      "\"\"\"\nd = [" + many("0.5, ", 1000) + "0.5]\ne = \"\\\"" + dots + "\"\n";
    EXPECT_EQ(parse_toml(text, "t.toml").size(), 5U);
    EXPECT_EQ(parse_toml("a = " + many("[", 31) + many("]", 31), "t.toml").size(), 1U);
    EXPECT_EQ(line_nested_beyond("a = 1\nb = [[1]]\n", 1), 2);
}

}  // namespace
}  // namespace pimdse::models::toml_file_test
