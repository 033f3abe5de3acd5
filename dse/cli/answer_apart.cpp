#include "dse/cli/verb.hpp"
#include "dse/separate_process.hpp"

#include <unistd.h>

namespace pimdse::dse::cli {

int run_answer_apart(std::vector<std::string> const&) {
    int const answers = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);   // nothing a library prints may lie between the answers
    answer_questions(STDIN_FILENO, answers);
    return complete;
}

}  // namespace pimdse::dse::cli
