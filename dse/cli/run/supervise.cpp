#include "dse/cli/run/supervise.hpp"

#include "dse/cli/run/allocation.hpp"
#include "dse/cli/run/progress.hpp"
#include "dse/cli/run/supervised_job.hpp"
#include "dse/cli/verb.hpp"
#include "dse/store/journal/journal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

namespace pimdse::dse::cli::run {
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
        (void)new_answers();
        sealed_ = identity();
    }

    [[nodiscard]] fs::path const& journal() const { return journal_; }

    /// True if the journal has answers that it had not.
    bool new_answers() {
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
        sink.answer = [&found](task::Answer&&) { ++found; };
        sink.block = [&found](task::BlockSummary&&) { ++found; };
        sink.part = [&found](task::BlockPart&&) { ++found; };
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
        auto const answered = answering(all_, patience_seconds);
        if (answered.empty()) return true;  // this process runs on one of them: asking does not work here
        std::vector<Node> lost;
        std::copy_if(all_.begin(), all_.end(), std::back_inserter(lost), [&](Node const& node) {
            return std::find(answered.begin(), answered.end(), node) == answered.end();
        });
        auto const spare = static_cast<std::size_t>(how_.spare_nodes.value_or(static_cast<int>(all_.size() / 2)));
        bool const allowed = lost.size() <= spare;
        if (answered != alive_ || !allowed)
            say(lost, answered, allowed ? "" : fmt::format(", but --spare-nodes allows {} to be lost", spare));
        alive_ = answered;
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
        if (traces.new_answers()) {
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

}  // namespace pimdse::dse::cli::run
