#pragma once

#include "sim/base/json.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace pimdse::dse::cli {

/// Writes events of Chrome's trace event format one by one, since a service has many. Times are in s, and in
/// microseconds in the file. Perfetto reads the begin and the duration of a slice each to the nearest nanosecond, and
/// moves or drops a slice that is then still open when the next one of its track begins: so both ends of a slice are
/// whole nanoseconds here.
class TraceEvents {
  public:
    explicit TraceEvents(std::ostream& out) : out_(out) { out_ << "{\"traceEvents\":["; }
    /// Names a process ("process_name") or a thread ("thread_name"), whose numbers viewers want.
    void name(char const* what, int process, std::int64_t thread, std::string_view text);
    void slice(std::string_view name, int process, std::int64_t thread, double from, double to,
               sim::Json args = sim::Json::object());
    void instant(std::string_view name, int process, std::int64_t thread, double time, sim::Json args);
    void counter(std::string_view name, int process, double time, double value);
    void end() { out_ << "\n]}\n"; }

  private:
    void add(sim::Json const& event);

    std::ostream& out_;
    bool first_ = true;
};

}  // namespace pimdse::dse::cli
