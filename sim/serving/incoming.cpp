#include "sim/serving/incoming.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::sim::serving {
namespace {

constexpr double never_ends = std::numeric_limits<double>::infinity();

}  // namespace

IncomingRequests::IncomingRequests(ServiceLoad const& load) : load_(load), sessions_(has_sessions(load)) {
    for (std::int64_t user = 0; user < load.concurrency; ++user) free_.push(0.0);
    if (!sessions_) return;
    auto const size = load.requests.size();
    roots_ = roots_of(load);
    missing_.resize(size);
    continued_by_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        ++missing_[roots_[i]];
        if (auto const parent = load.requests[i].parent; parent != ServiceRequest::none)
            continued_by_[parent].push_back(static_cast<std::uint32_t>(i));
    }
}

double IncomingRequests::next_root() const {
    if (next_ == load_.requests.size()) return never_ends;
    if (load_.concurrency == 0) return load_.requests[next_].arrival;
    return free_.empty() ? never_ends : free_.top();
}

double IncomingRequests::next_time() const {
    return turns_.empty() ? next_root() : std::min(next_root(), turns_.top().first);
}

std::optional<IncomingRequests::Arrival> IncomingRequests::next_of_all(double now) {
    double const root = next_root();
    if (!turns_.empty() && turns_.top().first <= now && Timed(turns_.top()) < Timed(root, next_)) {
        auto const [time, request] = turns_.top();
        turns_.pop();
        return take(request, time);
    }
    if (!(root <= now)) return std::nullopt;
    auto const request = next_++;
    skip_turns();
    if (load_.concurrency > 0) free_.pop();
    return take(request, root);
}

void IncomingRequests::skip_turns() {
    if (!sessions_) return;
    while (next_ < load_.requests.size() && load_.requests[next_].parent != ServiceRequest::none) ++next_;
}

IncomingRequests::Arrival IncomingRequests::take(std::size_t request, double time) {
    ++arrived_;
    if (sessions_) order_.push_back(request);
    return {request, time};
}

void IncomingRequests::leave(std::size_t request, double now) {
    bool const frees_user = !sessions_ || --missing_[roots_[request]] == 0;
    if (frees_user && load_.concurrency > 0) free_.push(now);
}

void IncomingRequests::complete(std::size_t request, double now) {
    ++left_;
    leave(request, now);
    if (!sessions_) return;
    for (auto const next : continued_by_[request]) {
        auto const& turn = load_.requests[next];
        turns_.emplace(std::max(turn.arrival, now + turn.after), next);
    }
}

void IncomingRequests::reject(std::size_t request, double now, std::function<void(std::size_t)> const& never) {
    ++left_;
    leave(request, now);
    if (!sessions_) return;
    std::vector<std::uint32_t> ended(continued_by_[request]);
    for (std::size_t i = 0; i < ended.size(); ++i) {
        ++never_;
        leave(ended[i], now);
        never(ended[i]);
        auto const& next = continued_by_[ended[i]];
        ended.insert(ended.end(), next.begin(), next.end());
    }
}

}  // namespace pimdse::sim::serving
