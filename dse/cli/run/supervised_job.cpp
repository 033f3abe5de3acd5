#include "dse/cli/run/supervised_job.hpp"

#include "dse/cli/verb.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <system_error>
#include <thread>

namespace pimdse::dse::cli::run {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

pid_t start(std::vector<std::string> const& words) {
    std::vector<char*> arguments;
    for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec does not write
    arguments.push_back(nullptr);
    pid_t const child = ::fork();
    if (child > 0) ::setpgid(child, child);  // here, too: a signal may have to go to the group at once
    if (child != 0) return child;
    ::setpgid(0, 0);  // what a terminal sends reaches the job as SIGUSR1 from here, not as its own
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    stop_signals_as_at_start();
    if (int const nothing = ::open("/dev/null", O_RDONLY); nothing > STDIN_FILENO) {
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
    ::execvp(arguments[0], arguments.data());
    std::cerr << fmt::format("pimdse: {} cannot be started ({})\n", words[0], std::strerror(errno));
    std::_Exit(usage);
}

enum class Held { no_journal, by_somebody, by_nobody };

Held held(std::filesystem::path const& journal) {
    int const descriptor = ::open(journal.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return Held::no_journal;
    bool const is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    ::close(descriptor);
    return is_free ? Held::by_nobody : Held::by_somebody;
}

/// Notices a launcher that has outlived its run. It counts its own looks: time in which this process was stopped does
/// not count.
class LauncherWatch {
  public:
    LauncherWatch(pid_t job, std::filesystem::path const& journal)
        : job_(job), journal_(journal), size_before_(size()) {}

    void look() {
        constexpr int looks_per_second = 20;
        constexpr int patience_seconds = 30;
        constexpr int grace_seconds = 10;
        if (++looks_ % looks_per_second != 0) return;
        auto const now = held(journal_);
        has_begun_ = has_begun_ || now == Held::by_somebody || size() != size_before_;
        seconds_alone_ = has_begun_ && now == Held::by_nobody ? seconds_alone_ + 1 : 0;
        if (seconds_alone_ == patience_seconds) {
            std::cerr << "pimdse: the launcher stays although its run has ended (a node may be gone); it is ended\n";
            ::kill(job_, SIGTERM);
        }
        if (seconds_alone_ == patience_seconds + grace_seconds) ::kill(-job_, SIGKILL);
    }

  private:
    [[nodiscard]] std::uintmax_t size() const {
        std::error_code error;  // there may be none yet
        return std::filesystem::file_size(journal_, error);
    }

    pid_t job_;
    std::filesystem::path const& journal_;
    int looks_ = 0;
    int seconds_alone_ = 0;
    std::uintmax_t size_before_;
    bool has_begun_ = false;
};

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

CountedSignals::CountedSignals() {
    std::signal(SIGCHLD, SIG_DFL);  // who started us may have ignored it, and then no child has an exit code
}

int run_job(std::vector<std::string> const& words, std::filesystem::path const& journal) {
    pid_t const job = start(words);
    if (job < 0) {
        std::cerr << fmt::format("pimdse: no process can be started ({})\n", std::strerror(errno));
        return resumable;
    }
    LauncherWatch watch(job, journal);
    int forwarded = 0;
    while (true) {
        if (int const received = CountedSignals::count(); received > forwarded) {
            ::kill(job, forwarded == 0 ? SIGUSR1 : SIGTERM);
            forwarded = received;
        }
        int status = 0;
        if (::waitpid(job, &status, WNOHANG) == job) return exit_code_of(status);
        watch.look();
        std::this_thread::sleep_for(between_looks);
    }
}

}  // namespace pimdse::dse::cli::run
