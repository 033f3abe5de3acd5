#pragma once

#include "models/contract/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

struct Parameter;  // parameter.hpp

/// Condition on one parameter of a point for a metric to apply: a choice, any choice except one, or more than a number.
struct Need {
    std::string parameter;
    std::string choice;
    bool other_than = false;  ///< any choice except `choice`
    double more_than = 0.0;   ///< used if `choice` is empty
};
[[nodiscard]] inline Need needs(std::string parameter, std::string choice) {
    return {std::move(parameter), std::move(choice)};
}
[[nodiscard]] inline Need needs_other_than(std::string parameter, std::string choice) {
    return {std::move(parameter), std::move(choice), true};
}
[[nodiscard]] inline Need needs_more_than(std::string parameter, double number) {
    return {std::move(parameter), "", false, number};
}
[[nodiscard]] bool is_met(Need const& need, Parameter const& parameter, Value const& value);
/// Text of a condition: "scope = end_to_end", "llm other than none", "output > 1".
[[nodiscard]] std::string text_of(Need const& need);

enum class Sense : std::uint8_t { minimize, maximize, none };
using Sense::maximize, Sense::minimize;

/// What a metric that is not common is for several devices (models/chips). device: that of one device, the one with the
/// LM head, while it works; all_devices: the sum; request: the sum over devices and micro-batches; latency, itl: the
/// common metric.
enum class OverDevices : std::uint8_t { device, all_devices, request, latency, itl };

/// A metric of an architecture; `unit` is SI ("s", "J", "W", "m2", "B", "B/s") or a plain count ("cycles", "1").
struct Metric {
    std::string name;
    std::string unit;
    std::string meaning;
    Sense better = Sense::minimize;
    bool assumed = false;  ///< rests on an assumption of this project, see the README of the architecture
    /// The metric applies to a point if and only if all these conditions are met. If the list is empty, it may still
    /// not apply for a reason that only the architecture knows.
    std::vector<Need> needs{};
    OverDevices over_devices = OverDevices::device;
    /// Why no point of this machine has it, after its name: "is not stated: ..."; "" if points may have it.
    std::string absent{};
};
/// The same metric, composed like this for several devices.
[[nodiscard]] inline Metric over(OverDevices devices, Metric metric) {
    metric.over_devices = devices;
    return metric;
}
using MetricList = std::vector<Metric>;

[[nodiscard]] int find_metric(MetricList const& metrics, std::string_view name);

}  // namespace pimdse::models
