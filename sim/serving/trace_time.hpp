#pragma once

#include "sim/serving/trace_kinds.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pimdse::sim::serving {

/// A time of a trace: `whole` + `rest` units from an origin that all times of a trace share. Whole numbers are exact,
/// so that nanoseconds since 1970 lose nothing.
struct TraceTime {
    enum class Form : std::uint8_t { number, date, time_of_day };
    std::int64_t whole = 0;
    double rest = 0.0;
    Form form = Form::number;
};

/// A number in a unit, a date with a time ("2023-11-16 18:15:46.6805900", "2024-05-10T00:00:01+02:00", "... UTC"), or a
/// time of day. Of fractions of a second, nine digits count; a date is in ns since 1970, and without a zone in UTC.
/// nullopt if it is none of them, or not finite.
[[nodiscard]] std::optional<TraceTime> trace_time(std::string_view text);

/// Seconds from `begin` to `end`, which have the same form. `unit` is that of numbers.
[[nodiscard]] double seconds_between(TraceTime const& begin, TraceTime const& end, TimeUnit unit);

/// The time of day that is nearest to `last`: of the same day, or a day before or after it.
[[nodiscard]] TraceTime nearest_day(TraceTime const& last, TraceTime time);

}  // namespace pimdse::sim::serving
