#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::dse::store::result {

/// What a run of a search that plans ahead was to evaluate: positions [first, last) of `whole` planned points. A shard
/// has a part of them.
struct Plan {
    std::string search;  ///< searches with equal texts and equal `whole` plan the same points
    std::uint64_t first = 0, last = 0, whole = 0;
    bool operator==(Plan const&) const = default;
};

/// As /provenance/plans has them: a JSON text each.
[[nodiscard]] std::string text_of(Plan const& plan);
/// Texts that are no plans are left out.
[[nodiscard]] std::vector<Plan> plans_in(std::vector<std::string> const& texts);

/// Each search once or more, by its separate runs of positions in ascending order.
[[nodiscard]] std::vector<Plan> united(std::vector<Plan> plans);
/// Points that the searches of united plans planned in all.
[[nodiscard]] std::uint64_t planned_in(std::vector<Plan> const& united);
/// Those of them that no run had to evaluate.
[[nodiscard]] std::uint64_t missing_in(std::vector<Plan> const& united);

}  // namespace pimdse::dse::store::result
