#include "dse/cli/served_scenario.hpp"

#include "dse/cli/verb.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/max_rate.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <array>
#include <cmath>
#include <ranges>

namespace pimdse::dse::cli {
namespace {

using models::Value;
using models::service::Served;
using models::service::Traffic;

using ServedOrNot = std::variant<Served, models::Infeasible>;

/// Serves traffic with a point, and with changes of it.
class ServingPoint {
  public:
    ServingPoint(PointRequest const& requested, space::Scenario const& scenario)
        : requested_(requested), traffic_(*scenario.traffic), point_(scenario.of(requested.point)) {}

    [[nodiscard]] ServedOrNot serve(sim::serving::Observer const& observe = {}) const {
        return serve_with(point_, traffic_, observe);
    }

    /// The change of the scheduler that makes most requests good, if it makes more of them good than are.
    [[nodiscard]] std::optional<SchedulerChange> best_change(Served const& now) const {
        std::optional<SchedulerChange> best;
        auto const& parameters = requested_.machine.parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (!parameters[i].name.starts_with(models::service::scheduler_prefix)) continue;
            if (parameters[i].name == models::service::reuse_name && now.settings.tier.units == 0) continue;
            auto const value = value_in(now.settings, parameters[i], point_[i]);
            for (auto const& other : alternatives(parameters[i], value)) {
                auto changed = point_;
                changed[i] = other;
                auto const result = serve_with(changed, traffic_, {});
                auto const* served = std::get_if<Served>(&result);
                if (served == nullptr || served->summary.good <= (best ? best->good : now.summary.good)) continue;
                best = SchedulerChange{parameters[i].name, models::print_value(parameters[i], value),
                                       models::print_value(parameters[i], other), served->summary.good};
            }
        }
        return best;
    }

    [[nodiscard]] std::optional<sim::serving::LargestRate> max_rate(Traffic const& traffic) const {
        auto const& machine = requested_.machine;
        return models::service::max_rate(*machine.architecture, machine.inputs, point_, requested_.fidelity, traffic);
    }

    [[nodiscard]] std::optional<SeedRange> of_seeds(double own) const {
        if (!traffic_.again) return std::nullopt;
        SeedRange range{own, own, 1};
        constexpr std::uint64_t first_seed = 1001, last_seed = 1004;  // others than people choose
        for (auto seed = first_seed; seed <= last_seed; ++seed) {
            auto other = traffic_;
            other.load = traffic_.again(seed);
            double const rate = max_rate(other).value_or(sim::serving::LargestRate{}).rate;
            range = {std::min(range.lower, rate), std::max(range.upper, rate), range.seeds + 1};
        }
        return range;
    }

    /// The figures with arrivals that are `factor` times as frequent.
    [[nodiscard]] std::optional<sim::serving::ServiceSummary> at_rate(double factor) const {
        auto scaled = traffic_;
        for (auto& request : scaled.load.requests) request.arrival /= factor;
        auto const result = serve_with(point_, scaled, {});
        auto const* served = std::get_if<Served>(&result);
        return served == nullptr ? std::nullopt : std::optional(served->summary);
    }

  private:
    [[nodiscard]] ServedOrNot serve_with(std::vector<Value> const& point, Traffic const& traffic,
                                         sim::serving::Observer const& observe) const {
        auto const& machine = requested_.machine;
        return models::service::serve(*machine.architecture, machine.inputs, point, requested_.fidelity, traffic,
                                      observe);
    }

    /// The value of a parameter of the scheduler that is in use: one of 0 stands for a default.
    static Value value_in(sim::serving::SchedulerSettings const& settings, models::Parameter const& parameter,
                          Value const& value) {
        if (value.kind() != models::Kind::integer || value.as_integer() != 0) return value;
        if (parameter.name.ends_with(".max_sequences")) return Value::integer(settings.max_sequences);
        return parameter.name.ends_with(".max_batched_tokens") ? Value::integer(settings.max_batched_tokens) : value;
    }

    /// Other values of a parameter of the scheduler: twice, four times and half of a number, each other choice.
    static std::vector<Value> alternatives(models::Parameter const& parameter, Value const& value) {
        std::vector<Value> others;
        auto const add = [&](std::int64_t number) {
            double const real = sim::as_double(number);
            if (real >= std::max(parameter.lower, 1.0) && real <= parameter.upper && number != value.as_integer())
                others.push_back(Value::integer(number));
        };
        if (value.kind() == models::Kind::integer && value.as_integer() > 0) {
            add(2 * value.as_integer());
            add(4 * value.as_integer());
            add(value.as_integer() / 2);
        }
        if (value.kind() == models::Kind::choice) {
            for (std::size_t choice = 0; choice < parameter.choices.size(); ++choice)
                if (choice != value.as_choice()) others.push_back(Value::choice(choice));
        }
        return others;
    }

