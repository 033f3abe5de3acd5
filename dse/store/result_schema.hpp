#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What is written the same way as it is read in a result file; docs/file_format.md describes the whole.
namespace pimdse::dse::store::schema {

/// What is written. In files of version 1 the lists that are text columns now are attributes; they are read, too.
inline constexpr std::uint64_t version = 2;
inline constexpr std::uint64_t oldest_version = 1;

/// "integer", "quantity", "choice", "flag", "permutation".
[[nodiscard]] std::string_view name_of(models::Kind kind);
/// Throws InputError for another word.
[[nodiscard]] models::Kind kind_named(std::string_view name);

/// "minimize", "maximize", "none".
[[nodiscard]] std::string_view name_of(models::Sense sense);
[[nodiscard]] models::Sense sense_named(std::string_view name);

/// The SI unit of what `unit` measures: "ns" -> "s", "GB/s" -> "B/s", "GFLOP/s" -> "FLOP/s", "tokens" -> "tokens".
[[nodiscard]] std::string si_unit(std::string_view unit);

/// The longest text the values of a choice or permutation can have.
[[nodiscard]] std::size_t longest_text(models::Parameter const& parameter);

/// "latency@chat" as the metric and the scenario it is of, which is "" for "latency"; and the way back.
[[nodiscard]] std::pair<std::string, std::string> name_and_scenario(std::string_view metric);
[[nodiscard]] std::string name_in(std::string_view scenario, std::string_view metric);
/// What a metric's columns are called: its name; of a formula with U+2215 for each slash, which would be a folder.
[[nodiscard]] std::string dataset_name(std::string_view metric);
/// In the order in which metrics name them.
[[nodiscard]] std::vector<std::string> scenarios_in(models::MetricList const& metrics);

/// Names joined by blanks, as CF's flag_meanings.
[[nodiscard]] std::string flag_meanings(std::span<std::string_view const> names);

}  // namespace pimdse::dse::store::schema
