#include "dse/base/thread_count.hpp"
#include "dse/cli/operator_text.hpp"
#include "dse/cli/verb.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

namespace pimdse::dse::cli {
namespace {

constexpr std::array verbs{
    Verb{"quick", &run_quick, Ranks::together, true},
    Verb{"recommend", &run_recommend, Ranks::first, true},
    Verb{"explore", &run_explore, Ranks::together, true},
    Verb{"serve", &run_serve, Ranks::together, true},
    Verb{"evaluate", &run_evaluate, Ranks::first, false, &operator_grammar},
    Verb{"export", &run_export, Ranks::first, true},
    Verb{"watch", &run_watch},
    Verb{"front", &run_front},
    Verb{"condition", &run_condition, Ranks::each},
    Verb{"explain", &run_explain},
    Verb{"flips", &run_flips},
    Verb{"robust", &run_robust},
    Verb{"failures", &run_failures},
    Verb{"report", &run_report, Ranks::first, true},
    Verb{"merge", &run_merge, Ranks::first, true},
    Verb{"diff", &run_diff},
    Verb{"verify", &run_verify},
    Verb{"validate", &run_validate},
    Verb{"layout", &run_layout, Ranks::first, true},
    Verb{"list", &run_list},
    Verb{"describe", &run_describe},
    Verb{"new-machine", &run_new_machine, Ranks::first, true},
    Verb{"calibrate", &run_calibrate, Ranks::first, true},
    Verb{"dram replay", &dram_replay},
    Verb{"dram check", &dram_check},
    Verb{"dram gemv", &dram_gemv},
    Verb{"dram import", &dram_import},
    Verb{"noc replay", &noc_replay},
    Verb{"noc check", &noc_check},
    Verb{"noc run", &noc_run},
    Verb{"links show", &links_show},
    Verb{"links check", &links_check},
};

void print_usage(std::ostream& out) {
    out << "pimdse explores the design spaces of memory-centric LLM accelerators.\n\nusage: pimdse VERB [arguments] "
           "[flags]    (pimdse VERB --help shows an example)\n\n";
    for (auto const& verb : first_words(verbs)) out << fmt::format("  {:<11} {}\n", verb, page_of(verb).manual.summary);
    out << "\npimdse --version prints the version, the revision and the libraries.\n";
}

int dispatch(std::vector<std::string> const& words) {
    if (words.empty()) {
        print_usage(std::cerr);
        return usage;
    }
    if (words[0] == "help" && words.size() > 1) return dispatch({words[1], "--help"});
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        print_usage(std::cout);
        return complete;
    }
    if (words[0] == "--version") {
        std::cout << version_text();
        return complete;
    }
    // Not listed: the process in which a resumed run evaluates points in quarantine.
    if (words[0] == child_verb) return run_child({words.begin() + 1, words.end()});
    if (words[0].starts_with('-'))
        throw UsageError("unknown flag '{}' of pimdse.{}", words[0],
                         sim::suggestion(words[0], {"--help", "--version"}));
    return run_verb(verbs, words);
}

/// Under a launcher every rank finds the same mistake, and the first that ends with an error ends the others: they
/// leave rank 0 the time to print.
int failed(Verdict const& verdict) {
    constexpr std::chrono::seconds patience{2};
    if (base::rank_from_launcher() == 0)
        verdict.print();
    else
        std::this_thread::sleep_for(patience);
    return verdict.code;
}

bool asks_for_help(std::vector<std::string> const& words) {
    return std::any_of(words.begin(), words.end(), [](auto const& word) { return word == "--help" || word == "-h"; });
}

/// Whether this process runs the verb; under a launcher the first rank runs every verb.
bool runs_here(std::vector<std::string> const& words) {
    if (base::rank_from_launcher() == 0) return true;
    auto const* verb = verb_of(verbs, words);
    return verb != nullptr && verb->ranks != Ranks::first && !asks_for_help(words);
}

int guarded(std::vector<std::string> const& words) {
    try {
        return runs_here(words) ? dispatch(words) : complete;
    } catch (HelpPrinted const&) {
        return complete;
    } catch (...) {
        return failed(verdict_of(std::current_exception()));
    }
}

/// Opens /dev/null in place of closed standard descriptors: otherwise the next file opened would get such a number, and
/// messages would be written into it. The replacement of standard output is read-only, so that writing to it still
/// fails.
void occupy_standard_descriptors() {
    for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0) continue;
        static_cast<void>(::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
    }
}

/// Only the first rank reads standard input. srun sends its input to every task and blocks on a task that does not
/// read.
void leave_input_to_first_rank() {
    if (base::rank_from_launcher() == 0) return;
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

/// The exit code: an error if standard output could not be written.
int exit_code_after_output(int code) {
    std::cout.flush();
    if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    if (reader_has_gone()) return code;  // the reader has read enough
    std::cerr
        << "pimdse: standard output cannot be written (it is closed or full), so the printed output is incomplete\n";
    return code == complete ? storage_failed : code;
}

}  // namespace
}  // namespace pimdse::dse::cli

int main(int argc, char** argv) {
    using namespace pimdse::dse::cli;
    occupy_standard_descriptors();
    end_by_verdict();
    leave_input_to_first_rank();
    return exit_code_after_output(guarded({argv + 1, argv + argc}));
}
