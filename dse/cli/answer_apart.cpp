#include "dse/cli/verb.hpp"
#include "dse/separate_process.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace pimdse::dse::cli {

int run_answer_apart(std::vector<std::string> const&) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);   // nobody would read what is answered after the parent's death
    answer_questions(STDIN_FILENO);
    return complete;
}

}  // namespace pimdse::dse::cli
