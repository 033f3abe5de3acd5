#include "sim/serving/max_rate.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <cmath>
#include <utility>

namespace pimdse::sim::serving {
namespace {

/// Rates are searched from the load's own over and times this factor. Beyond it, times would lose their precision.
constexpr double farthest = 0x1p24;

/// Serves one load at several rates.
class RateSearch {
  public:
    RateSearch(ServiceLoad const& load, Serve const& serve, ServiceObjectives const& objectives, double share)
        : load_(load),
          scaled_(load),
          serve_(serve),
          give_up_{objectives, max_bad_of(static_cast<std::int64_t>(load.requests.size()), share)},
          share_(share),
          own_rate_(*rate_of(load)) {}

    LargestRate run() {
        if (good_at(own_rate_ * farthest)) return {served_, served_};
        auto [lower, upper] = bracket();
        if (lower == 0.0) return {};
        // The factor by which the ends differ is halved in its logarithm.
        while (upper * 100 > lower * 101) {
            double const middle = std::sqrt(lower) * std::sqrt(upper);
            if (!(middle > lower && middle < upper)) break;
            (good_at(middle) ? lower : upper) = middle;
        }
        return {lower, served_};
    }

  private:
    /// Notes the rate at which a load that is good is served.
    [[nodiscard]] bool good(ServiceLoad const& load) {
        auto const found = serve_(load, &give_up_);
        if (found.given_up || good_share(load, found, give_up_.objectives) < share_) return false;
        auto const served = static_cast<std::int64_t>(load.requests.size()) - found.rejected;
        served_ = found.end > 0.0 ? as_double(served) / found.end : 0.0;
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
        return good(scaled_);
    }
    /// A rate that is good, or 0, and one, twice as high, that is not.
    [[nodiscard]] std::pair<double, double> bracket() {
        double rate = own_rate_;
        if (good_at(rate)) {
            while (rate < own_rate_ * farthest && good_at(2.0 * rate)) rate *= 2.0;
            return {rate, 2.0 * rate};
        }
        while (rate > own_rate_ / farthest && !good_at(rate / 2.0)) rate /= 2.0;
        return rate > own_rate_ / farthest ? std::pair(rate / 2.0, rate) : std::pair(0.0, rate);
    }

    ServiceLoad const& load_;
    ServiceLoad scaled_;
    Serve const& serve_;
    GiveUp give_up_;
    double share_, own_rate_;
    double served_ = 0.0;  ///< requests per second at the last rate that was good
};

}  // namespace

std::optional<double> rate_of(ServiceLoad const& load) {
    auto const& requests = load.requests;
    if (load.concurrency > 0 || requests.size() < 2) return std::nullopt;
    double const first = requests.front().arrival, last = requests.back().arrival;
    if (!(last > first)) return std::nullopt;
    return as_double(static_cast<std::int64_t>(requests.size()) - (first > 0.0 ? 0 : 1)) / last;
}

std::optional<LargestRate> max_rate(ServiceLoad const& load, Serve const& serve, ServiceObjectives const& objectives,
                                    double share) {
    expects(share > 0.0 && share <= 1.0, "a share of requests is above 0 and at most 1");
    if (!rate_of(load)) return std::nullopt;
    return RateSearch(load, serve, objectives, share).run();
}

}  // namespace pimdse::sim::serving
