#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/cli/verdict.hpp"
#include "dse/run/mpi.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <span>

namespace pimdse::dse::cli {
namespace {

std::span<Verb const> verbs() {
    static constexpr std::array table{
        Verb{"quick", "explore a small space on this machine and show what its front says", &cli::run_quick,
             Ranks::together, true},
        Verb{"explore", "explore a space into a result file; alone, under mpirun or srun", &cli::run_explore,
             Ranks::together, true},
        Verb{"serve", "evaluate points of a space that another program asks for, by lines of JSON", &cli::run_serve,
             Ranks::together, true},
        Verb{"join", "work on an exploration that runs elsewhere (explore --joinable)", &cli::run_join, Ranks::each,
             true},
        Verb{"evaluate", "one point of an architecture: metrics, bounds and where time, energy and area go",
             &run_evaluate},
        Verb{"watch", "follow a running exploration", &cli::run_watch},
        Verb{"front", "the front of a result file, for any objectives", &cli::run_front},
        Verb{"condition", "the tree of a condition or formula as JSON, for programs that evaluate it", &run_condition,
             Ranks::each},
        Verb{"explain", "why a point of a result file is on the front or not, and what one change would do",
             &cli::run_explain},
        Verb{"flips", "which assumptions decide which machine of a space wins, and from which value", &run_flips},
        Verb{"failures", "why points of a result file have no metrics, one example each", &cli::run_failures},
        Verb{"report", "one page of HTML that shows what a result file has", &cli::run_report, Ranks::first, true},
        Verb{"merge", "join result files of one space", &run_merge, Ranks::first, true},
        Verb{"diff", "what two result files of one space say differently", &run_diff},
        Verb{"verify", "recompute a result file's digest and a sample of its points", &run_verify},
        Verb{"validate", "every published figure beside ours", &cli::run_validate},
        Verb{"list", "architectures, models, dram, spaces or strategies", &run_list},
        Verb{"describe", "parameters and metrics of an architecture", &run_describe},
        Verb{"dram", "replay a request stream through the DRAM model, or check it against reference rows",
             &cli::run_dram},
        Verb{"noc", "the same for the mesh network", &cli::run_noc},
    };
    return table;
}

/// The one that the words begin with; nullptr where there is none.
Verb const* verb_of(std::vector<std::string> const& words) {
    auto const known = verbs();
    auto const found = std::find_if(known.begin(), known.end(),
                                    [&](Verb const& verb) { return !words.empty() && verb.name == words[0]; });
    return found != known.end() ? &*found : nullptr;
}

void print_usage(std::ostream& out) {
    out << "pimdse explores the design spaces of memory-centric LLM accelerators.\n\nusage: pimdse VERB [arguments] "
           "[flags]    (pimdse VERB --help shows an example)\n\n";
    for (auto const& verb : verbs()) out << fmt::format("  {:<10} {}\n", verb.name, verb.summary);
    out << "\npimdse --version prints the version, the revision and the libraries.\n";
}

int dispatch(std::vector<std::string> const& words) {
    if (words.empty()) {
        print_usage(std::cerr);
        return usage;
    }
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        print_usage(std::cout);
        return complete;
    }
    if (words[0] == "--version") {
        std::cout << version_text();
        return complete;
    }
    if (words[0] == worker_verb) return cli::run_worker({words.begin() + 1, words.end()});
    if (auto const* verb = verb_of(words)) {
        if (verb->writes_file) std::signal(SIGPIPE, SIG_IGN);
        return verb->run({words.begin() + 1, words.end()});
    }
    std::vector<std::string> names;
    for (auto const& verb : verbs()) names.emplace_back(verb.name);
    throw UsageError(fmt::format("unknown verb '{}'.{}", words[0], sim::suggestion(words[0], names)));
}

/// Under a launcher every rank meets the same mistake; the first one says it.
int failed(Verdict const& verdict) {
    if (run::rank_from_launcher() == 0) verdict.print();
    return verdict.code;
}

bool asks_for_help(std::vector<std::string> const& words) {
    return std::any_of(words.begin(), words.end(), [](auto const& word) { return word == "--help" || word == "-h"; });
}

bool is_mine(std::vector<std::string> const& words) {
    if (run::rank_from_launcher() == 0) return true;
    auto const* verb = verb_of(words);
    return verb != nullptr && verb->ranks != Ranks::first && !asks_for_help(words);
}

int guarded(std::vector<std::string> const& words) {
    try {
        return is_mine(words) ? dispatch(words) : complete;
    } catch (...) {
        return failed(verdict_of(std::current_exception()));
    }
}

/// The next file opened would get the number of a closed one, and messages would be written into it. What goes to a
/// standard output that was closed goes on failing.
void occupy_standard_descriptors() {
    for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0) continue;
        static_cast<void>(::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
    }
}

/// The first rank alone reads. srun hands its input to every task and waits for one that does not take it.
void leave_input_to_first_rank() {
    if (run::rank_from_launcher() == 0) return;
    if (int const nothing = ::open("/dev/null", O_RDONLY); nothing >= 0) {
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
}

/// True if standard output is a pipe whose reader has closed it.
bool reader_has_gone() {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int with_output_written(int code) {
    std::cout.flush();
    if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    if (reader_has_gone()) return code;  // who read has read enough
    std::cerr << "pimdse: standard output cannot be written (it is closed or full), so what was printed there is "
                 "incomplete\n";
    return code == complete ? storage_failed : code;
}

}  // namespace
}  // namespace pimdse::dse::cli

int main(int argc, char** argv) {
    using namespace pimdse::dse::cli;
    occupy_standard_descriptors();
    leave_input_to_first_rank();
    return with_output_written(guarded({argv + 1, argv + argc}));
}
