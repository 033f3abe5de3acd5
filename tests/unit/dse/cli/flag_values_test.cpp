#include "dse/cli/options.hpp"

#include "dse/base/thread_count.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <limits>

namespace pimdse::dse::cli::flag_values_test {
namespace {

using testing::HasSubstr;

template <class Work>
std::string refusal(Work const& work) {
    return refusal_by<UsageError>(work, "accepted");
}

CommandLine with(std::string const& flag, std::string const& text) {
    CommandLine values;
    values.set(flag, text);
    return values;
}

TEST(FlagValues, a_whole_number_is_digits_within_its_limits) {
    EXPECT_EQ(read_number<std::uint64_t>("--budget", "18446744073709551615"),
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(read_number<std::uint64_t>("--budget", "1000.0"), 1000U);
    EXPECT_EQ(read_number<std::uint64_t>("--budget", "1e3"), 1000U);
    EXPECT_EQ(read_number<int>("--coll-bits", "-1", {-1, 64}), -1);
    for (char const* text :
         {"-1", "", " 1", "1 ", "+1", "1.5", "1e-3", "1e30", "0x10", "abc", "18446744073709551616", "1\n"}) {
        EXPECT_THAT(refusal([&] { return read_number<std::uint64_t>("--budget", text); }),
                    says("budget-whole-number-least"))
            << text;
    }
    EXPECT_EQ(read_number<int>("--n", "4", {2, 4}), 4);
    EXPECT_THAT(refusal([] { return read_number<int>("--n", "5", {2, 4}); }), says("whole-number-got"));
    EXPECT_THAT(refusal([] { return read_number<int>("--n", "1", {2, 4}); }), HasSubstr("from 2 to 4"));
}

TEST(FlagValues, a_number_is_finite_and_within_its_limits) {
    EXPECT_EQ(read_number<double>("--relative", "1e-6"), 1e-6);
    for (char const* text : {"nan", "-nan", "inf", "-1", "1e999", "1,5", ""}) {
        EXPECT_THAT(refusal([&] { return read_number<double>("--relative", text); }), says("relative-number-least"))
            << text;
    }
}

TEST(FlagValues, a_time_has_a_unit_and_is_neither_none_nor_endless) {
    EXPECT_EQ(seconds_of(with("silence", "2 min"), "silence"), 120.0);
    for (char const* text : {"90", "0 s", "-1 s", "1e300 s", "nan s", "4 GB", "soon", ""}) {
        EXPECT_THAT(refusal([&] { return seconds_of(with("silence", text), "silence"); }),
                    ::testing::AllOf(says("silence-time"), HasSubstr("(got '" + std::string(text) + "')")))
            << text;
    }
}

TEST(FlagValues, threads_have_a_limit) {
    EXPECT_EQ(threads_of(with("threads", "3")), 3);
    EXPECT_GE(base::max_threads(), 64);
    for (char const* text : {"-5", "1000000", "many"})
        EXPECT_THAT(refusal([&] { return threads_of(with("threads", text)); }),
                    ::testing::AllOf(HasSubstr("--threads"), HasSubstr("(got '" + std::string(text) + "')")));
}

TEST(FlagValues, variables_that_say_no_number_of_threads_are_refused) {
    for (char const* variable : {"PIMDSE_THREADS", "SLURM_CPUS_PER_TASK"}) {
        for (char const* text : {"abc", "0", "-2", "3.5", "99999999"}) {
            ::setenv(variable, text, 1);
            EXPECT_THAT(refusal([] { return threads_of(with("threads", "0")); }), HasSubstr(variable)) << text;
            EXPECT_EQ(threads_of(with("threads", "2")), 2) << "the flag is the first to be asked";
        }
        ::setenv(variable, "", 1);
        EXPECT_GE(threads_of(with("threads", "0")), 1) << "empty is as good as not set";
        ::unsetenv(variable);
    }
}

TEST(FlagValues, what_a_flag_names_and_nobody_knows_is_a_mistake_of_the_flag) {
    EXPECT_EQ(from_flag("--keep", [] { return 7; }), 7);
    auto const unknown = []() -> int { throw sim::InputError(std::vector<std::string>{"first", "second"}); };
    EXPECT_THAT(refusal([&] { return from_flag("--keep", unknown); }), says("keep-first-second"));
}

}  // namespace
}  // namespace pimdse::dse::cli::flag_values_test
