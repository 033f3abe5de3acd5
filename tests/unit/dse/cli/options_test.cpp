#include "dse/cli/options.hpp"

#include "dse/cli/verb.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::cli::options_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using Words = std::vector<std::string>;

template <class Work>
std::string refusal(Work const& work) {
    return refusal_by<UsageError>(work, "accepted");
}

Manual const manual{"pimdse try FILE MORE... [flags]", "Tries.", "  pimdse try a\ntries a.", {"file", "more..."}};

CommandLine parsed(Words const& words) {
    Flags flags;
    for (auto const* flag : {"--depth=(3) how deep", "--quick not slow", "--set=... name=value", "@format"})
        flags.add(flag);
    return parse(manual, flags, words);
}

TEST(Options, take_flags_and_words_in_any_order) {
    for (auto const& words :
         {Words{"a", "b", "c", "--depth", "4", "--quick"}, Words{"--quick", "a", "--depth=4", "b", "c"},
          Words{"--depth", "4", "--quick", "a", "b", "c"}}) {
        auto const values = parsed(words);
        EXPECT_EQ(values.text("file"), "a");
        EXPECT_THAT(values.texts("more"), ElementsAre("b", "c"));
        EXPECT_EQ(values.text("depth"), "4");
        EXPECT_TRUE(values.contains("quick"));
    }
    auto const none = parsed({});
    EXPECT_EQ(none.text("depth"), "3");
    EXPECT_FALSE(none.contains("quick") || none.contains("file") || none.contains("more"));
    EXPECT_EQ(refusal([&] { return none.needed("file"); }), "file is missing (usage: pimdse try FILE MORE... [flags])");
}

TEST(Options, name_the_flag_that_was_meant_and_guess_none) {
    EXPECT_THAT(refusal([] { return parsed({"--dept", "4"}); }), says("did-you-mean-depth"));
    EXPECT_THAT(refusal([] { return parsed({"--deep", "4"}); }), HasSubstr("of pimdse try FILE MORE... [flags]."));
    EXPECT_THAT(refusal([] { return parsed({"--depth"}); }), HasSubstr("(usage: "));
    EXPECT_THAT(refusal([] { return parsed({"--depth", "1", "--depth", "2"}); }), HasSubstr("(usage: "));
    EXPECT_THAT(refusal([] { return parsed({"--quick=yes"}); }), HasSubstr("(usage: "));
    Manual const alone{"pimdse alone", "Is.", "", {}};
    EXPECT_THAT(refusal([&] { return parse(alone, Flags(), {"word"}); }), says("too-many-arguments-usage"));
}

TEST(Options, help_shows_everything_and_asks_for_nothing_else) {
    for (auto const* flag : {"--help", "-h"}) {
        ::testing::internal::CaptureStdout();
        EXPECT_THROW((void)parsed({flag}), HelpPrinted);
        auto const text = ::testing::internal::GetCapturedStdout();
        for (auto const* part : {"pimdse try FILE MORE... [flags]", "Tries.", "--depth", "how deep", "--quick",
                                 "--format", "--help", "  pimdse try a\ntries a."})
            EXPECT_THAT(text, HasSubstr(part));
        EXPECT_THAT(text, ::testing::Not(HasSubstr("--more"))) << "words are no flags";
    }
}

TEST(Flags, have_values_as_they_are_written) {
    Flags flags;
    for (auto const* flag :
         {"--one= a value", "--thin[=2 %] one that may be left out", "--none=() nothing", "--output,o= a file"})
        flags.add(flag);
    auto const values = parse({"pimdse try", "", "", {}}, flags, {"-o", "a.h5", "--thin", "--one=x y"});
    EXPECT_EQ(values.text("output"), "a.h5");
    EXPECT_EQ(values.text("thin"), "2 %");
    EXPECT_EQ(values.text("one"), "x y");
    EXPECT_EQ(values.text("none"), "");
    EXPECT_EQ(flags.find("thin", false).description(), "one that may be left out");
}

