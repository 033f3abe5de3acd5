#include "dse/answers/point_counts.hpp"

namespace pimdse::dse::answers {
namespace {

bool one_fidelity(ResultStore const& store) {
    for (ResultStore::Row row = 1; row < store.size(); ++row) {
        if (store.task(row).fidelity != store.task(0).fidelity) return false;
    }
    return true;
}

/// Of evaluations, which are points where all are of one fidelity.
EvaluatedPoints counts_of_all(ResultStore const& store) {
    EvaluatedPoints counts{store.evaluated(), store.count(Status::ok), store.count(Status::infeasible), 0};
    counts.failed = counts.points - counts.feasible - counts.infeasible;
    return counts;
}

void count(EvaluatedPoints& counts, Status status) {
    ++counts.points;
    ++(status == Status::ok ? counts.feasible : status == Status::infeasible ? counts.infeasible : counts.failed);
}

}  // namespace

EvaluatedPoints count_points(ResultStore const& store) {
    if (!store.blocks().empty() || one_fidelity(store)) return counts_of_all(store);
    EvaluatedPoints counts;
    auto const& rows = store.sorted();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        bool const finest = i + 1 == rows.size() || store.task(rows[i + 1]).point != store.task(rows[i]).point;
        if (finest) count(counts, store.status(rows[i]));
    }
    return counts;
}

}  // namespace pimdse::dse::answers
