#include "dse/cli/verdict.hpp"

#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <new>

namespace pimdse::dse::cli::verdict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Error>
Verdict of(Error const& error) {
    return verdict_of(std::make_exception_ptr(error));
}

TEST(Verdict, has_a_code_for_every_way_to_fail) {
    EXPECT_EQ(of(UsageError("a")).code, usage);
    EXPECT_EQ(of(sim::MissingInput("a")).code, missing_input);
    EXPECT_EQ(of(sim::InputError("a")).code, bad_input);
    EXPECT_EQ(of(sim::TooLong("a")).code, bad_input);
    EXPECT_EQ(of(sim::StorageError("f.h5", "a")).code, storage_failed);
    EXPECT_EQ(of(sim::MismatchError("a")).code, mismatch);
    EXPECT_EQ(of(std::bad_alloc()).code, storage_failed);
    EXPECT_EQ(of(std::runtime_error("a")).code, some_points_failed);
    auto const full =
        std::filesystem::filesystem_error("copy", "here.h5", std::make_error_code(std::errc::no_space_on_device));
    EXPECT_EQ(of(full).code, storage_failed);
    EXPECT_THAT(of(full).sentences, ElementsAre("here.h5 cannot be used (No space left on device)"));
}

TEST(Verdict, has_every_sentence_and_says_what_is_our_own_fault) {
    EXPECT_THAT(of(sim::InputError(std::vector<std::string>{"a", "b"})).sentences, ElementsAre("a", "b"));
    EXPECT_THAT(of(std::runtime_error("no way")).sentences, ElementsAre("no way (this is a bug of pimdse)"));
}

std::string printed(std::vector<std::string> sentences) {
    ::testing::internal::CaptureStderr();
    Verdict{std::move(sentences), usage}.print("who");
    return ::testing::internal::GetCapturedStderr();
}

TEST(Verdict, prints_a_line_a_sentence_whatever_is_quoted) {
    EXPECT_EQ(printed({"one", "two\nlines\x1b[31m\r\t"}), "who: one\nwho: two lines [31m  \n");
    EXPECT_EQ(printed({std::string("a\0b", 3)}), "who: a b\n");
    EXPECT_EQ(printed({}), "");
    EXPECT_EQ(printed({"\u00e4 \u4e2d"}), "who: \u00e4 \u4e2d\n");
    EXPECT_EQ(printed({std::string(1000, 'x')}), "who: " + std::string(1000, 'x') + "\n");
    EXPECT_EQ(printed({std::string(1001, 'x')}), "who: " + std::string(1000, 'x') + "...\n");
}

TEST(Verdict, cuts_between_characters) {
    for (std::size_t shift = 0; shift < 5; ++shift) {
        std::string long_text(shift, 'x');
        for (int i = 0; i < 600; ++i) long_text += "\u4e2d";
        EXPECT_TRUE(sim::is_utf8(printed({long_text}))) << shift;
        EXPECT_TRUE(sim::is_utf8(shown_name(long_text))) << shift;
        EXPECT_THAT(shown_name(long_text), HasSubstr("... (" + std::to_string(shift + 1800) + " bytes)"));
    }
    EXPECT_EQ(shown_name(std::string(200, 'n')), std::string(200, 'n'));
}

TEST(JsonText, says_what_is_no_utf8_by_the_replacement_character) {
    sim::Json json;
    json["file"] = "a\xff.h5";
    EXPECT_EQ(json.dump(), "{\"file\":\"a\ufffd.h5\"}");
    json["file"] = 1.0 / 3.0;
    EXPECT_EQ(sim::Json::parse(json.dump(2))["file"].get<double>(), 1.0 / 3.0) << "every bit";
}

}  // namespace
}  // namespace pimdse::dse::cli::verdict_test
