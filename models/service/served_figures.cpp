#include "models/service/served_figures.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/assumptions.hpp"
#include "models/service/pools.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models::service {
namespace {

using sim::serving::GiveUp;
using sim::serving::RequestTimes;
using sim::serving::Schedule;
using sim::serving::ServiceLoad;
using sim::serving::ServiceObjectives;
using sim::serving::ServiceRequest;
using sim::serving::ServiceSummary;
using sim::serving::StepWork;

/// Bounds of the times of requests of which each is served alone by a machine whose steps take their lower bounds.
class AloneBounds {
  public:
    /// Empty where an engine states no bounds; a block of tokens has no first token of its own to bound.
    static std::optional<ServiceSummary> of(Traffic const& traffic, Served const& served, Pools const& pools) {
        if (!are_stated(pools)) return std::nullopt;
        return AloneBounds(traffic, pools).summary(served);
    }
    /// Whether more requests than may are sure to miss their limits, even if each is served alone. Those with the
    /// longest prompts are tried.
    static bool surely_misses(Traffic const& traffic, Pools const& pools, GiveUp const& give_up) {
        auto requests = traffic.load.requests;
        auto const tried = static_cast<std::size_t>(give_up.max_bad) + 1;
        if (!are_stated(pools) || tried > requests.size()) return false;
        std::ranges::nth_element(requests, requests.begin() + static_cast<std::ptrdiff_t>(tried - 1), std::greater{},
                                 &ServiceRequest::input);
        AloneBounds const bounds(traffic, pools);
        return std::ranges::all_of(std::span(requests).first(tried),
                                   [&](auto const& request) { return bounds.misses(request, give_up.objectives); });
    }
    /// Whether the cache may be too small for all sequences of a step.
    [[nodiscard]] static bool may_preempt(Traffic const& traffic, Pools const& pools) {
        auto const& requests = traffic.load.requests;
        auto const& decodes = pools.last_settings();
        std::int64_t longest = 0;
        for (auto const& request : requests) longest = std::max(longest, request.input + request.output);
        auto const together = std::min(decodes.max_sequences, static_cast<std::int64_t>(requests.size()));
        auto most = sim::serving::blocks_for(decodes, longest);
        // Blocks of a prefix may stay while a sequence uses it, and it has its own ones.
        if (auto const& unit = decodes.prefix_units; unit.tokens > 0) most += longest / unit.tokens * unit.blocks;
        return !decodes.reserves_output && together * most > decodes.blocks;
    }

  private:
    [[nodiscard]] static bool are_stated(Pools const& pools) {
        auto const& last = pools.last();
        return pools.engine.bounds_requests && last.bounds_requests && last.tokens_per_step == 1;
    }
    AloneBounds(Traffic const& traffic, Pools const& pools)
        : load_(traffic.load), traffic_(traffic), pools_(pools), preempts_(may_preempt(traffic, pools)) {}

    /// Whether it may find any part of its prompt in the cache, so that nothing is known of the time of its prompt.
    [[nodiscard]] bool may_reuse(ServiceRequest const& request) const {
        return pools_.settings.prefix_units.tokens > 0 && request.path != ServiceRequest::none;
    }

    [[nodiscard]] static StepWork prompt_of(std::int64_t tokens) { return {{{tokens, 0}}, {}, 1}; }

    /// Every token after the first takes at least this: that at the shortest context, which is the first one unless
    /// layers begin anew later. A sequence that was preempted yields one when its prompt is computed again.
    [[nodiscard]] double min_token(ServiceRequest const& request) const {
        auto const& engine = pools_.last();
        auto const first = request.input + 1, last = request.input + request.output - 1;
        bool const anew = engine.chunk > 0 && (last - 1) / engine.chunk > (first - 1) / engine.chunk;
        double const decoded = engine.min_seconds({{}, {anew ? 1 : first}, 1});
        if (!preempts_) return decoded;
        bool const again = may_reuse(request) && pools_.last_settings().prefix_units.tokens > 0;
        return again ? 0.0 : std::min(decoded, engine.min_seconds(prompt_of(first)));
    }

    [[nodiscard]] bool misses(ServiceRequest const& request, ServiceObjectives const& limits) const {
        constexpr double rounding = 1.0 - 0x1p-30;
        if (pools_.rejects(request)) return true;
        bool const late =
            !may_reuse(request) && pools_.engine.min_seconds(prompt_of(request.input)) * rounding > limits.ttft;
        return late || (request.output > 1 && min_token(request) * rounding > limits.tpot);
    }

