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

/// While it lives, signals to stop are counted instead of obeyed, and the ends of children are told to this process.
class CountedSignals {
  public:
    CountedSignals();
    [[nodiscard]] static int count() { return TakenSignals::count(); }
    [[nodiscard]] static bool any() { return count() > 0; }

  private:
    TakenSignals taken_{TakenSignals::How::counted};
};

/// Starts these words as a process group of their own, which reads nothing (standard input belongs to who called this
/// program), and waits for them. The first signal counted goes on to them as
/// SIGUSR1, each further one as SIGTERM. A launcher that stays although the run behind it has let go of this journal
/// for half a minute, as it does when a node is gone, is ended. Returns the exit code; 128 and the signal's number
/// where one ended it.
[[nodiscard]] int run_job(std::vector<std::string> const& words, std::filesystem::path const& journal);

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

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// The file this process was started from.
class Program {
  public:
    [[nodiscard]] fs::path const& path() const { return path_; }

    /// True if the path still leads to the same bytes. Ranks of another version would answer otherwise than those
    /// before them.
    [[nodiscard]] bool unchanged() const {
        std::error_code error;
        if (fs::equivalent(running, path_, error)) return true;
        std::ifstream before(running, std::ios::binary);
        std::ifstream now(path_, std::ios::binary);
        using Bytes = std::istreambuf_iterator<char>;
        return before && now && std::equal(Bytes(before), Bytes(), Bytes(now), Bytes());
    }

  private:
    static constexpr char const* running = "/proc/self/exe";  // opens the file of the start, also when it was replaced
    fs::path path_ = fs::read_symlink(running);
};

/// What a job has left behind since it was last asked.
class Traces {
  public:
    explicit Traces(fs::path const& output) : output_(output), journal_(store::journal::journal_path(output)) {
        (void)new_results();
        sealed_ = identity();
    }

    [[nodiscard]] fs::path const& journal() const { return journal_; }

    /// True if the journal has answers that it had not.
    bool new_results() {
        std::error_code error;
        if (!fs::exists(journal_, error)) return false;
        try {
            return found_behind(cursor_);
        } catch (std::exception const&) {
            cursor_ = {};  // another journal has the name, and all it has is new; or it is damaged
        }
        try {
            return found_behind(cursor_);
        } catch (std::exception const&) {
            return false;  // the next start says what is wrong with it
        }
    }

    /// A run that seals its file removes the journal: one that leaves it has died, and so has one that sealed but did
    /// not come to say how it ended.
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

/// Leaves out nodes that do not answer any more.
class Nodes {
  public:
    explicit Nodes(Supervision const& how) : how_(how), all_(allocated_nodes()), alive_(all_) {}

    /// False if more are lost than may be. Called before a restart: a loss is the only reason for one that can be told
    /// from outside.
    bool enough() {
        constexpr double patience_seconds = 20.0;
        if (all_.size() < 2 || launcher_on(how_.launcher, all_).empty()) return true;
        auto const evaluated = evaluating(all_, patience_seconds);
        if (evaluated.empty()) return true;  // this process runs on one of them: asking does not work here
        std::vector<Node> lost;
        std::copy_if(all_.begin(), all_.end(), std::back_inserter(lost), [&](Node const& node) {
            return std::find(evaluated.begin(), evaluated.end(), node) == evaluated.end();
        });
        auto const spare = static_cast<std::size_t>(how_.spare_nodes.value_or(static_cast<int>(all_.size() / 2)));
        bool const allowed = lost.size() <= spare;
        if (evaluated != alive_ || !allowed)
            say(lost, evaluated, allowed ? "" : fmt::format(", but --spare-nodes allows {} to be lost", spare));
        alive_ = evaluated;
        return allowed;
    }

    [[nodiscard]] std::vector<std::string> launcher() const {
        return alive_ == all_ ? how_.launcher : launcher_on(how_.launcher, alive_);
    }

  private:
    static void say(std::vector<Node> const& lost, std::vector<Node> const& left, std::string const& but) {
        if (lost.empty())
            std::cerr << "pimdse: all nodes answer again\n";
        else
            std::cerr << fmt::format("pimdse: {} of {} nodes not answering: {}; left: {}{}\n", lost.size(),
                                     lost.size() + left.size(), names_of(lost), names_of(left), but);
    }

    Supervision const& how_;
    std::vector<Node> all_, alive_;
};

/// The words of one start: resumed from the second on, with what is left of the time.
std::vector<std::string> command(Supervision const& how, std::vector<std::string> launcher, fs::path const& program,
                                 bool again, std::optional<double> seconds_left) {
    std::vector<std::string> all = std::move(launcher);
    all.push_back(program.string());
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

bool is_verdict(int code) {
    constexpr std::array verdicts{complete,          usage,          bad_input, missing_input, some_points_failed,
                                  no_feasible_point, storage_failed, mismatch};
    return std::any_of(verdicts.begin(), verdicts.end(), [code](int verdict) { return code == verdict; });
}

void wait_before_restart(double seconds) {
    auto const until = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < until && !CountedSignals::any()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

int ended_early(int code, std::string_view why) {
    std::cerr << fmt::format("pimdse: the job ended early (exit code {}), {}; --resume goes on\n", code, why);
    return resumable;
}

}  // namespace

int supervise(Supervision const& how) {
    CountedSignals const signals;
    Program const program;
    Traces traces(how.output);
    Nodes nodes(how);
    auto const begun = Clock::now();
    auto const left = [&]() -> std::optional<double> {
        if (!how.seconds_allowed) return std::nullopt;
        return *how.seconds_allowed - std::chrono::duration<double>(Clock::now() - begun).count();
    };
    constexpr double shortest_pause = 1.0;
    constexpr double longest_pause = 60.0;
    double pause = shortest_pause;
    int restarts = 0;  // since the last answer
    for (bool again = false;; again = true) {
        int const code = run_job(command(how, nodes.launcher(), program.path(), again, left()), traces.journal());
        if (is_verdict(code) || (!CountedSignals::any() && !traces.unfinished(code))) return code;
        if (CountedSignals::any() || left().value_or(1.0) <= 0.0)
            return code == resumable ? code : ended_early(code, "and was to stop");
        if (traces.new_results()) {
            restarts = 0;
            pause = shortest_pause;
        }
        if (restarts == how.restarts) return ended_early(code, "and no restart is left");
        std::cerr << fmt::format("pimdse: the job died (exit code {}); restart {} of {} in {}\n", code, ++restarts,
                                 how.restarts, print_duration(pause));
        wait_before_restart(pause);
        pause = std::min(pause * 2.0, longest_pause);
        if (CountedSignals::any()) return resumable;
        if (!program.unchanged())
            return ended_early(code, fmt::format("and {} is another program by now, whose answers may differ",
                                                 program.path().string()));
        if (!nodes.enough()) return ended_early(code, "and too few nodes are left");
    }
}

}  // namespace pimdse::dse::cli
