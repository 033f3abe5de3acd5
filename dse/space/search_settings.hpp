#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/formula.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/metric.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {
struct Architecture;  // models/contract/architecture.hpp
}

/// Objectives and search settings, parsed from their names.
namespace pimdse::dse::space {

/// The objectives of a search: metrics of a space, including formulas.
struct Objectives {
    std::vector<Objective> list;          ///< positions in the space's metrics, including these formulas
    std::vector<MetricFormula> formulas;  ///< compiled for the list of metrics without formulas
    std::vector<std::string> read{};      ///< names of metrics that are objectives or occur in formulas
};

/// Which results are kept: all, or the non-dominated ones of each block of ids.
enum class Keep : std::uint8_t { all, front };

struct SearchSettings {
    std::string strategy = "sweep";
    std::uint64_t budget = 0;  ///< evaluations; 0 = the whole space
    std::uint64_t seed = 1;
    models::Fidelity fidelity = models::Fidelity::analytic;
    Keep keep = Keep::all;
    std::uint64_t shard = 0;  ///< index of this shard of `shards` equal parts of the planned points
    std::uint64_t shards = 1;
    double epsilon = 0.0;     ///< `ladder` only: prunes points that could improve no objective by more than this share
    double within = 0.0;      ///< `best` only: finds all points that are worse than the best by at most this share
    std::uint64_t audit = 0;  ///< `ladder` only: number of random pruned points to evaluate in the end
    std::uint64_t stop_after_no_gain = 0;  ///< stop after so many results without a gain; 0: never
};

/// A search strategy by name; search::make_strategy makes it.
struct StrategyName {
    std::string_view name;
    std::string_view summary, use;              ///< which points it evaluates; when to use it
    std::optional<models::Fidelity> ends_at{};  ///< set if the strategy decides its final fidelity
};

/// All strategies, one entry each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if no strategy has this name.
void check_strategy(std::string_view name);

/// Throw InputError if epsilon is not a share, if epsilon or audit is given with a strategy that does not prune, or if
/// fronts only are kept with a strategy that does not request ranges of ids.
void check_epsilon(double epsilon);
void check_bounds_settings(SearchSettings const& search);
void check_keep(SearchSettings const& search);

/// The final fidelity of a search with these settings.
[[nodiscard]] models::Fidelity final_fidelity(SearchSettings const& search);

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

}  // namespace pimdse::dse::space
