#include "dse/cli/point_request.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::cli::point_request_test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Manual const manual{"pimdse ask ARCH", "Asks.", "", {"architecture"}};

PointRequest requested(Words const& words) {
    Flags flags;
    flags.add("@point");
    return point_request(parse(manual, flags, words));
}

std::string refusal(Words const& words) {
    try {
        (void)requested(words);
    } catch (UsageError const& error) {
        return error.what();
    } catch (sim::InputError const& error) {
        return error.what();
    }
    return "accepted";
}

TEST(PointRequest, is_the_default_but_for_what_is_set) {
    auto const usual = requested({"upmem"});
    EXPECT_EQ(changed_parameters(usual), "");
    EXPECT_EQ(usual.fidelity, models::Fidelity::analytic);
    EXPECT_EQ(changed_parameters(requested({"upmem", "--set", "tasklets=4"})), "tasklets 4");
    EXPECT_THAT(changed_parameters(requested({"upmem", "--model", "opt-6.7b"})), HasSubstr("llm opt-6.7b"));
    EXPECT_EQ(requested({"upmem", "--fidelity", "cycle"}).fidelity, models::Fidelity::cycle);
}

TEST(PointRequest, says_what_is_not_known) {
    EXPECT_THAT(refusal({"upmen"}), says("did-you-mean-upmem"));
    EXPECT_THAT(refusal({"upmem", "--set", "taslets=4"}), says("did-you-mean-tasklets"));
    EXPECT_THAT(refusal({"upmem", "--set", "batch=0"}), says("out-range"));
    EXPECT_THAT(refusal({"upmem", "--fidelity", "cycles"}), says("fidelity-unknown-fidelity-cycles"));
    EXPECT_THAT(refusal({"upmem", "--point", "3"}), says("point-needs-result-file"));
    EXPECT_THAT(refusal({}), says("architecture-missing"));
    EXPECT_THAT(refusal({"upmem", "--from", "a.h5"}), says("uses-architecture-scenarios-file"));
}

TEST(RequestedScenarios, are_read_key_by_key) {
    auto const found = requested({"upmem", "--scenario", "chat=llm=opt-6.7b,input=512,weight=2.5", "--scenario",
                                  "long=llm=opt-6.7b,input=4096"});
    auto const& list = found.machine.scenarios.list();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].written.name, "chat");
    EXPECT_EQ(list[0].written.weight, 2.5);
    EXPECT_EQ(list[0].written.keys,
              (std::vector<std::pair<std::string, std::string>>{{"llm", "opt-6.7b"}, {"input", "512"}}));
    EXPECT_EQ(list[1].written.name, "long");
    EXPECT_EQ(list[1].written.weight, 1.0);
}

TEST(RequestedScenarios, are_refused_for_what_they_are_not) {
    EXPECT_EQ(refusal({"upmem", "--scenario", "chat"}), "--scenario: 'chat' is not NAME=KEY=VALUE,...");
    EXPECT_EQ(refusal({"upmem", "--scenario", "chat=input"}), "--scenario: 'input' is not KEY=VALUE");
    EXPECT_THAT(refusal({"upmem", "--scenario", "chat=inptu=4"}), says("scenario-inptu-key-scenario"));
    EXPECT_THAT(refusal({"upmem", "--scenario", "=input=4"}), says("valid-scenario-name"));
    EXPECT_THAT(refusal({"upmem", "--scenario", "a=input=4", "--scenario", "a=input=5"}), says("two-scenarios"));
    EXPECT_THAT(refusal({"upmem", "--scenario", "a=input=4,input=5"}), says("scenario-sets-input-twice"));
    EXPECT_THAT(refusal({"upmem", "--scenario", "a=input=4", "--set", "input=5"}), says("set-input-scenarios-set"));
}

TEST(RequestedScenarios, weigh_by_plain_numbers_above_nothing) {
    for (auto const* good : {"1", "0.25", "1e3"})
        EXPECT_EQ(refusal({"upmem", "--scenario", std::string("a=input=4,weight=") + good}), "accepted") << good;
    for (auto const* wrong : {"0", "-1", "nan", "inf", "x", "", "2 s", "3 GB"})
        EXPECT_THAT(refusal({"upmem", "--scenario", std::string("a=input=4,weight=") + wrong}),
                    HasSubstr("--scenario: "))
            << wrong;
}

}  // namespace
}  // namespace pimdse::dse::cli::point_request_test
