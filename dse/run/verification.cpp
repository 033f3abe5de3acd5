#include "dse/run/verification.hpp"

#include "dse/space/evaluation.hpp"
#include "dse/store/comparison.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace pimdse::dse::run {
namespace {

using search::Row;

/// A sentence about the first point or block that lies outside the space, if any.
std::optional<std::string> outside_space(store::ResultFile const& file, space::Space const& space) {
    for (Row row = 0; row < file.store.size(); ++row) {
        if (index_of(file.store.task(row).point) >= space.size()) {
            return fmt::format("point {} is beyond the {} points of its space", index_of(file.store.task(row).point),
                               space.size());
        }
    }
    for (auto const& [block, points] : file.store.blocks()) {
        if (block.first > (space.size() - 1) / space::BlockSummary::ids) {
            return fmt::format("block {} is beyond the {} points of its space", block.first, space.size());
        }
    }
    return std::nullopt;
}

void check_rows(store::ResultFile const& file, space::Columns const& current, std::vector<std::string>& problems) {
    std::vector<bool> wrong(file.values.size(), false);
    std::vector<models::Value> point;
    for (auto const row : file.store.sorted()) {
        auto const id = file.store.task(row).point;
        current.decode(id, point);
        for (std::size_t p = 0; p < file.values.size(); ++p) {
            auto const& stated = file.values[p][row];
            if (wrong[p]) continue;
            bool const named = stated.kind() == models::Kind::choice || stated.kind() == models::Kind::permutation;
            bool const same_list =
                stated.kind() == point[p].kind() && file.columns.parameters[p].choices == current.parameters[p].choices;
            if (!named || same_list ? stated == point[p]
                                    : models::print_value(file.columns.parameters[p], stated) ==
                                          models::print_value(current.parameters[p], point[p]))
                continue;
            wrong[p] = true;
            problems.push_back(fmt::format("point {}: {} is {} in the file and {} in its space", index_of(id),
                                           file.columns.parameters[p].name,
                                           models::print_value(file.columns.parameters[p], stated),
                                           models::print_value(current.parameters[p], point[p])));
        }
    }
}

void check_choices(store::ResultFile const& file, space::Columns const& current, std::vector<std::string>& problems) {
    for (std::size_t p = 0; p < current.parameters.size(); ++p) {
        auto stated = file.columns.parameters[p].choices, known = current.parameters[p].choices;
        std::sort(stated.begin(), stated.end());
        std::sort(known.begin(), known.end());
        // The file may state texts that no point of the space uses; the texts that are used must be present.
        if (!std::includes(stated.begin(), stated.end(), known.begin(), known.end())) {
            problems.push_back(
                fmt::format("the choices of the parameter {} differ from those of the current architecture",
                            current.parameters[p].name));
        }
    }
}

/// A sentence about a level that no machine of the space has, at which there are rows or blocks, if any.
std::optional<std::string> gone_level(store::ResultFile const& file, space::Space const& space) {
    std::set<models::Fidelity> levels;
    for (Row row = 0; row < file.store.size(); ++row) levels.insert(file.store.task(row).fidelity);
    for (auto const& [block, _] : file.store.blocks()) levels.insert(block.second);
    for (auto const* architecture : space.architectures())
        for (auto const has : architecture->fidelities) levels.erase(has);
    if (levels.empty()) return std::nullopt;
    return fmt::format(
        "there are results at {0} fidelity, a level that no machine of the space has now: they cannot be evaluated "
        "again",
        models::name_of(*levels.begin()));
}

}  // namespace

std::vector<std::string> check_against_space(store::ResultFile const& file, space::Space const& space) {
    if (space.canonical_text() != file.columns.canonical_text) {
        return {
            "the architecture has other parameters now than when the file was written: its points cannot be evaluated "
            "again"};
    }
    if (auto gone = gone_level(file, space)) return {*std::move(gone)};
    auto const current = space.columns();
    auto problems = store::differing_definitions(file.columns, file.path.string(), current, "the architecture");
    if (file.columns.points != 0 && file.columns.points != space.size()) {
        problems.push_back(fmt::format("{} states {} points in its space, which has {}", file.path.string(),
                                       file.columns.points, space.size()));
    }
    if (auto const problem = outside_space(file, space)) problems.push_back(*problem);
    if (!problems.empty()) return problems;
    check_choices(file, current, problems);
    check_rows(file, current, problems);
    return problems;
}

std::uint64_t Reevaluated::total() const { return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}); }

Reevaluated reevaluate(store::ResultFile const& file, space::Space const& space, std::span<Row const> rows) {
    constexpr std::size_t max_sentences = 100;
    enum class Verdict : std::uint8_t { left_out, same, different };
    std::vector<Verdict> verdicts(rows.size(), Verdict::left_out);
    tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
        auto const status = file.store.status(rows[i]);
        if (status == search::Status::crash || status == search::Status::timeout) return;
        bool const same = file.store.same(rows[i], evaluate(space, file.store.task(rows[i])));
        verdicts[i] = same ? Verdict::same : Verdict::different;
    });
    Reevaluated result;
    std::vector<space::Task> different;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const task = file.store.task(rows[i]);
        if (verdicts[i] == Verdict::left_out) ++result.left_out;
        if (verdicts[i] != Verdict::left_out) ++result.rows[static_cast<std::size_t>(task.fidelity)];
        if (verdicts[i] == Verdict::different) different.push_back(task);
    }
    std::ranges::sort(different);
    for (auto const& task : std::span(different).first(std::min(max_sentences, different.size())))
        result.problems.push_back(fmt::format("point {} at {} fidelity has a different result now",
                                              index_of(task.point), models::name_of(task.fidelity)));
    if (different.size() > max_sentences)
        result.problems.push_back(fmt::format("{} rows in all have a different result now", different.size()));
    return result;
}

}  // namespace pimdse::dse::run
