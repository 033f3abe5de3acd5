#include "dse/evaluate/answer_list.hpp"

#include "dse/evaluate/evaluation.hpp"
#include "dse/space/asked_machine.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace pimdse::dse::evaluate {

namespace {

template <class Answer, class Ask>
std::vector<Answer> all_of(std::size_t count, int threads, Ask const& ask) {
    std::vector<Answer> answers(count);
    tbb::task_arena arena(threads);
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { answers[i] = ask(i); }); });
    return answers;
}

}  // namespace

std::vector<task::Answer> answers_of(space::Space const& space, std::vector<task::Task> const& tasks, int threads) {
    return all_of<task::Answer>(tasks.size(), threads, [&](std::size_t i) { return answer(space, tasks[i]); });
}

std::vector<models::Outcome> outcomes_of(space::Machine const& machine,
                                         std::vector<std::vector<models::Value>> const& points,
                                         models::Fidelity fidelity, int threads) {
    return all_of<models::Outcome>(points.size(), threads,
                                   [&](std::size_t i) { return space::asked(machine, points[i], fidelity); });
}

}  // namespace pimdse::dse::evaluate
