// The child's side alone, on points of the workbench; see worker_process_test.cpp.
#include "dse/evaluate/answer_questions.hpp"

int main() { pimdse::dse::evaluate::answer_questions(0); }