TEST(ManualPages, have_the_parts_that_help_shows) {
    auto const page = page_of("dram check", "");
    EXPECT_THAT(page.manual.positionals, ElementsAre("csv"));
    EXPECT_EQ(page.manual.line, "pimdse dram check CSV [flags]");
    EXPECT_THAT(page.manual.purpose, ::testing::StartsWith("Simulates every row of a table of reference runs and "));
    EXPECT_THAT(page.manual.example, ::testing::StartsWith("  pimdse dram check tests/data/dram_cycles.csv"));
    EXPECT_EQ(page.manual.summary, "check the model against a table of reference runs");
    EXPECT_THAT(page_of("merge").manual.positionals, ElementsAre("files..."));
    EXPECT_EQ(page_of("evaluate", "DETAIL").flags.find("operator", false).description(),
              "what one operator of a text machine takes, instead of a request: DETAIL");
}

TEST(ManualPages, state_the_rows_of_a_part_that_the_writer_has) {
    EXPECT_EQ(command_line("explore", {}).text("part-rows"), std::to_string(store::usual_rows_per_part));
}

TEST(Format, is_one_of_three) {
    EXPECT_EQ(format_of(parsed({})), Format::text);
    EXPECT_EQ(format_of(parsed({"--format", "json"})), Format::json);
    EXPECT_EQ(format_of(parsed({"--format", "csv"})), Format::csv);
    EXPECT_THAT(refusal([] { return format_of(parsed({"--format", "jsn"})); }), says("unknown-format-jsn-did"));
    EXPECT_THAT(refusal([] {
                    return format_without_csv(parsed({"--format", "csv"}), "a result");
                }),
                says("result-can-printed-text"));
    EXPECT_EQ(format_without_csv(parsed({"--format", "json"}), "a result"), Format::json);
}

TEST(WordsBetweenCommas, are_all_there) {
    EXPECT_EQ(words_in("--depth", " a,b , c"), (std::vector<std::string>{"a", "b", "c"}));
    for (auto const* text : {"", " "})
        EXPECT_EQ(refusal([&] { return words_in("--depth", text); }), "--depth: nothing is named");
    for (auto const* text : {"a,,b", "a,", ",a", " , "}) {
        auto const told = refusal([&] { return words_in("--depth", text); });
        EXPECT_THAT(told, HasSubstr(fmt::format("--depth: a word is missing in '{}'", text)));
    }
}

TEST(Options, name_the_flag_that_was_meant_by_one_with_its_value) {
    EXPECT_THAT(refusal([] { return parsed({"--dpeth=4"}); }), says("did-you-mean-depth-2"));
}

TEST(Settings, are_cut_at_the_first_equals_sign) {
    auto const values = parsed({"--set", "a=1", "--set", "b=x=y", "--set", "c="});
    EXPECT_THAT(overrides_of(values), ElementsAre(Pair("a", "1"), Pair("b", "x=y"), Pair("c", "")));
    EXPECT_TRUE(overrides_of(parsed({})).empty());
    EXPECT_EQ(refusal([] {
                  return overrides_of(parsed({"--set", "=1"}));
              }),
              "--set =1 has no '=' (write --set name=value)");
    EXPECT_EQ(refusal([] {
                  return overrides_of(parsed({"--set", "a"}));
              }),
              "--set a has no '=' (write --set name=value)");
}

int count_words(CommandLine const& values) { return static_cast<int>(values.typed.size()); }
int fail(CommandLine const&) { return 99; }

TEST(TwoWords, run_the_second_with_what_is_behind_it) {
    Verb const verbs[]{{"links show", &count_words}, {"links check", &fail}, {"list", &count_words}};
    auto const run = [&](Words const& words) { return run_verb(verbs, words); };
    EXPECT_EQ(run({"list", "spaces"}), 3);
    EXPECT_EQ(run({"links", "show"}), 2);
    EXPECT_EQ(run({"links", "show", "check", "--devices", "8"}), 5);
    EXPECT_EQ(run({"links", "check", "show"}), 99);
    Verb const others[]{{"two count", &count_words}, {"two fail", &fail}};
    EXPECT_THAT(refusal([&] { return run_verb(others, {"two", "cuont"}); }), says("pimdse-two-no-verb"));
    EXPECT_THAT(refusal([&] { return run({"two", "count"}); }), HasSubstr("unknown verb 'two'"));
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(run({"links", "--help"}), complete);
    auto const help = ::testing::internal::GetCapturedStdout();
    EXPECT_THAT(help, ::testing::StartsWith("usage: pimdse links show|check [flags]\n\n  show    "));
    EXPECT_THAT(help, HasSubstr("\nExample:\n"));
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run({"links"}), usage);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), help);
}

}  // namespace
}  // namespace pimdse::dse::cli::options_test