    PointRequest const& requested_;
    Traffic const& traffic_;
    std::vector<Value> point_;
};

/// Whether the wanted share of the requests meets the limits.
bool meets_limits(ServedScenario const& scenario) {
    return scenario.served.summary.good_share >= scenario.traffic->share;
}

/// Whether requests that the machine cannot hold are too many for the wanted share, at every rate.
bool rejects_too_many(ServedScenario const& scenario) {
    auto const& summary = scenario.served.summary;
    auto const share = static_cast<double>(summary.requests - summary.rejected) / static_cast<double>(summary.requests);
    return share < scenario.traffic->share;
}

/// Whether the point has the metric max_rate in a scenario: nobody asks for it where limits are required.
bool has_max_rate(PointRequest const& requested, models::Metrics const& metrics, std::string const& scenario) {
    int const at = models::find_metric(requested.machine.metrics(), store::schema::name_in(scenario, "max_rate"));
    return at >= 0 && !std::isnan(metrics[static_cast<std::size_t>(at)].value);
}

void add_rates(ServedScenario& scenario, ServingPoint const& point, std::vector<double> const& factors) {
    if (!factors.empty() && !scenario.rate)
        throw UsageError(
            "--at-rates: the requests of {} have no rate that could be scaled (a closed loop, or all arrive at the "
            "same time). Leave out --at-rates?",
            scenario.name);
    for (double const factor : factors) {
        if (auto const summary = point.at_rate(factor))
            scenario.at_rates.push_back({factor, *scenario.rate * factor, *summary});
    }
}

/// What the rate says: how far the limits are, or which rate they allow.
std::string rate_advice(ServedScenario const& scenario) {
    if (!scenario.largest || !scenario.rate) return "";
    auto const& found = *scenario.largest;
    if (rejects_too_many(scenario)) return "the limits are missed at every rate, by the requests that are rejected";
    if (found.rate == 0.0)
        return "the limits are missed at every rate, even by requests that are served alone: this machine is too slow "
               "for them";
    auto const up_to = sim::print_quantity(found.rate, "1/s");
    auto text = fmt::format("this design meets the limits up to {} (the requests arrive at {})", up_to,
                            sim::print_quantity(*scenario.rate, "1/s"));
    if (meets_limits(scenario) && found.rate >= *scenario.rate)
        text = fmt::format("the limits are met, and hold up to {} ({} times this rate)", up_to,
                           sim::print_number(found.rate / *scenario.rate, 3));
    else if (meets_limits(scenario))
        text = fmt::format(
            "the limits are met only because the requests are few: of traffic that goes on, {} may arrive", up_to);
    if (found.at_ceiling) text += ", which is all that is ever served";
    text += fmt::format("; sustained_rate: {}", sim::print_quantity(found.served, "1/s"));
    if (found.repeats > 1) text += fmt::format(", of these requests {} times over", found.repeats);
    if (!found.lasts()) text += ": too few to tell what lasts";
    return text;
}

std::string change_advice(ServedScenario const& scenario) {
    if (meets_limits(scenario)) return "";
    auto const& summary = scenario.served.summary;
    if (!scenario.best_change && rejects_too_many(scenario)) return "";
    if (!scenario.best_change)
        return "no tried change of the scheduler makes more requests good: a faster machine is needed, or one with "
               "more memory for the cache if its share is near 100 %";
    auto const& change = *scenario.best_change;
    return fmt::format("{} = {} (now {}) makes {} of {} requests good instead of {}", change.parameter, change.after,
                       change.before, change.good, summary.requests, summary.good);
}

using sim::Json;
using sim::serving::Spread;
using sim::serving::TimelineInterval;

constexpr std::size_t shown_turns = 8;
constexpr std::int64_t text_intervals = 20, json_intervals = 200;

/// One of the times of requests, with its limit if it has one.
struct TimeOfRequests {
    std::string_view name, key;
    std::optional<Spread> const* spread = nullptr;
    std::vector<double> const* values = nullptr;
    double limit = std::numeric_limits<double>::infinity();
    double met = 0.0;
};

std::array<TimeOfRequests, 4> times_of(ServedScenario const& s) {
    auto const& summary = s.served.summary;
    auto const& limits = s.traffic->objectives;
    double const none = std::numeric_limits<double>::infinity();
    return {{{"TTFT", "ttft", &summary.ttft, &s.figures.ttft, limits.ttft, s.figures.ttft_met},
             {"TPOT", "tpot", &summary.tpot, &s.figures.tpot, limits.tpot, s.figures.tpot_met},
             {"end to end", "e2e", &summary.e2e, &s.figures.e2e, none, 0.0},
             {"queue", "queue", &summary.queue, &s.figures.queue, none, 0.0}}};
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string slo_table(ServedScenario const& scenario, std::size_t width) {
    TextTable table({"time", "mean", "p50", "p90", "p99", "limit", "met by"});
    for (auto const& time : times_of(scenario)) {
        std::vector<std::string> cells{std::string(time.name)};
        auto const& spread = *time.spread;
        for (auto const part : {&Spread::mean, &Spread::p50, &Spread::p90, &Spread::p99})
            cells.push_back(spread ? sim::print_quantity((*spread).*part, "s") : "-");
        bool const limited = std::isfinite(time.limit);
        cells.push_back(limited ? sim::print_quantity(time.limit, "s") : "");
        cells.push_back(limited ? share_text(time.met) : "");
        table.add(std::move(cells));
    }
    return table.text(width);
}

std::string counts_text(ServedScenario const& scenario) {
    auto const& s = scenario.served.summary;
    auto text = fmt::format("requests: {} served, {} good ({}; {} wanted), {} rejected; {}\n", s.served, s.good,
                            share_text(s.good_share), share_text(scenario.traffic->share), s.rejected,
                            counted(static_cast<std::uint64_t>(s.preemptions), "preemption"));
    text += fmt::format("goodput {}", sim::print_quantity(s.goodput, "1/s"));
    auto const* unit = has_sessions(scenario.traffic->load) ? "sessions/s" : "1/s";
    if (scenario.rate) text += fmt::format(", arrivals {}", sim::print_quantity(*scenario.rate, unit));
    if (scenario.largest) text += fmt::format(", max_rate {}", sim::print_quantity(scenario.largest->rate, unit));
    if (auto const& seeds = scenario.of_seeds)
        text += fmt::format(" ({} to {} with {} seeds)", sim::print_quantity(seeds->lower, "1/s"),
                            sim::print_quantity(seeds->upper, "1/s"), seeds->seeds);
    text +=
        fmt::format("; {} in {}", sim::print_quantity(s.output_rate, "tokens/s"), sim::print_quantity(s.makespan, "s"));
    if (scenario.served.schedule.engines > 1) text += fmt::format(" on {} engines", scenario.served.schedule.engines);
    return text + "\n";
}

/// What was reused, where anything stays in the cache.
std::string reuse_text(ServedScenario const& scenario) {
    if (scenario.served.settings.prefix_units.tokens == 0) return "";
    auto const& schedule = scenario.served.schedule;
    auto const& s = scenario.served.summary;
    auto text = fmt::format("prefixes: {} of {} tokens of prompts reused ({}), {}\n", schedule.reused,
                            schedule.reused + schedule.fetched + schedule.computed, share_text(s.reused_share),
                            counted(static_cast<std::uint64_t>(schedule.evictions), "eviction"));
    if (scenario.served.settings.tier.units > 0)
        text += fmt::format("tier: {} tokens fetched ({}), {} moved over its link\n", schedule.fetched,
                            share_text(s.fetched_share), sim::print_quantity(s.tier_bytes, "B"));
    return text;
}

/// TTFT by turn of sessions.
std::string turns_text(ServedScenario const& scenario, std::size_t width) {
    auto const& turns = scenario.figures.turns;
    if (turns.empty()) return "";
    TextTable table({"turn", "requests", "TTFT mean", "TTFT p99"});
    for (std::size_t i = 0; i < std::min(turns.size(), shown_turns); ++i)
        table.add({fmt::to_string(i + 1), fmt::to_string(turns[i].requests), sim::print_quantity(turns[i].mean, "s"),
                   sim::print_quantity(turns[i].p99, "s")});
    auto text = "\n" + table.text(width);
    if (turns.size() > shown_turns) text += fmt::format("and {} later turns\n", turns.size() - shown_turns);
    if (auto const ended = scenario.served.schedule.never_sent; ended > 0)
        text += fmt::format("{} not sent, since the one before was rejected\n",
                            counted(static_cast<std::uint64_t>(ended), "request"));
    return text;
}

/// A bar of up to `length` characters; a value above 0 has at least one.
std::string bar(double value, double full, std::size_t length) {
    if (!(value > 0.0) || !(full > 0.0)) return std::string(length, ' ');
    double const part = std::ceil(value / full * sim::as_double(static_cast<std::int64_t>(length)));
    auto const filled = std::clamp<std::size_t>(static_cast<std::size_t>(part), 1, length);
    return std::string(filled, '#') + std::string(length - filled, ' ');
}

/// At most five characters: "0.3", "12.3", "4567", "123k".
std::string short_number(double value) {
    constexpr double hundred = 100.0, thousand = 1000.0;
    if (value < hundred) return fmt::format("{:.1f}", value);
    for (auto const* suffix : {"", "k", "M", "G"}) {
        if (value < 10.0 * thousand) return fmt::format("{:.0f}{}", value, suffix);
        value /= thousand;
    }
    return fmt::format("{:.0e}", value);
}

std::string timeline_text(ServedScenario const& scenario) {
    auto const list = timeline_of(scenario, text_intervals);
    if (list.empty()) return "";
    constexpr std::size_t length = 7;
    TimelineInterval top;
    top.waiting = top.running = 1.0;  // less than one request is a short bar
    for (auto const& part : list) {
        top.arrivals = std::max(top.arrivals, part.arrivals);
        top.waiting = std::max(top.waiting, part.waiting);
        top.running = std::max(top.running, part.running);
        top.tokens_per_second = std::max(top.tokens_per_second, part.tokens_per_second);
    }
    auto const cell = [](std::string const& number, double value, double full) {
        return fmt::format(" {:>5} {}", number, bar(value, full, length));
    };
    auto text = fmt::format("\n{:>8}  {:<13} {:<13} {:<13} {:<13} {}\n", "time", "arrivals", "waiting", "running",
                            "cache", "tokens/s");
    for (auto const& part : list) {
        std::string line = fmt::format("{:>8}", sim::print_quantity(part.start, "s", 3));
        double const arrivals = sim::as_double(part.arrivals);
        line += cell(fmt::to_string(part.arrivals), arrivals, sim::as_double(top.arrivals));
        line += cell(short_number(part.waiting), part.waiting, top.waiting);
        line += cell(short_number(part.running), part.running, top.running);
        line += cell(fmt::format("{:.0f}%", 100.0 * part.cache_share), part.cache_share, 1.0);
        line += cell(short_number(part.tokens_per_second), part.tokens_per_second, top.tokens_per_second);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text +
           "each line begins at its time; means over the line. A full bar is the largest value of its column, of the "
           "cache all of it\n";
}

std::string rates_text(ServedScenario const& scenario, std::size_t width) {
    if (scenario.at_rates.empty()) return "";
    TextTable table({"rate", "of traffic", "goodput", "good", "TTFT p99", "TPOT p99", "saturated"});
    auto const p99 = [](std::optional<Spread> const& spread) {
        return spread ? sim::print_quantity(spread->p99, "s") : std::string("-");
    };
    for (auto const& at : scenario.at_rates)
        table.add({sim::print_quantity(at.rate.value_or(0.0), "1/s"), fmt::format("{:g} x", at.factor),
                   sim::print_quantity(at.summary.goodput, "1/s"), share_text(at.summary.good_share),
                   p99(at.summary.ttft), p99(at.summary.tpot), at.summary.saturated ? "yes" : "no"});
    return "\nthe same requests at other rates\n" + table.text(width);
}

Json spread_json(std::optional<Spread> const& spread) {
    if (!spread) return {};
    return {{"mean", spread->mean}, {"p50", spread->p50}, {"p90", spread->p90}, {"p99", spread->p99}};
}

Json time_json(TimeOfRequests const& time) {
    auto object = spread_json(*time.spread);
    if (object.is_null()) object = Json::object();
    if (std::isfinite(time.limit)) object.update({{"limit", time.limit}, {"met_by", time.met}});
    auto percentiles = Json::array();
    constexpr std::int64_t all = 100;
    for (std::int64_t p = 1; p <= all && !time.values->empty(); ++p)
        percentiles.push_back(sim::serving::nearest_rank(*time.values, p));
    object["percentiles"] = std::move(percentiles);
    return object;
}

Json timeline_json(ServedScenario const& scenario) {
    return timeline_of(scenario, json_intervals) | std::views::transform([](TimelineInterval const& part) -> Json {
               return {{"start", part.start},
                       {"end", part.end},
                       {"arrivals", part.arrivals},
                       {"waiting", part.waiting},
                       {"running", part.running},
                       {"cache_share", part.cache_share},
                       {"tokens_per_second", part.tokens_per_second}};
           });
}

Json rate_json(ServedAtRate const& at) {
    return {{"factor", at.factor},
            {"rate", sim::or_null(at.rate)},
            {"goodput", at.summary.goodput},
            {"good_share", at.summary.good_share},
            {"output_rate", at.summary.output_rate},
            {"ttft", spread_json(at.summary.ttft)},
            {"tpot", spread_json(at.summary.tpot)},
            {"saturated", at.summary.saturated}};
}

Json seeds_json(std::optional<SeedRange> const& range) {
    if (!range) return {};
    return {{"lower", range->lower}, {"upper", range->upper}, {"seeds", range->seeds}};
}

Json turn_json(auto const& turn) { return {{"requests", turn.requests}, {"mean", turn.mean}, {"p99", turn.p99}}; }

/// What was read of a trace.
Json trace_json(models::service::Traffic const& traffic) {
    if (traffic.trace == nullptr) return {};
    auto left_out = Json::object(), noted = Json::object();
    for (auto const& [why, count] : traffic.trace->left_out) left_out[why] = count;
    for (auto const& [what, count] : traffic.trace->noted) noted[what] = count;
    return {{"text", traffic.trace_text},
            {"kind", traffic.trace->kind},
            {"left_out", left_out},
            {"noted", noted},
            {"unordered", traffic.trace->unordered}};
}

/// What may be changed, in a sentence.
std::string hint_for(ServedScenario const& scenario) {
    std::vector<std::string> parts;
    auto const& summary = scenario.served.summary;
    if (summary.rejected > 0)
        parts.push_back(
            fmt::format("{} of the requests exceed the context of the model or the whole cache of {} tokens (more "
                        "memory, or a smaller format of weights or kv_cache)",
                        summary.rejected, sim::serving::longest_cached(scenario.served.settings)));
    for (auto& part : {rate_advice(scenario), change_advice(scenario)})
        if (!part.empty()) parts.push_back(part);
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// Which requests the times are not about, in a sentence; "" if they are about all.
std::string warm_up_sentence(ServedScenario const& scenario) {
    auto const users = scenario.traffic->load.concurrency;
    if (users == 0) return "";
    if (auto const warm_up = scenario.served.summary.warm_up; warm_up > 0)
        return fmt::format("times and shares are those after the first {} requests: {} users who begin at once",
                           warm_up, users);
    return "the users have fewer than two requests each, so times are those of users who begin at once";
}

/// "saturated: ..." or "not saturated: ...", in a sentence; "" for requests without a rate.
std::string saturation_sentence(ServedScenario const& scenario) {
    if (!scenario.rate) return "";
    auto const& ceiling = scenario.served.ceiling;
    if (!ceiling)
        return "not saturated: the requests that had arrived were complete before the last ones came, so the machine "
               "keeps up";
    auto const at_most = sim::print_quantity(*ceiling, "1/s"), rate = sim::print_quantity(*scenario.rate, "1/s");
    bool const reuses = scenario.served.settings.prefix_units.tokens > 0;
    if (!scenario.served.summary.saturated && reuses && sim::serving::has_sessions(scenario.traffic->load))
        return fmt::format(
            "not saturated, as far as is known: requests arrive at {}. Up to {} would be served if turns came without "
            "pauses; pauses in which others evict what a session reuses leave fewer",
            rate, at_most);
    if (!scenario.served.summary.saturated)
        return fmt::format("not saturated: requests arrive at {}, and at most {} are served", rate, at_most);
    return fmt::format(
        "saturated: requests arrive at {}, and at most {} are served. The queue grows for as long as they arrive, so "
        "the times above describe the length of the traffic ({} requests), not what users of a longer one would see",
        rate, at_most, scenario.traffic->load.requests.size());
}

}  // namespace

std::vector<ServedScenario> served_scenarios(PointRequest const& requested, models::Metrics const& metrics,
                                             std::vector<double> const& factors) {
    std::vector<ServedScenario> all;
    for (auto const& scenario : requested.machine.scenarios.list()) {
        if (!scenario.traffic) continue;
        ServingPoint const point(requested, scenario);
        ServedScenario next;
        next.name = scenario.written.name;
        next.traffic = scenario.traffic.get();
        auto result = point.serve([&](auto const& did) { next.activities.push_back(did); });
        auto* served = std::get_if<Served>(&result);
        if (served == nullptr) continue;
        next.served = std::move(*served);
        next.figures = sim::serving::figures_of(next.traffic->load, next.served.schedule, next.traffic->objectives);
        next.rate = sim::serving::rate_of(next.traffic->load);
        if (has_max_rate(requested, metrics, next.name)) next.largest = point.max_rate(*next.traffic);
        if (next.largest) next.of_seeds = point.of_seeds(next.largest->rate);
        if (!meets_limits(next)) next.best_change = point.best_change(next.served);
        add_rates(next, point, factors);
        all.push_back(std::move(next));
    }
    return all;
}

std::vector<sim::serving::TimelineInterval> timeline_of(ServedScenario const& scenario, std::int64_t intervals) {
    return sim::serving::timeline_of(scenario.served.schedule, scenario.activities, intervals);
}

std::string service_text(ServedScenario const& scenario, std::size_t width) {
    auto text = fmt::format("\n{}: requests that arrive over time\n", scenario.name);
    if (!scenario.traffic->trace_text.empty()) text += wrapped(scenario.traffic->trace_text + "\n", width);
    text += slo_table(scenario, width);
    text += wrapped(counts_text(scenario), width);
    text += wrapped(reuse_text(scenario), width);
    auto const hint = hint_for(scenario);
    for (auto const& sentence :
         {warm_up_sentence(scenario), saturation_sentence(scenario), hint.empty() ? hint : "hint: " + hint})
        if (!sentence.empty()) text += wrapped(sentence + "\n", width);
    return text + turns_text(scenario, width) + rates_text(scenario, width) + wrapped(timeline_text(scenario), width);
}

Json service_json(ServedScenario const& scenario) {
    auto const& s = scenario.served.summary;
    auto const& traffic = *scenario.traffic;
    std::optional<double> rate, sustained;
    if (auto const& found = scenario.largest) rate = found->rate, sustained = found->served;
    Json object{{"scenario", scenario.name},
                {"requests", s.requests},
                {"sessions", sessions_in(traffic.load)},
                {"served", s.served},
                {"good", s.good},
                {"rejected", s.rejected},
                {"never_sent", scenario.served.schedule.never_sent},
                {"preemptions", s.preemptions},
                {"prompt_tokens_computed", scenario.served.schedule.computed},
                {"prompt_tokens_reused", scenario.served.schedule.reused},
                {"reused_share", s.reused_share},
                {"prompt_tokens_fetched", scenario.served.schedule.fetched},
                {"fetched_share", s.fetched_share},
                {"tier_bytes", s.tier_bytes},
                {"prompt_tokens_received", scenario.served.schedule.received},
                {"evictions", s.evictions},
                {"engines", scenario.served.schedule.engines},
                {"rate", sim::or_null(scenario.rate)},
                {"max_rate", sim::or_null(rate)},
                {"sustained_rate", sim::or_null(sustained)},
                {"max_rate_of_seeds", seeds_json(scenario.of_seeds)},
                {"served_at_most", sim::or_null(scenario.served.ceiling)},
                {"warm_up", s.warm_up},
                {"goodput", s.goodput},
                {"good_share", s.good_share},
                {"wanted_share", traffic.share},
                {"output_rate", s.output_rate},
                {"makespan", s.makespan},
                {"steps", scenario.served.schedule.steps},
                {"cache_tokens", sim::serving::longest_cached(scenario.served.settings)},
                {"saturated", s.saturated},
                {"saturation", saturation_sentence(scenario)},
                {"hint", hint_for(scenario)},
                {"trace", trace_json(traffic)}};
    for (auto const& time : times_of(scenario)) object["times"][std::string(time.key)] = time_json(time);
    object["turns"] = scenario.figures.turns | std::views::transform([](auto const& one) { return turn_json(one); });
    object["at_rates"] = scenario.at_rates | std::views::transform(rate_json);
    object["timeline"] = timeline_json(scenario);
    return object;
}

}  // namespace pimdse::dse::cli
