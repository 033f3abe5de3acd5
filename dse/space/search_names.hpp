#pragma once

#include "dse/space/space.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What is asked of a space, by name.
namespace pimdse::dse::space {

/// Objectives by metric name or formula of metrics (see MetricFormula). `metrics`: without formulas, those that may be
/// objectives first. Throws InputError: unknown, given twice, no better way, not one to six, a mistake in a formula.
[[nodiscard]] Objectives parse_objectives(models::MetricList const& metrics, std::vector<std::string> const& names);

/// "all" or "front". Throws InputError.
[[nodiscard]] Keep parse_keep(std::string_view name);

/// "analytic", "hybrid" or "cycle". Throws InputError: unknown, or not built for this architecture.
[[nodiscard]] models::Fidelity parse_fidelity(models::Architecture const& architecture, std::string_view name);
/// The same for several; there is one.
[[nodiscard]] models::Fidelity parse_fidelity(std::span<models::Architecture const* const> architectures,
                                              std::string_view name);
/// The same where one architecture that has it is enough.
[[nodiscard]] models::Fidelity parse_fidelity_of_any(std::span<models::Architecture const* const> architectures,
                                                     std::string_view name);
/// The finest that is built for an architecture and not finer than `wanted`.
[[nodiscard]] models::Fidelity finest_up_to(models::Architecture const& architecture, models::Fidelity wanted);

/// A word that people say, and what it is called here.
struct Synonym {
    std::string_view word, name;
};

/// As sim::suggestion, but also for a word, or a near miss of one, that means a known name.
[[nodiscard]] std::string suggestion_by_meaning(std::string_view wrong, std::vector<std::string> const& known,
                                                std::span<Synonym const> synonyms);

}  // namespace pimdse::dse::space
