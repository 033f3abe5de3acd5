#include "dse/evaluate/answer_list.hpp"

#include "dse/evaluate/evaluation.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace pimdse::dse::evaluate {

std::vector<task::Answer> answers_of(space::Space const& space, std::vector<task::Task> const& tasks, int threads) {
    std::vector<task::Answer> answers(tasks.size());
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t i) { answers[i] = answer(space, tasks[i]); });
    });
    return answers;
}

}  // namespace pimdse::dse::evaluate
