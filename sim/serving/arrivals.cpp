#include "sim/serving/arrivals.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/variates.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::sim::serving {
namespace {

constexpr std::uint64_t arrival_stream = 1;

void check_positive(char const* name, double value) {
    if (!(value > 0.0) || !std::isfinite(value))
        throw InputError(
            fmt::format("{} = {} is not a positive number (requests would never or always arrive)", name, value));
}

}  // namespace

std::vector<double> arrival_times(ArrivalSettings const& settings, std::size_t count) {
    check_positive("rate", settings.rate);
    if (settings.process == ArrivalProcess::gamma) check_positive("cv", settings.cv);
    Variates variates(settings.seed, arrival_stream);
    double const shape = 1.0 / (settings.cv * settings.cv);
    auto const gap = [&] {
        if (settings.process == ArrivalProcess::uniform) return 1.0;
        if (settings.process == ArrivalProcess::poisson) return variates.exponential();
        return variates.gamma(shape) / shape;
    };
    std::vector<double> times;
    double gaps = 0.0;  // their sum, in mean gaps
    for (std::size_t i = 0; i < count; ++i) times.push_back(gaps += gap());
    if (times.empty() || !(gaps > 0.0)) return times;
    double const requests = as_double(static_cast<std::int64_t>(count));
    for (double& time : times) time *= requests / gaps / settings.rate;
    times.back() = requests / settings.rate;
    return times;
}

}  // namespace pimdse::sim::serving
