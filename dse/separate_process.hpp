#pragma once

#include "dse/answer.hpp"
#include "dse/answer_codec.hpp"
#include "dse/strategy/strategy.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse {

class Space;

/// How points are evaluated apart from everything else: by a child process that reads a question from its standard input and
/// writes answers to its standard output, one by one.
struct SeparateProcess {
    std::vector<std::string> command;  ///< program and words; empty: not available, points are evaluated where they are
    std::string space_name;            ///< stands for the file in messages
    std::vector<std::pair<std::string, std::string>> overrides;  ///< of the space's text, as given on the command line
    double seconds_per_point = 3600.0;
};

/// Answers every task of the batch. A point whose process dies becomes a Defect of kind crash, one that takes too long a
/// Defect of kind timeout; the rest go on in a new process. A process that was killed from outside gets a second chance.
[[nodiscard]] std::vector<Answer> answers_apart(Space const& space, SeparateProcess const& how, Batch const& batch);

/// The child's side: reads the question, answers it, and returns. Throws CodecError and InputError.
void answer_questions(int question, int answers);

}  // namespace pimdse::dse
