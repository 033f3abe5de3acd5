#include "sim/serving/max_rate.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {
namespace {

/// Rates are searched from the load's own down to this part of it. Beyond it, times would lose their precision.
constexpr double farthest = 0x1p24;
/// A load is not repeated beyond so many requests and tokens, which take a second or so.
constexpr std::int64_t max_load_requests = std::int64_t{1} << 17, max_load_tokens = std::int64_t{1} << 23;

/// How often a load may be repeated.
std::int64_t max_repeats(ServiceLoad const& load) {
    auto const requests = static_cast<std::int64_t>(load.requests.size());
    std::int64_t tokens = 0;
    for (auto const& request : load.requests) tokens += request.output;
    return std::max<std::int64_t>(1, std::min(max_load_requests / requests, max_load_tokens / tokens));
}

/// Serves one load at several rates.
class RateSearch {
  public:
    RateSearch(ServiceLoad const& load, Serve const& serve, ServiceObjectives const& objectives, double share,
               double ceiling)
        : load_(load),
          scaled_(load),
          serve_(serve),
          give_up_{objectives, max_bad_of(static_cast<std::int64_t>(load.requests.size()), share)},
          share_(share),
          own_rate_(*rate_of(load)),
          top_(std::min(ceiling, own_rate_ * farthest)) {}

    /// The search begins at the rate `from`.
    LargestRate run(double from) {
        if (good_at(top_)) return {top_, served_, rest_, 1, true};
        auto [lower, upper] = bracket(from);
        if (lower == 0.0) return {};
        // The factor by which the ends differ is halved in its logarithm.
        while (upper * 100 > lower * 101) {
            double const middle = std::sqrt(lower) * std::sqrt(upper);
            if (!(middle > lower && middle < upper)) break;
            (good_at(middle) ? lower : upper) = middle;
        }
        return {lower, served_, rest_};
    }

  private:
    /// Notes how the load is served if it is good; requests arrive at `rate`.
    [[nodiscard]] bool good(ServiceLoad const& load, double rate) {
        auto const found = serve_(load, &give_up_);
        if (found.given_up || good_share(load, found, give_up_.objectives) < share_) return false;
        auto const requests = static_cast<std::int64_t>(load.requests.size());
        rest_ = std::max(0.0, found.end / last_arrival(load) - 1.0);
        served_ = rate * as_double(requests - found.rejected) / as_double(requests) / (1.0 + rest_);
        return true;
    }
    /// Requests that may miss their limits.
    [[nodiscard]] static std::int64_t max_bad_of(std::int64_t requests, double share) {
        std::int64_t bad = 0;
        while (as_double(requests - bad - 1) / as_double(requests) >= share) ++bad;
        return bad;
    }
    [[nodiscard]] bool good_at(double rate) {
        for (std::size_t i = 0; i < load_.requests.size(); ++i)
            scaled_.requests[i].arrival = load_.requests[i].arrival * (own_rate_ / rate);
        return good(scaled_, rate);
    }
    /// A rate that is good, or 0, and one, at most twice as high, that is not.
    [[nodiscard]] std::pair<double, double> bracket(double from) {
        if (double rate = from; rate < top_ && good_at(rate)) {
            while (2.0 * rate < top_ && good_at(2.0 * rate)) rate *= 2.0;
            return {rate, std::min(2.0 * rate, top_)};
        }
        double const lowest = own_rate_ / farthest;
        double rate = std::min(from, top_);
        while (rate > lowest && !good_at(rate / 2.0)) rate /= 2.0;
        return rate > lowest ? std::pair(rate / 2.0, rate) : std::pair(0.0, rate);
    }

