#include "dse/cli/run/worker.hpp"

#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/evaluate/answer_questions.hpp"
#include "dse/evaluate/stop_signal_list.hpp"
#include "dse/task/answer_codec.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

namespace pimdse::dse::cli::run {

int run_worker(std::vector<std::string> const&) {
    struct stat input {};
    bool const called_by_a_run = ::fstat(STDIN_FILENO, &input) == 0 && S_ISSOCK(input.st_mode);
    if (!called_by_a_run)
        throw UsageError(fmt::format(
            "{} is for a run that asks a process of its own (write pimdse evaluate for one point)", worker_verb));
    // Its run decides when it ends: a signal to a whole job (scancel --full) reaches it, too.
    for (int const number : evaluate::stop_signals) std::signal(number, SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read what is answered after the parent's death
    try {
        evaluate::answer_questions(STDIN_FILENO);
    } catch (task::CodecError const& error) {
        throw UsageError(fmt::format("{} was asked what it does not understand: {}", worker_verb, error.what()));
    }
    return complete;
}

evaluate::WorkerProcess::Settings worker_settings(std::string space_name,
                                                  std::vector<std::pair<std::string, std::string>> overrides,
                                                  double seconds_per_point) {
    return {
        {"/proc/self/exe", std::string(worker_verb)}, std::move(space_name), std::move(overrides), seconds_per_point};
}

}  // namespace pimdse::dse::cli::run
