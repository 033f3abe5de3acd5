#include "dse/cli/allocation.hpp"

#include "dse/cli/stop_signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <thread>

namespace pimdse::dse::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string environment(char const* name) {
    char const* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

/// Starts a command with /dev/null as its input and, unless `output` is given, its output.
pid_t start_quietly(std::vector<std::string> const& words, int output = -1) {
    std::vector<char*> arguments;
    for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec does not write
    arguments.push_back(nullptr);
    pid_t const child = ::fork();
    if (child != 0) return child;
    int const nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output >= 0 ? output : nothing, STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    stop_signals_as_at_start();
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
}

/// The standard output of a command; empty if the command fails.
std::string output_of(std::vector<std::string> const& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
    pid_t const child = start_quietly(words, ends[1]);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) != 0;) {
        if (got < 0 && errno != EINTR) break;
        if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = -1;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0 ? text : "";
}

/// A running command with a deadline.
class Trial {
  public:
    Trial(std::vector<std::string> const& words, double seconds)
        : child_(start_quietly(words)),
          deadline_(Clock::now() +
                    std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

    /// True once the command has ended; after the deadline it is killed.
    bool finished() {
        int status = 0;
        pid_t const ended = ::waitpid(child_, &status, WNOHANG);
        if (ended == child_) succeeded_ = status == 0;
        bool const late = ended == 0 && Clock::now() > deadline_;
        if (late) {
            ::kill(child_, SIGKILL);
            while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
        return late || ended == child_ || (ended < 0 && errno != EINTR);
    }
    [[nodiscard]] bool succeeded() const { return succeeded_; }

  private:
    pid_t child_;
    Clock::time_point deadline_;
    bool succeeded_ = false;
};

/// A Slurm step with one task on each of these nodes. It overlaps with the steps that run there, or that Slurm still
/// counts as running.
std::vector<std::string> step_on(std::vector<Node> const& nodes) {
    std::vector<std::string> names;
    for (auto const& node : nodes) names.push_back(node.name);
    std::string const count = fmt::format("{}", nodes.size());
    return {"srun",
            "--overlap",
            "--quiet",
            "--mpi=none",
            "--mem=0",
            "--cpus-per-task=1",
            "--ntasks-per-node=1",
            "--nodes=" + count,
            "--ntasks=" + count,
            fmt::format("--nodelist={}", fmt::join(names, ",")),
            "true"};
}

std::vector<bool> try_each(std::vector<Node> const& nodes, double seconds) {
    constexpr std::size_t at_once = 32;
    std::vector<bool> good(nodes.size(), false);
    for (std::size_t first = 0; first < nodes.size(); first += at_once) {
        std::vector<std::pair<std::size_t, Trial>> trials;
        for (std::size_t i = first; i < std::min(first + at_once, nodes.size()); ++i)
            trials.emplace_back(i, Trial(step_on({nodes[i]}), seconds));
        while (!trials.empty()) {
            std::erase_if(trials, [&good](auto& trial) {
                if (!trial.second.finished()) return false;
                good[trial.first] = trial.second.succeeded();
                return true;
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    return good;
}

/// Reduces the value after -n, if necessary, to the number of ranks that there is room for.
void limit_ranks(std::vector<std::string>& words, int max) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        bool const counts = words[i] == "-n" || words[i] == "-np" || words[i] == "--np" || words[i] == "-c";
        if (counts && std::atoi(words[i + 1].c_str()) > max) words[i + 1] = fmt::format("{}", max);
    }
}

}  // namespace

std::vector<int> tasks_per_node(std::string const& text) {
    std::vector<int> all;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        int tasks = 0;
        int times = 1;
        auto const* const end = part.data() + part.size();
        auto rest = std::from_chars(part.data(), end, tasks);
        if (rest.ec == std::errc{} && rest.ptr != end &&
            part.find("(x") == static_cast<std::size_t>(rest.ptr - part.data()) && part.back() == ')') {
            rest = std::from_chars(rest.ptr + 2, end - 1, times);
            ++rest.ptr;
        }
        constexpr int max_nodes = 1 << 20;
        if (rest.ec != std::errc{} || rest.ptr != end || tasks < 1 || times < 1 || times > max_nodes) return {};
        all.insert(all.end(), static_cast<std::size_t>(times), tasks);
    }
    return all;
}

std::vector<Node> allocated_nodes() {
    std::string const list = environment("SLURM_JOB_NODELIST");
    if (environment("SLURM_JOB_ID").empty() || list.empty()) return {};
    auto const tasks = tasks_per_node(environment("SLURM_TASKS_PER_NODE"));
    std::istringstream names(output_of({"scontrol", "show", "hostnames", list}));
    std::vector<Node> nodes;
    for (std::string name; std::getline(names, name);)
        nodes.push_back({name, nodes.size() < tasks.size() ? tasks[nodes.size()] : 1});
    return nodes;
}

std::vector<Node> responding(std::vector<Node> const& nodes, double seconds) {
    if (nodes.empty()) return {};
    Trial all(step_on(nodes), seconds);
    while (!all.finished()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (all.succeeded()) return nodes;
    auto const good = try_each(nodes, seconds);
    std::vector<Node> alive;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (good[i]) alive.push_back(nodes[i]);
    }
    return alive;
}

std::vector<std::string> launcher_on(std::vector<std::string> const& launcher, std::vector<Node> const& nodes) {
    if (launcher.empty()) return {};
    std::string const name = std::filesystem::path(launcher[0]).filename().string();
    int const ranks =
        std::accumulate(nodes.begin(), nodes.end(), 0, [](int sum, Node const& node) { return sum + node.tasks; });
    std::vector<std::string> hosts;
    auto words = launcher;
    if (name == "srun") {
        for (auto const& node : nodes) hosts.push_back(node.name);
        // --overlap: Slurm still counts the cores of a step that lost a node as used on the other nodes.
        words.insert(words.end(),
                     {"--overlap", fmt::format("--nodes={}", nodes.size()), fmt::format("--ntasks={}", ranks),
                      fmt::format("--nodelist={}", fmt::join(hosts, ","))});
        return words;
    }
    if (name != "mpirun" && name != "mpiexec" && name != "orterun" && name != "prterun") return {};
    for (auto const& node : nodes) hosts.push_back(fmt::format("{}:{}", node.name, node.tasks));
    limit_ranks(words, ranks);
    words.insert(words.begin() + 1, {"--host", fmt::format("{}", fmt::join(hosts, ","))});
    return words;
}

std::string names_of(std::vector<Node> const& nodes) {
    std::vector<std::string> names;
    for (auto const& node : nodes) names.push_back(node.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace pimdse::dse::cli
