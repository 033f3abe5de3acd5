#pragma once

#include "sim/base/json.hpp"

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>

namespace pimdse::dse::cli {

/// Writes events of Chrome's trace event format one by one, since a service has many. Times are in s, and in
/// microseconds in the file. Perfetto reads the begin and the duration of a slice each to the nearest nanosecond, and
/// moves or drops a slice that is then still open when the next one of its track begins: so both ends of a slice are
/// whole nanoseconds here.
class TraceEvents {
  public:
    explicit TraceEvents(std::ostream& out) : out_(out) { out_ << "{\"traceEvents\":["; }
    /// Names a process ("process_name") or a thread ("thread_name"), of which events have the numbers.
    void name(char const* what, int process, std::int64_t thread, std::string_view text) {
        add({{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
    }
    void slice(std::string_view name, int process, std::int64_t thread, double from, double to, sim::Json args = {}) {
        auto const begin = nanoseconds(from), duration = nanoseconds(to) - begin;
        sim::Json event{{"name", name}, {"ph", "X"}, {"pid", process}, {"tid", thread}};
        event["ts"] = begin / thousand, event["dur"] = duration / thousand;
        if (!args.empty()) event["args"] = std::move(args);
        add(event);
    }
    void instant(std::string_view name, int process, std::int64_t thread, double time, sim::Json args) {
        sim::Json event{{"name", name}, {"ph", "i"}, {"s", "t"}, {"pid", process}, {"tid", thread}};
        event["ts"] = nanoseconds(time) / thousand, event["args"] = std::move(args);
        add(event);
    }
    void counter(std::string_view name, int process, double time, double value) {
        auto const at = nanoseconds(time) / thousand;
        add({{"name", name}, {"ph", "C"}, {"ts", at}, {"pid", process}, {"args", {{"value", value}}}});
    }
    void end() { out_ << "\n]}\n"; }

  private:
    static constexpr double picosecond = 1e-12, thousand = 1e3;
    /// Whole ones, through picoseconds: sums that differ in their last digits around half of one are one moment.
    static double nanoseconds(double time) { return std::round(std::round(time / picosecond) / thousand); }

    void add(sim::Json const& event) {
        out_ << (first_ ? "\n" : ",\n") << event.dump();
        first_ = false;
    }

    std::ostream& out_;
    bool first_ = true;
};

}  // namespace pimdse::dse::cli
