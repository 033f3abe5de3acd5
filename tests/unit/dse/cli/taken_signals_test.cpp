#include "dse/cli/stop_signals.hpp"

#include "dse/run/stop_signal_list.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::cli::taken_signals_test {
namespace {

void (*handler_of(int number))(int) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    return now.sa_handler;
}

/// Who starts the tests in the background of a shell has it ignore some.
void take_none() {
    for (int const number : run::stop_signals) std::signal(number, SIG_DFL);
}

TEST(TakenSignals, are_counted_while_it_lives_and_as_before_afterwards) {
    take_none();
    {
        TakenSignals const taken(TakenSignals::How::counted);
        int sent = 0;
        for (int const number : run::stop_signals) {
            ::raise(number);
            EXPECT_EQ(TakenSignals::count(), ++sent) << number;
        }
        ::raise(SIGXCPU);
        EXPECT_EQ(TakenSignals::count(), sent) << "the kernel repeats it";
        ::raise(SIGTERM);
        EXPECT_EQ(TakenSignals::count(), sent + 1);
    }
    for (int const number : run::stop_signals) EXPECT_EQ(handler_of(number), SIG_DFL) << number;
    TakenSignals const again(TakenSignals::How::counted);
    EXPECT_EQ(TakenSignals::count(), 0);
}

TEST(TakenSignals, leave_ignored_what_was_ignored) {
    take_none();
    std::signal(SIGHUP, SIG_IGN);
    for (auto const how : {TakenSignals::How::counted, TakenSignals::How::ignored}) {
        TakenSignals const taken(how);
        EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
        EXPECT_EQ(handler_of(SIGINT) == SIG_IGN, how == TakenSignals::How::ignored);
    }
    EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
    EXPECT_EQ(handler_of(SIGINT), SIG_DFL);
    std::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace pimdse::dse::cli::taken_signals_test
