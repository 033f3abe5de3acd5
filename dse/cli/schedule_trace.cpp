#include "dse/cli/schedule_trace.hpp"

#include "sim/base/counting.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <ostream>
#include <string_view>

namespace pimdse::dse::cli {
namespace {

using sim::Json;
using sim::serving::EngineActivity;

constexpr int engines = 1, requests = 2;  // the numbers of the two processes that viewers show
constexpr double microseconds = 1e6;

/// Writes events one by one: a service has many.
class EventWriter {
  public:
    explicit EventWriter(std::ostream& out) : out_(out) { out_ << "{\"traceEvents\":["; }
    void add(Json const& event) {
        out_ << (first_ ? "\n" : ",\n") << event.dump();
        first_ = false;
    }
    void name(char const* what, int process, std::int64_t thread, std::string const& text) {
        add({{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
    }
    void slice(std::string_view name, int process, std::int64_t thread, double from, double to, Json args) {
        add({{"name", name},
             {"ph", "X"},
             {"ts", microseconds * from},
             {"dur", microseconds * (to - from)},
             {"pid", process},
             {"tid", thread},
             {"args", std::move(args)}});
    }
    void counter(std::string const& name, double time, double value) {
        add({{"name", name}, {"ph", "C"}, {"ts", microseconds * time}, {"pid", engines}, {"args", {{"value", value}}}});
    }
    void end() { out_ << "\n]}\n"; }

  private:
    std::ostream& out_;
    bool first_ = true;
};

std::string_view kind_of(EngineActivity const& did) {
    if (did.prompts == 0) return "decode";
    return did.decoding == 0 ? "prefill" : "mixed";
}

void write_engines(EventWriter& to, ServedScenario const& scenario) {
    bool const several = scenario.served.schedule.engines > 1;
    auto const counter = [&](EngineActivity const& did, char const* name) {
        return several ? fmt::format("{} (engine {})", name, did.engine) : std::string(name);
    };
    for (std::int64_t engine = 0; engine < scenario.served.schedule.engines; ++engine)
        to.name("thread_name", engines, engine + 1, fmt::format("engine {}", engine));
    for (auto const& did : scenario.activities) {
        to.slice(kind_of(did), engines, did.engine + 1, did.start, did.end,
                 {{"steps", did.steps},
                  {"prompts", did.prompts},
                  {"prompt_tokens", did.prompt_tokens},
                  {"prompt_cached", did.prompt_cached},
                  {"decoding", did.decoding},
                  {"decode_cached", did.decode_cached},
                  {"tokens", did.tokens}});
        to.counter(counter(did, "running"), did.start, sim::as_double(did.running));
        to.counter(counter(did, "waiting"), did.start, sim::as_double(did.waiting));
        to.counter(counter(did, "cache %"), did.start,
                   100.0 * sim::as_double(did.blocks) / sim::as_double(did.cache_blocks));
    }
}

void write_request(EventWriter& to, std::int64_t number, sim::serving::ServiceRequest const& request,
                   sim::serving::RequestTimes const& times) {
    auto const thread = number + 1;
    to.name("thread_name", requests, thread, fmt::format("request {}", number));
    Json const args{{"input", request.input}, {"output", request.output}, {"preemptions", times.preemptions}};
    if (times.rejected) {
        to.add({{"name", "rejected"},
                {"ph", "i"},
                {"s", "t"},
                {"ts", microseconds * times.arrival},
                {"pid", requests},
                {"tid", thread},
                {"args", args}});
        return;
    }
    to.slice("queue", requests, thread, times.arrival, times.scheduled, args);
    to.slice("prefill", requests, thread, times.scheduled, times.first_token, args);
    if (times.last_token > times.first_token)
        to.slice("decode", requests, thread, times.first_token, times.last_token, args);
}

}  // namespace

void write_schedule_trace(std::ostream& out, ServedScenario const& scenario, std::string_view machine) {
    EventWriter to(out);
    to.name("process_name", engines, 0, fmt::format("{}: {}", machine, scenario.name));
    to.name("process_name", requests, 0, "requests");
    write_engines(to, scenario);
    auto const& load = scenario.traffic->load.requests;
    for (std::size_t i = 0; i < load.size(); ++i)
        write_request(to, static_cast<std::int64_t>(i), load[i], scenario.served.schedule.requests[i]);
    to.end();
}

}  // namespace pimdse::dse::cli
