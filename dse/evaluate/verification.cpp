#include "dse/evaluate/verification.hpp"

#include "dse/evaluate/evaluation.hpp"
#include "dse/store/result/column_comparison.hpp"
#include "dse/store/result/consistency.hpp"
#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pimdse::dse::evaluate {
namespace {

using Row = answers::ResultStore::Row;

/// The first point that is no point of the space.
std::optional<std::string> beyond(store::result::ResultFile const& file, space::Space const& space) {
    for (Row row = 0; row < file.store.size(); ++row) {
        if (index_of(file.store.task(row).point) >= space.size()) {
            return fmt::format("point {} is beyond the {} points of its space", index_of(file.store.task(row).point),
                               space.size());
        }
    }
    for (auto const& [block, points] : file.store.blocks()) {
        if (block.first > (space.size() - 1) / task::BlockSummary::ids) {
            return fmt::format("block {} is beyond the {} points of its space", block.first, space.size());
        }
    }
    return std::nullopt;
}

void check_rows(store::result::ResultFile const& file, task::Columns const& known_as,
                std::vector<std::string>& problems) {
    std::vector<bool> wrong(file.values.size(), false);
    std::vector<models::Value> point;
    for (auto const row : file.store.sorted()) {
        auto const id = file.store.task(row).point;
        known_as.decode(id, point);
        for (std::size_t p = 0; p < file.values.size(); ++p) {
            auto const& stated = file.values[p][row];
            if (wrong[p]) continue;
            bool const named = stated.kind() == models::Kind::choice || stated.kind() == models::Kind::permutation;
            bool const same_list = stated.kind() == point[p].kind() &&
                                   file.columns.parameters[p].choices == known_as.parameters[p].choices;
            if (!named || same_list ? stated == point[p]
                                    : models::print_value(file.columns.parameters[p], stated) ==
                                          models::print_value(known_as.parameters[p], point[p]))
                continue;
            wrong[p] = true;
            problems.push_back(fmt::format("point {}: {} is {} in the file and {} in its space", index_of(id),
                                           file.columns.parameters[p].name,
                                           models::print_value(file.columns.parameters[p], stated),
                                           models::print_value(known_as.parameters[p], point[p])));
        }
    }
}

void check_choices(store::result::ResultFile const& file, task::Columns const& known_as,
                   std::vector<std::string>& problems) {
    for (std::size_t p = 0; p < known_as.parameters.size(); ++p) {
        auto stated = file.columns.parameters[p].choices, known = known_as.parameters[p].choices;
        std::sort(stated.begin(), stated.end());
        std::sort(known.begin(), known.end());
        // A space may have accepted texts that none of its points takes; those it takes must be there.
        if (!std::includes(stated.begin(), stated.end(), known.begin(), known.end())) {
            problems.push_back(fmt::format("the choices of the parameter {} are not those the architecture has now",
                                           known_as.parameters[p].name));
        }
    }
}

}  // namespace

std::vector<std::string> check_against_space(store::result::ResultFile const& file, space::Space const& space) {
    if (space.canonical_text() != file.columns.canonical_text) {
        return {
            "the architecture has other parameters now than when the file was written: its points cannot be evaluated "
            "again"};
    }
    auto const known_as = space.columns();
    auto problems =
        store::result::differing_definitions(file.columns, file.path.string(), known_as, "the architecture");
    if (file.columns.points != 0 && file.columns.points != space.size()) {
        problems.push_back(fmt::format("{} states {} points in its space, which has {}", file.path.string(),
                                       file.columns.points, space.size()));
    }
    if (auto const problem = beyond(file, space)) problems.push_back(*problem);
    if (!problems.empty()) return problems;
    check_choices(file, known_as, problems);
    check_rows(file, known_as, problems);
    return problems;
}

std::vector<std::string> changed_answers(store::result::ResultFile const& file, space::Space const& space,
                                         std::size_t count, std::uint64_t seed) {
    std::vector<std::string> problems;
    for (auto const row : sample_rows(file, count, seed)) {
        // Evaluating those again would end this process, too, or never end.
        if (file.store.status(row) == answers::Status::crash || file.store.status(row) == answers::Status::timeout)
            continue;
        auto const kept = file.store.answer(row);
        if (!file.store.same(row, answer(space, kept.task))) {
            problems.push_back(fmt::format("point {} at {} fidelity answers differently now", index_of(kept.task.point),
                                           models::name_of(kept.task.fidelity)));
        }
    }
    return problems;
}

}  // namespace pimdse::dse::evaluate
