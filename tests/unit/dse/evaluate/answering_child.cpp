// The child's side alone, on points of the workbench; see process_apart_test.cpp.
#include "dse/evaluate/separate_process.hpp"

int main() { pimdse::dse::answer_questions(0); }
