#pragma once

#include "models/contract/metric.hpp"
#include "models/contract/parameter.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Names and conversions that the writer and the reader of result files share; docs/file_format.md describes the
/// format.
namespace pimdse::dse::store::schema {

/// The versions that are read. In version 1, lists that are text columns now are attributes; before version 3, the
/// metrics of each scenario are columns in a group of its own.
inline constexpr std::uint64_t version = 3;
inline constexpr std::uint64_t oldest_version = 1;
/// The version that a file with these metrics is written in: the oldest one that has all its objects.
[[nodiscard]] std::uint64_t version_for(models::MetricList const& metrics);

/// "integer", "quantity", "choice", "flag", "permutation".
[[nodiscard]] std::string_view name_of(models::Kind kind);
/// Throws InputError for any other name.
[[nodiscard]] models::Kind kind_named(std::string_view name);

/// "minimize", "maximize", "none".
[[nodiscard]] std::string_view name_of(models::Sense sense);
[[nodiscard]] models::Sense sense_named(std::string_view name);

/// The SI unit of what `unit` measures: "ns" -> "s", "GB/s" -> "B/s", "GFLOP/s" -> "FLOP/s", "tokens" -> "tokens".
[[nodiscard]] std::string si_unit(std::string_view unit);

/// Length in bytes of the longest text that a value of a choice or permutation can have.
[[nodiscard]] std::size_t longest_text(models::Parameter const& parameter);

/// Splits "latency@chat" into the metric and its scenario, which is "" for "latency"; name_in() joins them.
[[nodiscard]] std::pair<std::string, std::string> name_and_scenario(std::string_view metric);
[[nodiscard]] std::string name_in(std::string_view scenario, std::string_view metric);
/// The name of a metric's data sets: that of the metric, with U+2215 for each slash of a formula, since a slash
/// separates groups.
[[nodiscard]] std::string dataset_name(std::string_view metric);
/// The scenarios of the metrics, in the order of their first occurrence.
[[nodiscard]] std::vector<std::string> scenarios_in(models::MetricList const& metrics);

/// Names joined by blanks, as CF's flag_meanings.
[[nodiscard]] std::string flag_meanings(std::span<std::string_view const> names);

}  // namespace pimdse::dse::store::schema
