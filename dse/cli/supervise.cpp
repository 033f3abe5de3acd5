#include "dse/cli/supervise.hpp"

#include "dse/cli/progress.hpp"
#include "dse/cli/verb.hpp"
#include "dse/journal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pimdse::dse::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::array stop_signals{SIGINT, SIGTERM, SIGUSR1};

std::atomic<int> signals_received{0};
extern "C" void count_signal(int) { signals_received.fetch_add(1, std::memory_order_relaxed); }

/// While it lives, signals to stop are counted instead of obeyed.
class CountedSignals {
  public:
    CountedSignals() {
        struct sigaction action {};
        action.sa_handler = &count_signal;   // without SA_RESTART: waiting for the job is interrupted
        for (int const signal : stop_signals) ::sigaction(signal, &action, nullptr);
    }
    ~CountedSignals() {
        for (int const signal : stop_signals) std::signal(signal, SIG_DFL);
    }
    CountedSignals(CountedSignals const&) = delete;
    CountedSignals& operator=(CountedSignals const&) = delete;
    [[nodiscard]] static bool any() { return signals_received.load(std::memory_order_relaxed) > 0; }
};

/// The words of one start: resumed from the second on, with what is left of the time.
std::vector<std::string> command(Supervision const& how, bool again, std::optional<double> seconds_left) {
    std::vector<std::string> all = how.launcher;
    all.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
    all.emplace_back("explore");
    for (auto const& word : how.words) {
        if (!again || (word != "--force" && word != "--resume")) all.push_back(word);
    }
    if (again) all.emplace_back("--resume");
    if (seconds_left) {
        all.emplace_back("--time-limit");
        all.push_back(fmt::format("{} s", std::max(*seconds_left, 0.001)));
    }
    return all;
}

pid_t start(std::vector<std::string> const& words) {
    std::vector<char*> arguments;
    for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));   // NOLINT: exec does not write
    arguments.push_back(nullptr);
    pid_t const child = ::fork();
    if (child != 0) return child;
    ::setpgid(0, 0);   // what a terminal sends reaches the job as SIGUSR1 from here, not as its own
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (int const signal : stop_signals) std::signal(signal, SIG_DFL);
    ::execvp(arguments[0], arguments.data());
    std::cerr << fmt::format("pimdse: {} cannot be started ({})\n", words[0], std::strerror(errno));
    std::_Exit(usage);
}

/// The job's wait status; what this process is told to stop by goes on to it.
int wait_for(pid_t job) {
    int forwarded = 0;
    while (true) {
        if (int const received = signals_received.load(std::memory_order_relaxed); received > forwarded) {
            ::kill(job, forwarded == 0 ? SIGUSR1 : SIGTERM);
            forwarded = received;
        }
        int status = 0;
        pid_t const ended = ::waitpid(job, &status, WNOHANG);
        if (ended == job) return status;
        if (ended < 0 && errno != EINTR) return 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// A run that seals its file removes the journal: one that leaves it behind has died.
bool died(Supervision const& how, int code) {
    constexpr std::array verdicts{complete, usage, bad_input, missing_input, some_points_failed, no_feasible_point, storage_failed, mismatch};
    if (std::any_of(verdicts.begin(), verdicts.end(), [code](int verdict) { return code == verdict; })) return false;
    return std::filesystem::exists(journal_path(how.output));
}

void wait_before_restart(double seconds) {
    auto const until = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < until && !CountedSignals::any()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

int supervise(Supervision const& how) {
    CountedSignals const signals;
    auto const begun = Clock::now();
    auto const left = [&]() -> std::optional<double> {
        if (!how.seconds_allowed) return std::nullopt;
        return *how.seconds_allowed - std::chrono::duration<double>(Clock::now() - begun).count();
    };
    double pause = 1.0;
    for (int restart = 0;; ++restart) {
        int const code = exit_code_of(wait_for(start(command(how, restart > 0, left()))));
        if (!died(how, code)) return code;
        bool const over = CountedSignals::any() || left().value_or(1.0) <= 0.0;
        if (over || restart == how.restarts) {
            std::cerr << fmt::format("pimdse: the job ended early (exit code {}), {}; --resume goes on\n", code, over ? "and was to stop" : "and no restart is left");
            return resumable;
        }
        std::cerr << fmt::format("pimdse: the job died (exit code {}); restart {} of {} in {}\n", code, restart + 1, how.restarts, print_duration(pause));
        wait_before_restart(pause);
        if (CountedSignals::any()) return resumable;
        pause = std::min(pause * 2.0, 60.0);
    }
}

}  // namespace pimdse::dse::cli
