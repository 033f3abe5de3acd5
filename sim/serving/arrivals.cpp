#include "sim/serving/arrivals.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/random.hpp"
#include "sim/base/words.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::sim::serving {
namespace {

constexpr std::uint64_t arrival_stream = 1;

void check_positive(char const* name, double value) {
    if (!(value > 0.0) || !std::isfinite(value))
        throw InputError("{} = {} is not a positive number (requests would never or always arrive)", name, value);
}

constexpr double normal_p90 = 1.2815515655446004;  ///< 90th percentile of the normal distribution
constexpr std::uint64_t first_length_stream = 2;   ///< that of arrivals is 1

/// Width and centre of the logarithm.
struct LogNormal {
    double sigma = 0.0, mu = 0.0;
};

/// mean = exp(mu + sigma^2 / 2) and p90 = exp(mu + z sigma) are a quadratic equation in sigma.
LogNormal log_normal(double mean, double p90) {
    if (!(mean >= 1.0) || !(mean <= static_cast<double>(max_tokens)))
        throw InputError("a mean of {} tokens is not between 1 and {}", mean, max_tokens);
    double const limit = std::exp(normal_p90 * normal_p90 / 2.0);
    if (!(p90 >= mean && p90 <= limit * mean))
        throw InputError(
            "a 90th percentile of {} tokens does not fit a mean of {} (that of a log-normal "
            "distribution is 1 to {:.2f} times its mean). Give the lengths in a file?",
            p90, mean, limit);
    double const sigma = normal_p90 - std::sqrt(std::max(0.0, normal_p90 * normal_p90 - 2.0 * std::log(p90 / mean)));
    return {sigma, std::log(mean) - sigma * sigma / 2.0};
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

std::vector<std::int64_t> lognormal_lengths(double mean, double p90, std::uint64_t seed, std::uint64_t stream,
                                            std::size_t count) {
    auto const distribution = log_normal(mean, p90);
    Variates variates(seed, first_length_stream + stream);
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < count; ++i) {
        double const length = std::exp(distribution.mu + distribution.sigma * variates.normal());
        lengths.push_back(std::llround(std::clamp(length, 1.0, static_cast<double>(max_tokens))));
    }
    return lengths;
}

std::vector<std::int64_t> lengths_of_file(std::filesystem::path const& file, std::string const& column,
                                          std::size_t count) {
    CsvRows rows(file, {column});
    std::vector<std::int64_t> lengths;
    while (lengths.size() < count) {
        auto const cells = rows.cells();
        if (!cells) break;
        auto const tokens = tokens_in(cells->front());
        if (!tokens || *tokens == 0)
            rows.refuse(
                fmt::format("{} = {} is not a whole number from 1 to {}", column, clipped(cells->front()), max_tokens));
        lengths.push_back(*tokens);
    }
    if (lengths.empty() && count > 0) throw InputError("{}: there are no lengths", file.string());
    for (std::size_t i = 0; lengths.size() < count; ++i) lengths.push_back(lengths[i]);
    return lengths;
}

}  // namespace pimdse::sim::serving
