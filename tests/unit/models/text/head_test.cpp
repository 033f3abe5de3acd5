#include "models/text/head.hpp"

#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <toml++/toml.h>

namespace pimdse::models::text::head_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Every mistake, or the sentence for what is not a machine.
std::vector<std::string> mistakes_in(std::string const& text, Head& head) {
    std::vector<std::string> mistakes;
    auto const content = parse_toml(text, "a.toml");
    TableReader root(content, "a.toml", mistakes);
    try {
        head = read_head(root, content, "a.toml");
    } catch (sim::InputError const& error) {
        return error.sentences();
    }
    return mistakes;
}

std::vector<std::string> mistakes_in(std::string const& text) {
    Head head;
    return mistakes_in(text, head);
}

TEST(Head, has_a_name_and_a_summary) {
    Head head;
    EXPECT_THAT(mistakes_in("schema = 1\nname = \"card_2\"\nsummary = \"two of them\"", head), ElementsAre());
    EXPECT_EQ(head.name, "card_2");
    EXPECT_EQ(head.summary, "two of them");
    EXPECT_THAT(mistakes_in("name = \"a\"", head), ElementsAre());
    EXPECT_EQ(head.summary, "");
}

TEST(Head, reports_all_mistakes_with_their_lines) {
    EXPECT_THAT(
        mistakes_in("schema = 2\nname = \"my card\"\nsummary = \"a\\nb\""),
        ElementsAre(StartsWith("a.toml:1: schema is not 1"), StartsWith("a.toml:2: 'my card' is not a valid name"),
                    StartsWith("a.toml:3: 'summary' has more than one line")));
    EXPECT_THAT(mistakes_in("summary = \"x\""), ElementsAre(HasSubstr("'name' is missing")));
    EXPECT_THAT(mistakes_in("name = 3"), ElementsAre(StartsWith("a.toml:1: 'name' is not a text")));
}

TEST(Head, says_what_else_the_file_is) {
    EXPECT_THAT(mistakes_in(""), ElementsAre(StartsWith("a.toml: is empty")));
    EXPECT_THAT(mistakes_in("# nothing\n"), ElementsAre(StartsWith("a.toml: is empty")));
    EXPECT_THAT(
        mistakes_in("objectives = [\"latency\"]\narchitecture = \"gpu\""),
        ElementsAre(AllOf(StartsWith("a.toml: is a space and not a machine"), HasSubstr("pimdse explore a.toml"))));
}

TEST(Head, takes_names_that_can_be_part_of_a_column) {
    for (auto const* name : {"a", "A100", "my_card", "x9"}) EXPECT_TRUE(is_machine_name(name)) << name;
    for (auto const* name : {"", "9x", "_a", "a.b", "a-b", "a b", "ä", "a/b", "a:b"})
        EXPECT_FALSE(is_machine_name(name)) << name;
    EXPECT_TRUE(is_machine_name(std::string(64, 'a')));
    EXPECT_FALSE(is_machine_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace pimdse::models::text::head_test
