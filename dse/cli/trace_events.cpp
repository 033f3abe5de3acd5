#include "dse/cli/trace_events.hpp"

#include <cmath>
#include <utility>

namespace pimdse::dse::cli {
namespace {

constexpr double picosecond = 1e-12, thousand = 1e3;

/// Through picoseconds, so that sums that differ in their last digits around half a nanosecond are one moment.
double whole_nanoseconds(double time) { return std::round(std::round(time / picosecond) / thousand); }

double in_microseconds(double time) { return whole_nanoseconds(time) / thousand; }

}  // namespace

void TraceEvents::add(sim::Json const& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump();
    first_ = false;
}

void TraceEvents::name(char const* what, int process, std::int64_t thread, std::string_view text) {
    add({{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
}

void TraceEvents::slice(std::string_view name, int process, std::int64_t thread, double from, double to,
                        sim::Json args) {
    sim::Json event{{"name", name},
                    {"ph", "X"},
                    {"ts", in_microseconds(from)},
                    {"dur", (whole_nanoseconds(to) - whole_nanoseconds(from)) / thousand},
                    {"pid", process},
                    {"tid", thread}};
    if (!args.empty()) event["args"] = std::move(args);
    add(event);
}

void TraceEvents::instant(std::string_view name, int process, std::int64_t thread, double time, sim::Json args) {
    add({{"name", name},
         {"ph", "i"},
         {"s", "t"},
         {"ts", in_microseconds(time)},
         {"pid", process},
         {"tid", thread},
         {"args", std::move(args)}});
}

void TraceEvents::counter(std::string_view name, int process, double time, double value) {
    add({{"name", name}, {"ph", "C"}, {"ts", in_microseconds(time)}, {"pid", process}, {"args", {{"value", value}}}});
}

}  // namespace pimdse::dse::cli
