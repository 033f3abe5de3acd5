// The child's side alone, on points of the workbench; see worker_process_test.cpp.
#include "dse/run/worker_process.hpp"

int main() { pimdse::dse::run::serve_chunks(0); }