    /// Relative to the arrival. `found` tells up to which time clocks have run, and so how far rounding moves
    /// differences of times.
    [[nodiscard]] RequestTimes times_of(ServiceRequest const& request, RequestTimes const& found) const {
        RequestTimes best;
        best.rejected = found.rejected;
        if (found.rejected) return best;
        double const rounding = 0x1p-50 * sim::as_double(request.output + 4) * found.last_token;
        auto const tokens = request.output - 1;
        double rest = tokens > 0 ? sim::as_double(tokens) * min_token(request) : 0.0;
        bool const moves_all = !pools_.of_decode.prompt_link.seconds || !may_reuse(request);
        if (tokens > 0 && pools_.engine.handover && moves_all) rest += pools_.engine.handover->seconds(request.input);
        if (!may_reuse(request))
            best.first_token = std::max(0.0, pools_.engine.min_seconds(prompt_of(request.input)) - rounding);
        best.last_token = best.first_token + std::max(0.0, rest - rounding);
        return best;
    }

    /// Requests that arrive over time end after their arrival; a user of a closed loop has one after the other, unless
    /// several continue the same one.
    [[nodiscard]] ServiceSummary summary(Served const& served) const {
        Schedule best;
        double sum = 0.0;
        for (std::size_t i = 0; i < load_.requests.size(); ++i) {
            auto const& times = best.requests.emplace_back(times_of(load_.requests[i], served.schedule.requests[i]));
            if (times.rejected) continue;
            bool const closed = load_.concurrency > 0;
            double const arrival = closed ? 0.0 : load_.requests[i].arrival - load_.requests.front().arrival;
            best.end = std::max(best.end, arrival + times.last_token);
            sum += times.last_token;
        }
        if (load_.concurrency > 0 && !sim::serving::has_sessions(load_))
            best.end = std::max(best.end, sum / sim::as_double(load_.concurrency));
        return sim::serving::summarise(load_, served.settings, best, traffic_.objectives, 0.0);
    }

    ServiceLoad const& load_;
    Traffic const& traffic_;
    Pools const& pools_;
    bool preempts_;  ///< whether the cache may be too small for all sequences of a step
};

constexpr auto no_peak = std::numeric_limits<std::int64_t>::max();

/// Ends a schedule from within a step.
struct Refused {
    Infeasible why;
};

/// The load served, and the largest power of all engines, each in its own hottest step of it. Throws Refused.
Served served_and_watched(Pools const& pools, Traffic const& traffic, GiveUp const* give_up, ServedFigures& figures,
                          PowerRefusal const& refuses) {
    auto const& engine = pools.engine;
    auto const* second = engine.handover ? engine.handover->to.get() : nullptr;
    double of_first = idle_watts(engine), of_second = second != nullptr ? idle_watts(*second) : 0.0;
    auto const see = [&](sim::serving::EngineActivity const& did) {
        bool const is_first = did.engine < engine.copies;
        auto& watts = is_first ? of_first : of_second;
        watts = std::max(watts, sim::as_double(is_first ? engine.copies : second->copies) * did.watts);
        if (100 * (of_first + of_second) <= 101 * figures.told) return;  // 1 %
        figures.told = of_first + of_second;
        if (!refuses) return;
        if (auto why = refuses(figures.told)) throw Refused{*std::move(why)};
    };
    auto served = scheduled(pools, traffic, give_up, see);
    figures.watts = of_first + of_second;
    find_ceiling(served, pools, traffic, give_up);
    return served;
}

bool has_limits(Traffic const& traffic) {
    return std::isfinite(traffic.objectives.ttft) || std::isfinite(traffic.objectives.tpot);
}

Infeasible too_few_good(Traffic const& traffic, double good) {
    constexpr double percent = 100;
    return infeasible(
        "slo", "at most {:.4g} % of the requests {}, and {:.4g} % must", percent * good,
        has_limits(traffic) ? "meet the limits of [scenario.slo]" : "are served (the others are rejected)",
        percent * traffic.share);
}

/// The reason where more requests miss limits than may, of which some may be of the warm-up.
Infeasible given_up(Traffic const& traffic, GiveUp const& give_up) {
    auto const warm_up = sim::serving::warm_up_of(traffic.load);
    auto const requests = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()) - warm_up);
    return too_few_good(traffic, 1.0 - sim::as_double(give_up.max_bad + 1 - warm_up) / requests);
}

/// The reason where more requests arrive than are served.
std::optional<Infeasible> saturation(Traffic const& traffic, double ceiling) {
    auto const rate = *sim::serving::rate_of(traffic.load);
    if (rate <= ceiling) return std::nullopt;
    return infeasible("slo", "requests arrive at {:.4g} 1/s, and at most {:.4g} 1/s are served: {}", rate, ceiling,
                      has_limits(traffic) ? "the limits of [scenario.slo] are met only as long as the queue is short"
                                          : "the queue grows without end");
}

