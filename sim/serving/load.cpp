#include "sim/serving/load.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::sim::serving {
namespace {

constexpr auto none = ServiceRequest::none;

/// The tree `times` times, each with parts and paths of its own.
std::shared_ptr<Prefixes const> repeated(Prefixes const& prefixes, std::int64_t times) {
    auto all = std::make_shared<Prefixes>(prefixes);
    for (std::int64_t turn = 1; turn < times; ++turn) {
        auto const parts = static_cast<std::uint32_t>(all->parts.size());
        auto const steps = all->steps.size();
        all->parts.insert(all->parts.end(), prefixes.parts.begin(), prefixes.parts.end());
        for (auto const step : prefixes.steps) all->steps.push_back(parts + step);
        for (std::size_t i = 1; i < prefixes.first.size(); ++i) all->first.push_back(steps + prefixes.first[i]);
    }
    return all;
}

}  // namespace

bool has_sessions(ServiceLoad const& load) {
    return std::ranges::any_of(load.requests, [](auto const& request) { return request.parent != none; });
}

std::int64_t sessions_in(ServiceLoad const& load) {
    return std::ranges::count(load.requests, none, &ServiceRequest::parent);
}

double last_arrival(ServiceLoad const& load) {
    return std::ranges::find(load.requests.rbegin(), load.requests.rend(), none, &ServiceRequest::parent)->arrival;
}

std::optional<double> rate_of(ServiceLoad const& load) {
    auto const sessions = sessions_in(load);
    if (load.concurrency > 0 || sessions < 2) return std::nullopt;
    double const first = load.requests.front().arrival, last = last_arrival(load);
    if (!(last > first)) return std::nullopt;
    return as_double(sessions - (first > 0.0 ? 0 : 1)) / last;
}

std::vector<std::uint32_t> roots_of(ServiceLoad const& load) {
    std::vector<std::uint32_t> roots;
    for (auto const& request : load.requests)
        roots.push_back(request.parent == none ? static_cast<std::uint32_t>(roots.size()) : roots[request.parent]);
    return roots;
}

std::vector<std::uint32_t> turns_of(ServiceLoad const& load) {
    std::vector<std::uint32_t> turns;
    for (auto const& request : load.requests) turns.push_back(request.parent == none ? 0 : turns[request.parent] + 1);
    return turns;
}

ServiceLoad part_of(ServiceLoad const& load, std::span<std::size_t const> numbers, std::int64_t concurrency) {
    ServiceLoad part{{}, concurrency, load.prefixes};
    part.requests.reserve(numbers.size());
    for (auto const number : numbers) {
        auto request = load.requests[number];
        if (request.parent != none)
            request.parent = static_cast<std::uint32_t>(std::ranges::lower_bound(numbers, std::size_t{request.parent}) -
                                                        numbers.begin());
        part.requests.push_back(request);
    }
    return part;
}

ServiceLoad repeated(ServiceLoad const& load, std::int64_t times) {
    auto all = load;
    auto const rate = rate_of(load);
    auto const size = load.requests.size();
    double const period = rate ? as_double(sessions_in(load)) / *rate : 0.0;
    all.requests.reserve(size * static_cast<std::size_t>(times));
    for (std::int64_t turn = 1; turn < times; ++turn) {
        for (auto request : load.requests) {
            request.arrival += as_double(turn) * period;
            if (request.parent != none) request.parent += static_cast<std::uint32_t>(all.requests.size() / size * size);
            if (request.path != none)
                request.path += static_cast<std::uint32_t>(load.prefixes->paths() * static_cast<std::size_t>(turn));
            all.requests.push_back(request);
        }
    }
    if (load.prefixes != nullptr && times > 1) all.prefixes = repeated(*load.prefixes, times);
    return all;
}

}  // namespace pimdse::sim::serving
