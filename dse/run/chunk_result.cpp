#include "dse/run/chunk_result.hpp"

#include "dse/search/archive.hpp"
#include "dse/space/space.hpp"

#include <algorithm>
#include <string>

namespace pimdse::dse::run {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

void add_counts(Counts& into, std::vector<space::BlockSummary::Count> const& counts) {
    for (auto const& count : counts) into[count.rule] += count.points;
}

std::vector<space::BlockSummary::Count> list_of(Counts const& counts) {
    std::vector<space::BlockSummary::Count> list;
    for (auto const& [rule, points] : counts) {
        if (points > 0) list.push_back({rule, points});
    }
    return list;
}

search::Archive front_among(space::Space const& space, std::vector<space::Result> const& results) {
    search::Archive front(space::senses_of(space.objectives()));
    std::vector<double> values;
    for (auto const& result : results) {
        auto const* const metrics = std::get_if<models::Metrics>(&result.outcome);
        if (metrics == nullptr) continue;
        values.clear();
        for (auto const& objective : space.objectives()) values.push_back((*metrics)[objective.metric].value);
        front.insert(result.task.point, values);
    }
    return front;
}

/// The results that a block keeps. Adds the others to `left_out` by the rule that they break, "" for dominated points.
std::vector<space::Result> front_and_failures(space::Space const& space, std::vector<space::Result> results,
                                              Counts& left_out) {
    auto const front = front_among(space, results).ids();
    std::vector<space::Result> kept;
    for (auto& result : results) {
        bool const feasible = std::holds_alternative<models::Metrics>(result.outcome);
        if (auto const* const infeasible = std::get_if<models::Infeasible>(&result.outcome)) {
            ++left_out[infeasible->rule];
        } else if (feasible && !std::binary_search(front.begin(), front.end(), result.task.point)) {
            ++left_out[""];
        } else {
            kept.push_back(std::move(result));
        }
    }
    return kept;
}

}  // namespace

ChunkResult filter_dominated(space::Space const& space, std::vector<space::Result> results) {
    if (results.empty()) return {};
    space::Task const first = results.front().task;
    std::uint64_t const points = results.size();
    if (space.search().keep == space::Keep::all) return {first, points, std::move(results), {}};
    Counts left_out;
    auto kept = front_and_failures(space, std::move(results), left_out);
    return {first, points, std::move(kept), list_of(left_out)};
}

space::BlockSummary joined(space::Space const& space, std::uint64_t block, models::Fidelity fidelity,
                           std::map<std::uint64_t, space::BlockPart> parts) {
    Counts counts;
    std::vector<space::Result> candidates;
    for (auto& [first, part] : parts) {
        add_counts(counts, part.left_out);
        candidates.insert(candidates.end(), std::make_move_iterator(part.kept.begin()),
                          std::make_move_iterator(part.kept.end()));
    }
    space::BlockSummary summary{block, fidelity, front_and_failures(space, std::move(candidates), counts), {}};
    summary.left_out = list_of(counts);
    return summary;
}

}  // namespace pimdse::dse::run