/// Why a service that was served to the end does not meet limits that it must meet; nullopt if it does.
std::optional<Infeasible> missed_limits(Served const& served, Traffic const& traffic) {
    if (served.summary.good_share < traffic.share) return too_few_good(traffic, served.summary.good_share);
    if (!served.ceiling) return std::nullopt;
    return saturation(traffic, *served.ceiling);
}

/// Throws Refused.
ServedFigures figures_of(Pools const& pools, Traffic const& traffic, bool finest, PowerRefusal const& refuses) {
    auto const give_up = give_up_of(traffic);
    ServedFigures figures;
    if (give_up && AloneBounds::surely_misses(traffic, pools, *give_up)) {
        figures.missed = given_up(traffic, *give_up);
        return figures;
    }
    auto served = served_and_watched(pools, traffic, give_up ? &*give_up : nullptr, figures, refuses);
    figures.peak_sequences = give_up ? served.schedule.peak_sequences : no_peak;
    figures.peak_tokens = give_up ? served.schedule.peak_tokens : no_peak;
    figures.keeps_up = !served.ceiling;
    if (give_up)
        figures.missed = served.schedule.given_up ? given_up(traffic, *give_up) : missed_limits(served, traffic);
    if (figures.missed) return figures;
    if (!traffic.required) figures.max_rate = largest_rate(pools, traffic, served.ceiling);
    if (!finest) figures.alone = AloneBounds::of(traffic, served, pools);
    figures.summary = std::move(served.summary);
    return figures;
}

/// Whether a drawn constant may change how this point serves. One of a link does if the link joins its devices.
bool may_enter_schedules(ServedPoint const& served, std::string_view constant) {
    auto const& [architecture, inputs, point, fidelity] = served;
    auto const& parameters = inputs.parameters;
    if (!constant.starts_with(links_table)) return false;
    int const devices = find_parameter(parameters, devices_name);
    if (devices < 0 || point[static_cast<std::size_t>(devices)] == Value::integer(1)) return false;
    auto const kind = constant.substr(links_table.size() + 1);
    for (auto const* name : {"link", "stage_link"}) {
        int const at = find_parameter(parameters, name);
        if (at < 0) return true;
        auto const& parameter = parameters[static_cast<std::size_t>(at)];
        auto const& joined = parameter.choices[point[static_cast<std::size_t>(at)].as_choice()];
        if (joined == "own" || kind.starts_with(joined + "_")) return true;
    }
    return false;
}

/// What a schedule follows from, as far as it may differ between evaluations. Equal objects of `prepared` at one place
/// are one, because what is known of them keeps them.
struct ServedKey {
    void const* prepared = nullptr;
    Architecture const* architecture = nullptr;
    std::vector<Value> point;
    Fidelity fidelity{};
    std::vector<std::pair<std::string, double>> drawn;  ///< for links
    AssumptionTexts assumptions;                        ///< without costs
    bool any_limits = false;                            ///< of sequences and tokens in a step: their parameters are 0
    std::string traffic;                                ///< its bytes
    auto operator<=>(ServedKey const&) const = default;
};

template <class Number>
void append(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<char const*>(&number), sizeof number);
}

std::string bytes_of(Traffic const& traffic) {
    std::string bytes;
    for (double const number : {traffic.objectives.ttft, traffic.objectives.tpot, traffic.share}) append(bytes, number);
    append(bytes, traffic.required);
    append(bytes, traffic.load.concurrency);
    for (auto const& request : traffic.load.requests) {
        append(bytes, request.arrival);
        append(bytes, request.input);
        append(bytes, request.output);
        append(bytes, request.has_prompt);
        append(bytes, request.parent);
        append(bytes, request.after);
        append(bytes, request.path);
    }
    if (auto const& prefixes = traffic.load.prefixes) {
        for (auto const& part : prefixes->parts) append(bytes, part.begin), append(bytes, part.end);
        for (auto const step : prefixes->steps) append(bytes, step);
        for (auto const first : prefixes->first) append(bytes, first);
    }
    return bytes;
}

ServedKey key_of(ServedPoint const& served, Traffic const& traffic) {
    auto const& options = served.inputs.options;
    auto assumptions = options.assumptions;
    assumptions.economy.clear();
    ServedKey key{served.inputs.prepared.get(),
                  &served.architecture,
                  {served.point.begin(), served.point.end()},
                  served.fidelity,
                  {},
                  texts_of(assumptions),
                  false,
                  bytes_of(traffic)};
    for (auto const& [name, value] : options.drawn)
        if (is_read_by_groups_only(served.architecture, name) && may_enter_schedules(served, name))
            key.drawn.emplace_back(name, value);
    return key;
}

