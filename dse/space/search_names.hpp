#pragma once

#include "dse/space/space.hpp"

#include <optional>
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

/// A level of the architecture: "analytic" or "cycle". Throws InputError: unknown, or not built for this architecture.
[[nodiscard]] models::Fidelity parse_fidelity(models::Architecture const& architecture, std::string_view name);
/// The same for several architectures, all of which must have it; there is at least one.
[[nodiscard]] models::Fidelity parse_fidelity(std::span<models::Architecture const* const> architectures,
                                              std::string_view name);
/// The same if one architecture that has the fidelity is enough.
[[nodiscard]] models::Fidelity parse_fidelity_of_any(std::span<models::Architecture const* const> architectures,
                                                     std::string_view name);
/// The finest fidelity of an architecture that is not finer than `wanted`.
[[nodiscard]] models::Fidelity finest_up_to(models::Architecture const& architecture, models::Fidelity wanted);

/// Name of the fidelity that is closed form or simulation, whichever a point needs; no level of an architecture.
inline constexpr std::string_view hybrid_name = models::name_of(models::Fidelity::hybrid);

/// Sets the fidelity hybrid: the exact search, strategy `ladder`. `named`: the strategy that is given beside it, if
/// any. Throws InputError if that is another one.
void choose_hybrid(SearchSettings& search, std::optional<std::string> const& named);

/// A common word, and the name that this program uses for it.
struct Synonym {
    std::string_view word, name;
};

/// As sim::suggestion, but also accepts a synonym of a known name, or a near miss of one.
[[nodiscard]] std::string suggestion_by_meaning(std::string_view wrong, std::vector<std::string> const& known,
                                                std::span<Synonym const> synonyms);

}  // namespace pimdse::dse::space