    ServiceLoad const& load_;
    ServiceLoad scaled_;
    Serve const& serve_;
    GiveUp give_up_;
    double share_, own_rate_, top_;
    double served_ = 0.0, rest_ = 0.0;  ///< of LargestRate, at the last rate that was good
};

/// How often the requests must be repeated so that the time after the last arrival hardly counts, at most `max_times`.
std::int64_t repeats_for(LargestRate const& found, std::int64_t max_times) {
    constexpr double margin = 1.1;
    double const enough = margin * found.rest / LargestRate::short_rest * as_double(found.repeats);
    return enough < as_double(max_times) ? std::max(found.repeats + 1, whole_part(std::ceil(enough))) : max_times;
}

/// Requests in service at the same time, at most, and those that were served.
std::pair<std::int64_t, std::int64_t> in_service(Schedule const& schedule) {
    std::vector<std::pair<double, std::int64_t>> changes;
    for (auto const& times : schedule.requests) {
        if (times.rejected) continue;
        changes.emplace_back(times.scheduled, 1);
        changes.emplace_back(times.last_token, -1);
    }
    std::ranges::sort(changes);
    std::int64_t now = 0, most = 0;
    for (auto const& [_, change] : changes) most = std::max(most, now += change);
    return {most, static_cast<std::int64_t>(changes.size() / 2)};
}

/// Requests served per second from the time when so many are complete to the last admission, of each the part of its
/// time in between.
double rate_between(Schedule const& schedule, std::int64_t complete) {
    std::vector<double> ends;
    double to = 0.0;
    for (auto const& times : schedule.requests) {
        if (times.rejected) continue;
        ends.push_back(times.last_token);
        to = std::max(to, times.scheduled);
    }
    std::ranges::nth_element(ends, ends.begin() + (complete - 1));
    double const from = ends[static_cast<std::size_t>(complete - 1)];
    if (!(to > from)) return std::numeric_limits<double>::infinity();
    double served = 0.0;
    for (auto const& times : schedule.requests) {
        double const inside = std::min(times.last_token, to) - std::max(times.scheduled, from);
        if (!times.rejected && inside > 0.0) served += inside / (times.last_token - times.scheduled);
    }
    return served / (to - from);
}

}  // namespace

double ceiling(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law, std::int64_t engines,
               double enough) {
    auto at_once = load;
    at_once.concurrency = 0;
    for (auto& request : at_once.requests) {
        request.arrival = request.after = 0.0;
        request.parent = ServiceRequest::none;
    }
    double const turns_of_session =
        as_double(static_cast<std::int64_t>(load.requests.size())) / as_double(sessions_in(load));
    auto in_order = settings;
    in_order.policy = AdmissionOrder::fcfs;
    auto const requests = static_cast<std::int64_t>(load.requests.size());
    // A few times as many as are in service at once: the first and the last of these do not count.
    constexpr std::int64_t turns = 6;
    auto const max_times = max_repeats(load);
    for (std::int64_t times = 1;;) {
        auto const found = schedule(repeated(at_once, times), in_order, law);
        auto const [together, served] = in_service(found);
        if (served == 0) return std::numeric_limits<double>::infinity();
        double const of_all = as_double(times * requests) / as_double(served);  // rejected ones arrive, too
        auto const of_sessions = [&](double one) { return as_double(engines) * (of_all * one) / turns_of_session; };
        if (found.end > 0.0 && of_sessions(as_double(served) / found.end) >= enough)
            return of_sessions(as_double(served) / found.end);
        if (served >= turns * together || times == max_times) {
            double const rate = rate_between(found, together);
            double const whole = found.end > 0.0 ? as_double(served) / found.end : rate;
            return of_sessions(std::isfinite(rate) ? std::max(rate, whole) : whole);
        }
        times = std::min(max_times, std::max(2 * times, divide_up(turns * together * times, served)));
    }
}

bool keeps_up(ServiceLoad const& load, Schedule const& schedule) {
    auto const rate = rate_of(load);
    if (!rate) return true;
    std::vector<std::size_t> order(load.requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const arrival_of = [&](std::size_t i) { return schedule.requests[i].arrival; };
    if (has_sessions(load)) std::ranges::stable_sort(order, {}, arrival_of);
    auto const requests = as_double(std::ssize(order));
    double const per_second = *rate * requests / as_double(sessions_in(load)), last = last_arrival(load);
    double complete = 0.0;
    for (std::size_t i = 0; i < order.size() && arrival_of(order[i]) <= last; ++i) {
        double const arrival = arrival_of(order[i]);
        bool const as_fast = as_double(static_cast<std::int64_t>(i) + 1) >= per_second * arrival * (1.0 - 0x1p-40);
        if (2 * i >= order.size() && complete <= arrival && as_fast) return true;
        complete = std::max(complete, schedule.requests[order[i]].last_token);
    }
    return false;
}

std::optional<LargestRate> max_rate(ServiceLoad const& load, Serve const& serve, ServiceObjectives const& objectives,
                                    double share, double ceiling) {
    expects(share > 0.0 && share <= 1.0, "a share of requests is above 0 and at most 1");
    expects(ceiling > 0.0, "engines serve some requests");
    auto const own = rate_of(load);
    if (!own) return std::nullopt;
    auto found = RateSearch(load, serve, objectives, share, ceiling).run(*own);
    auto const max_times = max_repeats(load);
    for (int tries = 0; tries < 3 && found.rate > 0.0 && !found.lasts(); ++tries) {
        auto const repeats = repeats_for(found, max_times);
        if (repeats <= found.repeats) break;
        double const from = found.rate;
        found = RateSearch(repeated(load, repeats), serve, objectives, share, ceiling).run(from);
        found.repeats = repeats;
    }
    return found;
}

}  // namespace pimdse::sim::serving