/// What limits of a step change, if a schedule comes near them, and whether one may be preempted.
struct StepLimits {
    std::int64_t sequences = no_peak, tokens = no_peak;  ///< the smaller of two pools
    bool preempts = false;
    friend bool operator==(StepLimits const&, StepLimits const&) = default;

    static StepLimits of(Traffic const& traffic, Pools const& pools) {
        StepLimits limits;
        auto const add = [&](sim::serving::SchedulerSettings const& settings) {
            limits.sequences = std::min(limits.sequences, settings.max_sequences);
            if (settings.max_batched_tokens > 0) limits.tokens = std::min(limits.tokens, settings.max_batched_tokens);
        };
        add(pools.settings);
        if (pools.engine.handover) add(pools.of_decode);
        limits.preempts = AloneBounds::may_preempt(traffic, pools);
        return limits;
    }
    [[nodiscard]] bool are_far_from(ServedFigures const& figures) const {
        return figures.peak_sequences < sequences && figures.peak_tokens < tokens;
    }
};

struct KnownFigures {
    ServedFigures figures;
    std::shared_ptr<void const> prepared;
    StepLimits limits;
    [[nodiscard]] static constexpr std::size_t weight() { return 1; }

    /// Whether these are the figures with other limits, too.
    [[nodiscard]] bool hold_with(StepLimits const& others) const {
        return limits == others ||
               (limits.preempts == others.preempts && limits.are_far_from(figures) && others.are_far_from(figures));
    }
};

/// The key of all points that differ in limits of a step only; nullopt where the machine itself depends on them.
std::optional<ServedKey> with_any_limits(ServedKey key, Inputs const& inputs) {
    if (key.architecture->built_for_batch) return std::nullopt;
    for (auto const* name : {"scheduler.max_sequences", "scheduler.max_batched_tokens"}) {
        int const at = find_parameter(inputs.parameters, name);
        if (at < 0) return std::nullopt;
        key.point[static_cast<std::size_t>(at)] = Value::integer(0);
    }
    key.any_limits = true;
    return key;
}

}  // namespace

std::optional<GiveUp> give_up_of(Traffic const& traffic) {
    if (!traffic.required) return std::nullopt;
    auto const warm_up = sim::serving::warm_up_of(traffic.load);
    auto const requests = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()) - warm_up);
    constexpr double rounding = 0x1p-40;
    auto const may_miss = sim::whole_part(std::floor(requests * (1.0 - traffic.share) * (1.0 + rounding)));
    return GiveUp{traffic.objectives, may_miss + warm_up};
}

double idle_watts(ServiceEngine const& engine) { return sim::as_double(engine.copies) * engine.idle_power; }

std::variant<ServedFigures, Infeasible> served_figures(ServedPoint const& served, Pools const& pools,
                                                       Traffic const& traffic, PowerRefusal const& refuses) {
    constexpr std::size_t max_known = 64, max_requests_kept = 10'000;
    static sim::LruCache<ServedKey, KnownFigures> const lately{max_known};
    bool const finest = served.fidelity == served.architecture.fidelities.back();
    auto const compute = [](ServedKey const&, ServedPoint const& of, Pools const& by, Traffic const& load, bool exact,
                            PowerRefusal const& refusal) {
        return std::make_shared<KnownFigures const>(
            KnownFigures{figures_of(by, load, exact, refusal), of.inputs.prepared, StepLimits::of(load, by)});
    };
    try {
        bool const known = served.inputs.prepared != nullptr && traffic.load.requests.size() <= max_requests_kept;
        if (!known) return figures_of(pools, traffic, finest, refuses);
        auto const key = key_of(served, traffic);
        auto const get = [&](ServedKey const& of) {
            return lately.get(of, compute, served, pools, traffic, finest, refuses);
        };
        // Which of the points with equal any_limits comes first is chance; what is taken of it is the same for all.
        auto const any = with_any_limits(key, served.inputs);
        auto found = get(any ? *any : key);
        auto const limits = StepLimits::of(traffic, pools);
        if (!found->hold_with(limits)) found = get(key);
        auto figures = found->figures;
        if (found->limits != limits && !figures.keeps_up && !figures.missed)  // a ceiling comes near every limit
            figures.missed = saturation(traffic, ceiling_up_to_its_rate(pools, traffic));
        if (!refuses || !refuses(figures.told)) return figures;
        return figures_of(pools, traffic, finest, refuses);  // ends where it is refused for the first time
    } catch (Refused const& refused) {
        return refused.why;
    }
}

}  // namespace pimdse::models::service
