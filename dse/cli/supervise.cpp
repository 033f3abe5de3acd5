#include "dse/cli/supervise.hpp"

#include "dse/cli/allocation.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/stop_signals.hpp"
#include "dse/cli/verb.hpp"
#include "dse/store/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pimdse::dse::cli {

/// During its lifetime, signals to stop are counted instead of obeyed, and this process can wait for its children.
class CountedSignals {
  public:
    CountedSignals();
    [[nodiscard]] static int count() { return TakenSignals::count(); }
    [[nodiscard]] static bool any() { return count() > 0; }

  private:
    TakenSignals taken_{TakenSignals::How::counted};
};

/// Starts a command as a process group of its own and waits for it. Its standard input is /dev/null, because that of
/// this program belongs to the caller. The first signal counted is forwarded to it as SIGUSR1, each further one as
/// SIGTERM. A launcher that stays although its run released this journal half a minute ago (which happens when a node
/// is lost) is terminated. Returns the exit code; 128 plus the number of the signal if a signal ended the command.
[[nodiscard]] int run_job(std::vector<std::string> const& words, std::filesystem::path const& journal);

namespace {

constexpr std::chrono::milliseconds between_looks{50};

pid_t start(std::vector<std::string> const& words) {
    std::vector<char*> arguments;
    for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec does not write
    arguments.push_back(nullptr);
    pid_t const child = ::fork();
    if (child > 0) ::setpgid(child, child);  // also in the parent: a signal may have to be sent to the group at once
    if (child != 0) return child;
    ::setpgid(0, 0);  // the job gets signals of a terminal from this process as SIGUSR1, not directly
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

enum class JournalState { missing, locked, unlocked };

JournalState state_of(std::filesystem::path const& journal) {
    int const descriptor = ::open(journal.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return JournalState::missing;
    bool const is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    ::close(descriptor);
    return is_free ? JournalState::unlocked : JournalState::locked;
}

/// Detects a launcher that has outlived its run. It counts its own checks, so that time in which this process was
/// stopped does not count.
class LauncherWatch {
  public:
    LauncherWatch(pid_t job, std::filesystem::path const& journal)
        : job_(job), journal_(journal), size_before_(size()) {}

    void look() {
        constexpr int looks_per_second = 20;
        constexpr int patience_seconds = 30;
        constexpr int grace_seconds = 10;
        if (++looks_ % looks_per_second != 0) return;
        auto const now = state_of(journal_);
        has_begun_ = has_begun_ || now == JournalState::locked || size() != size_before_;
        seconds_alone_ = has_begun_ && now == JournalState::unlocked ? seconds_alone_ + 1 : 0;
        if (seconds_alone_ == patience_seconds) {
            std::cerr << "pimdse: the launcher is still there although its run has ended (a node may be lost); it is "
                         "terminated\n";
            ::kill(job_, SIGTERM);
        }
        if (seconds_alone_ == patience_seconds + grace_seconds) ::kill(-job_, SIGKILL);
    }

  private:
    [[nodiscard]] std::uintmax_t size() const {
        std::error_code error;  // the journal may not exist yet
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
    std::signal(SIGCHLD, SIG_DFL);  // the parent may have ignored it, and then children have no exit code
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

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// The file this process was started from.
class Program {
  public:
    [[nodiscard]] fs::path const& path() const { return path_; }

    /// True if the path still leads to the same bytes. Ranks of another version could give results that differ from the
    /// earlier ones.
    [[nodiscard]] bool unchanged() const {
        std::error_code error;
        if (fs::equivalent(running, path_, error)) return true;
        std::ifstream before(running, std::ios::binary);
        std::ifstream now(path_, std::ios::binary);
        using Bytes = std::istreambuf_iterator<char>;
        return before && now && std::equal(Bytes(before), Bytes(), Bytes(now), Bytes());
    }

  private:
    // Opens the file that was started, even if it has been replaced.
    static constexpr char const* running = "/proc/self/exe";
    fs::path path_ = fs::read_symlink(running);
};

/// The journal and the result file that a job leaves, compared with those at the previous call.
class Traces {
  public:
    explicit Traces(fs::path const& output) : output_(output), journal_(store::journal::journal_path(output)) {
        (void)new_results();
        sealed_ = identity();
    }

    [[nodiscard]] fs::path const& journal() const { return journal_; }

    /// True if the journal has new results.
    bool new_results() {
        std::error_code error;
        if (!fs::exists(journal_, error)) return false;
        try {
            return found_behind(cursor_);
        } catch (std::exception const&) {
            cursor_ = {};  // it is another journal, all of whose results are new; or it is damaged
        }
        try {
            return found_behind(cursor_);
        } catch (std::exception const&) {
            return false;  // the next start reports what is wrong with it
        }
    }

    /// True if the run died. A run that seals its file removes the journal, so a run that leaves the journal has died;
    /// so has a run that sealed its file but ended without an exit code of its own.
    [[nodiscard]] bool unfinished(int code) const {
        std::error_code error;
        if (fs::exists(journal_, error)) return true;
        return code != resumable && identity() != sealed_;
    }

  private:
    [[nodiscard]] bool found_behind(store::journal::JournalCursor& cursor) const {
        std::uint64_t found = 0;
        store::journal::JournalSink sink;
        sink.result = [&found](space::Result&&) { ++found; };
        sink.block = [&found](space::BlockSummary&&) { ++found; };
        sink.part = [&found](space::BlockPart&&) { ++found; };
        store::journal::Journal::read(journal_, sink, &cursor);
        return found > 0;
    }

    [[nodiscard]] std::array<std::int64_t, 3> identity() const {
        struct stat file {};
        if (::stat(output_.c_str(), &file) != 0) return {};
        return {static_cast<std::int64_t>(file.st_ino), file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
    }

    fs::path output_, journal_;
    store::journal::JournalCursor cursor_;
    std::array<std::int64_t, 3> sealed_{};
};

/// The nodes of the job; excludes nodes that no longer respond.
class Nodes {
  public:
    explicit Nodes(Supervision const& settings) : settings_(settings), all_(allocated_nodes()), alive_(all_) {}

    /// False if too many nodes are lost. Called before a restart, because a lost node is the only cause of a failure
    /// that is visible from outside.
    bool enough() {
        constexpr double patience_seconds = 20.0;
        if (all_.size() < 2 || launcher_on(settings_.launcher, all_).empty()) return true;
        auto const alive = responding(all_, patience_seconds);
        if (alive.empty()) return true;  // this process runs on one of them, so the test itself does not work here
        std::vector<Node> lost;
        std::copy_if(all_.begin(), all_.end(), std::back_inserter(lost),
                     [&](Node const& node) { return std::find(alive.begin(), alive.end(), node) == alive.end(); });
        auto const spare = static_cast<std::size_t>(settings_.spare_nodes.value_or(static_cast<int>(all_.size() / 2)));
        bool const allowed = lost.size() <= spare;
        if (alive != alive_ || !allowed)
            print_lost(lost, alive, allowed ? "" : fmt::format(", but --spare-nodes allows only {} to be lost", spare));
        alive_ = alive;
        return allowed;
    }

    [[nodiscard]] std::vector<std::string> launcher() const {
        return alive_ == all_ ? settings_.launcher : launcher_on(settings_.launcher, alive_);
    }

  private:
    static void print_lost(std::vector<Node> const& lost, std::vector<Node> const& left, std::string const& objection) {
        if (lost.empty())
            std::cerr << "pimdse: all nodes respond again\n";
        else
            std::cerr << fmt::format("pimdse: {} of {} nodes do not respond: {}; left: {}{}\n", lost.size(),
                                     lost.size() + left.size(), names_of(lost), names_of(left), objection);
    }

    Supervision const& settings_;
    std::vector<Node> all_, alive_;
};

/// The command line of one start: with --resume from the second start on, and with the remaining time.
std::vector<std::string> command(Supervision const& settings, std::vector<std::string> launcher,
                                 fs::path const& program, bool again, std::optional<double> seconds_left) {
    std::vector<std::string> all = std::move(launcher);
    all.push_back(program.string());
    all.emplace_back("explore");
    for (auto const& word : settings.words) {
        if (!again || (word != "--force" && word != "--resume")) all.push_back(word);
    }
    if (again) all.emplace_back("--resume");
    if (seconds_left) {
        all.emplace_back("--time-limit");
        all.push_back(fmt::format("{} s", std::max(*seconds_left, 0.001)));
    }
    return all;
}

bool is_verdict(int code) {
    constexpr std::array verdicts{complete,          usage,          bad_input, missing_input, some_points_failed,
                                  no_feasible_point, storage_failed, mismatch};
    return std::any_of(verdicts.begin(), verdicts.end(), [code](int verdict) { return code == verdict; });
}

void wait_before_restart(double seconds) {
    auto const until = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < until && !CountedSignals::any()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

int ended_early(int code, std::string_view reason) {
    std::cerr << fmt::format("pimdse: the job ended early (exit code {}): {}; continue it with --resume\n", code,
                             reason);
    return resumable;
}

}  // namespace

int supervise(Supervision const& settings) {
    CountedSignals const signals;
    Program const program;
    Traces traces(settings.output);
    Nodes nodes(settings);
    auto const begun = Clock::now();
    auto const left = [&]() -> std::optional<double> {
        if (!settings.seconds_allowed) return std::nullopt;
        return *settings.seconds_allowed - std::chrono::duration<double>(Clock::now() - begun).count();
    };
    constexpr double shortest_pause = 1.0;
    constexpr double longest_pause = 60.0;
    double pause = shortest_pause;
    int restarts = 0;  // since the last new result
    for (bool again = false;; again = true) {
        int const code = run_job(command(settings, nodes.launcher(), program.path(), again, left()), traces.journal());
        if (is_verdict(code) || (!CountedSignals::any() && !traces.unfinished(code))) return code;
        if (CountedSignals::any() || left().value_or(1.0) <= 0.0)
            return code == resumable ? code : ended_early(code, "a signal or the time limit stopped it");
        if (traces.new_results()) {
            restarts = 0;
            pause = shortest_pause;
        }
        if (restarts == settings.restarts) return ended_early(code, "no restart is left");
        std::cerr << fmt::format("pimdse: the job died (exit code {}); restart {} of {} in {}\n", code, ++restarts,
                                 settings.restarts, print_duration(pause));
        wait_before_restart(pause);
        pause = std::min(pause * 2.0, longest_pause);
        if (CountedSignals::any()) return resumable;
        if (!program.unchanged())
            return ended_early(code, fmt::format("{} has been replaced by another program, whose results may differ",
                                                 program.path().string()));
        if (!nodes.enough()) return ended_early(code, "too few nodes are left");
    }
}

}  // namespace pimdse::dse::cli
