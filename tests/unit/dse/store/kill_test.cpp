#include "dse/store/journal.hpp"

#include "tests/support/campaign.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

namespace pimdse::dse::store::journal::kill_test {
namespace {

int kills() { return tests::draws(200, 3, 50); }

/// Runs the writer for `life` after its first acknowledgement, kills it, and returns the last number it acknowledged.
std::uint64_t run_and_kill(std::filesystem::path const& journal, int seed, std::chrono::microseconds life) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_t const child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        auto const number = std::to_string(seed);
        ::execl(JOURNAL_WRITER, JOURNAL_WRITER, journal.c_str(), number.c_str(), nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    std::uint64_t acknowledged = 0, number = 0;
    auto const take = [&] {
        bool const whole = ::read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number);
        if (whole) acknowledged = number;
        return whole;
    };
    EXPECT_TRUE(take()) << "the writer never acknowledged anything";
    std::jthread const killer([=] {
        std::this_thread::sleep_for(life);
        ::kill(child, SIGKILL);
    });
    while (take()) {
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it was killed, it did not end";
    ::close(ends[0]);
    return acknowledged;
}

TEST(JournalKill, loses_nothing_that_was_acknowledged) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "run.h5.journal";
    auto const header = JournalHeader::of(sample::columns());
    std::mt19937 random(static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count()));
    std::uint64_t acknowledged_in_all = 0;
    std::uint64_t there_before = 0;
    int torn = 0;
    for (int round = 0; round < kills(); ++round) {
        auto const life = std::chrono::microseconds(random() % 120000);
        std::uint64_t const acknowledged = run_and_kill(path, round, life);
        std::uint64_t next = 0;
        {
            auto const journal = Journal::resume(path, header,
                                                 {[&](space::Result&& result) {
                                                      ASSERT_TRUE(sample::identical(result, sample::result(next)))
                                                          << "result " << next;
                                                      ++next;
                                                  },
                                                  {},
                                                  {}});
            ASSERT_GE(next, acknowledged) << "round " << round << ", killed after " << life.count() << " us";
            torn += journal.report().torn_bytes != 0 ? 1 : 0;
        }
        acknowledged_in_all += acknowledged - there_before;
        there_before = next;
        if (std::filesystem::file_size(path) > (std::uintmax_t{64} << 20)) {
            std::filesystem::remove(path);
            there_before = 0;
        }
    }
    EXPECT_GE(acknowledged_in_all, static_cast<std::uint64_t>(kills())) << "the kills came before any result";
    std::printf("%d kills, %llu acknowledged, 0 lost, %d torn tails dropped\n", kills(),
                static_cast<unsigned long long>(acknowledged_in_all), torn);
}

}  // namespace
}  // namespace pimdse::dse::store::journal::kill_test
