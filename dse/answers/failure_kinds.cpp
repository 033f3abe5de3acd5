#include "dse/answers/failure_kinds.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace pimdse::dse::answers {

std::string_view failure_of(ResultStore const& store, ResultStore::Row row) {
    auto const status = store.status(row);
    return status == Status::infeasible ? store.rule(row) : name_of(status);
}

std::vector<FailureKind> failure_kinds(ResultStore const& store) {
    std::map<std::string, FailureKind> found;
    for (auto const& [rule, points] : store.counts_per_rule()) found[rule] = {rule, points, std::nullopt};
    for (auto const row : store.sorted()) {
        if (store.status(row) == Status::ok) continue;
        auto& example = found[std::string(failure_of(store, row))].example;
        if (!example) example = row;
    }
    std::vector<FailureKind> kinds;
    for (auto& [rule, kind] : found) {
        if (!rule.empty() && kind.points > 0) kinds.push_back(std::move(kind));
    }
    std::ranges::stable_sort(kinds, std::greater<>(), &FailureKind::points);
    return kinds;
}

}  // namespace pimdse::dse::answers
