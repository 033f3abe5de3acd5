#pragma once

#include "dse/space/space.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Objectives and search settings, parsed from their names.
namespace pimdse::dse::space {

/// Parses objectives: names of metrics or formulas of metrics (see MetricFormula). `metrics`: without formulas, those
/// that may be objectives first. Throws InputError: unknown, given twice, no sense, not one to six, or a mistake in a
/// formula.
[[nodiscard]] Objectives parse_objectives(models::MetricList const& metrics, std::vector<std::string> const& names);

/// "all" or "front". Throws InputError.
[[nodiscard]] Keep parse_keep(std::string_view name);

/// "analytic", "hybrid" or "cycle". Throws InputError: unknown, or not built for this architecture.
[[nodiscard]] models::Fidelity parse_fidelity(models::Architecture const& architecture, std::string_view name);
/// The same for several architectures, all of which must have it; there is at least one.
[[nodiscard]] models::Fidelity parse_fidelity(std::span<models::Architecture const* const> architectures,
                                              std::string_view name);
/// The same if one architecture that has the fidelity is enough.
[[nodiscard]] models::Fidelity parse_fidelity_of_any(std::span<models::Architecture const* const> architectures,
                                                     std::string_view name);
/// The finest fidelity of an architecture that is not finer than `wanted`.
[[nodiscard]] models::Fidelity finest_up_to(models::Architecture const& architecture, models::Fidelity wanted);

/// A common word, and the name that this program uses for it.
struct Synonym {
    std::string_view word, name;
};

/// As sim::suggestion, but also accepts a synonym of a known name, or a near miss of one.
[[nodiscard]] std::string suggestion_by_meaning(std::string_view wrong, std::vector<std::string> const& known,
                                                std::span<Synonym const> synonyms);

}  // namespace pimdse::dse::space
