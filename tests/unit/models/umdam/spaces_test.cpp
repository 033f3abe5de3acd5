#include "dse/space/canonical_space.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pimdse::models::umdam::spaces_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string const head = R"(
schema = 1
architecture = "umdam"
workload = { llm = "opt-125m" }
objectives = ["ttlt"]
[parameters]
)";

dse::space::Space space(std::string const& parameters, std::vector<dse::space::Override> const& overrides = {}) {
    return dse::space::parse_space(head + parameters, "test.toml", overrides);
}

std::vector<std::string> mistakes_of(std::string const& parameters) {
    try {
        (void)space(parameters);
    } catch (sim::InputError const& error) {
        return error.sentences();
    }
    return {};
}

std::size_t axis_of(dse::space::Space const& space, std::string_view name) {
    return static_cast<std::size_t>(models::find_parameter(space.machines()[0].parameters(), name));
}

TEST(UmdamSpaces, enumerate_classes_and_say_how_many_were_left) {
    auto const all =
        space("mapping = { classes = \"all\" }\ncoll_bits = { from = 0, to = 6 }\nqueue_depth = [8, 32]\n");
    auto const& mappings = all.machines()[0].axes[axis_of(all, "mapping")];
    EXPECT_EQ(all.size(), 2 * mappings.size());  // ColL is part of a class
    ASSERT_EQ(all.notes().size(), 1U);
    EXPECT_EQ(all.notes()[0].first, "mapping");
    EXPECT_THAT(all.notes()[0].second, MatchesRegex("5040 candidates, [0-9]+ distinct, [0-9]+ legal, coll_bits = -1"));
    EXPECT_THAT(all.notes()[0].second, HasSubstr(std::to_string(mappings.size()) + " legal"));
    EXPECT_EQ(all.machines()[0].axes[axis_of(all, "coll_bits")].at(0), Value::integer(-1));
}

TEST(UmdamSpaces, with_classes_are_read_back_from_their_canonical_text) {
    auto const written = space("mapping = { classes = \"row_highest\", xor = [\"x.ba.ro.6.2\"] }\n");
    auto const read = dse::space::space_of_columns(written.columns());
    EXPECT_EQ(read.canonical_text(), written.canonical_text());
    EXPECT_EQ(read.size(), written.size());
    EXPECT_EQ(space("mapping = { classes = \"row_highest\", xor = \"x.ba.ro.6.2\" }\n").canonical_text(),
              written.canonical_text());
}

TEST(UmdamSpaces, count_the_classes_of_a_permutation_and_keep_its_points) {
    auto const permuted = space(
        "mapping = { permute = [\"row\", \"colm\", \"bank\", \"group\", \"channel\", \"coll\"] }\ncoll_bits = [2, "
        "3]\n");
    EXPECT_EQ(permuted.size(), 1440U);
    ASSERT_EQ(permuted.notes().size(), 1U);
    EXPECT_THAT(permuted.notes()[0].second, MatchesRegex("1440 candidates, [0-9]+ distinct, [0-9]+ legal"));
}

TEST(UmdamSpaces, let_the_command_line_replace_a_request) {
    auto const plain = space("mapping = { classes = \"all\" }\n", {{"mapping", "umdam"}});
    EXPECT_EQ(plain.size(), 1U);
    EXPECT_TRUE(plain.notes().empty());
    EXPECT_GT(space("mapping = \"umdam\"\n", {{"mapping", "{ classes = \"all\" }"}}).size(), 100U);
}

TEST(UmdamSpaces, refuse_requests_that_cannot_be_met_in_one_sentence) {
    EXPECT_THAT(mistakes_of("mapping = { classes = \"each\" }\n"), Contains(says("unknown-classes-each")));
    EXPECT_THAT(mistakes_of("mapping = { classes = 3.5 }\n"), Contains(HasSubstr("unknown classes")));
    EXPECT_THAT(mistakes_of("mapping = { classes = [] }\n"), Contains(says("one-word")));
    EXPECT_THAT(mistakes_of("mapping = { classes = \"all\", hash = \"x\" }\n"), Contains(says("unknown-key-hash")));
    EXPECT_THAT(mistakes_of("channels = { classes = \"all\" }\n"), Contains(says("channels-no-classes")));
    EXPECT_THAT(mistakes_of("mapping = { classes = \"bits\" }\nchannels = [2, 4]\n"),
                Contains(says("one-memory-organisation")));
}

}  // namespace
}  // namespace pimdse::models::umdam::spaces_test
