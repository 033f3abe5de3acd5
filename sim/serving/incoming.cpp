#include "sim/serving/incoming.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::sim::serving {
namespace {

constexpr double never_ends = std::numeric_limits<double>::infinity();

}  // namespace

IncomingRequests::IncomingRequests(ServiceLoad const& load) : load_(load), sessions_(has_sessions(load)) {
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

double IncomingRequests::next_time() const {
    bool const none = load_.concurrency > 0 || next_ == load_.requests.size();
    double const root = none ? never_ends : load_.requests[next_].arrival;
    return turns_.empty() ? root : std::min(root, turns_.top().first);
}

std::optional<IncomingRequests::Arrival> IncomingRequests::next_of_all(double now) {
    bool const closed = load_.concurrency > 0;
    double const root = next_ == load_.requests.size() ? never_ends
                        : !closed                      ? load_.requests[next_].arrival
                        : open_ < load_.concurrency    ? now
                                                       : never_ends;
    if (!turns_.empty() && turns_.top().first <= now && Timed(turns_.top()) < Timed(root, next_)) {
        auto const [time, request] = turns_.top();
        turns_.pop();
        return take(request, time);
    }
    if (!(root <= now)) return std::nullopt;
    auto const request = next_++;
    skip_turns();
    ++open_;
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

void IncomingRequests::leave(std::size_t request) {
    if (!sessions_ || --missing_[roots_[request]] == 0) --open_;
}

void IncomingRequests::complete(std::size_t request, double now) {
    ++left_;
    leave(request);
    if (!sessions_) return;
    for (auto const next : continued_by_[request]) {
        auto const& turn = load_.requests[next];
        turns_.emplace(std::max(turn.arrival, now + turn.after), next);
    }
}

void IncomingRequests::reject(std::size_t request, std::function<void(std::size_t)> const& never) {
    ++left_;
    leave(request);
    if (!sessions_) return;
    std::vector<std::uint32_t> ended(continued_by_[request]);
    for (std::size_t i = 0; i < ended.size(); ++i) {
        ++never_;
        leave(ended[i]);
        never(ended[i]);
        auto const& next = continued_by_[ended[i]];
        ended.insert(ended.end(), next.begin(), next.end());
    }
}

}  // namespace pimdse::sim::serving
