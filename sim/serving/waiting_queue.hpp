#pragma once

#include "sim/serving/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {

/// Requests that arrived and are not admitted.
class WaitingQueue {
  public:
    explicit WaitingQueue(AdmissionOrder policy) : policy_(policy) {}
    void arrive(std::size_t request, std::int64_t input) {
        fresh_.emplace(policy_ == AdmissionOrder::fcfs ? 0 : input, arrived_.size());
        arrived_.push_back(request);
    }
    void return_to_front(std::size_t request) { preempted_.push_front(request); }
    [[nodiscard]] bool empty() const { return preempted_.empty() && fresh_.empty(); }
    [[nodiscard]] std::size_t size() const { return preempted_.size() + fresh_.size(); }
    [[nodiscard]] std::size_t front() const {
        return preempted_.empty() ? arrived_[fresh_.top().second] : preempted_.front();
    }
    void pop() {
        if (preempted_.empty())
            fresh_.pop();
        else
            preempted_.pop_front();
    }
    /// Whether a request that arrives now may come before those that wait.
    [[nodiscard]] bool lets_pass() const {
        return fresh_.empty() ? preempted_.empty() : policy_ != AdmissionOrder::fcfs && preempted_.empty();
    }

  private:
    using Ranked = std::pair<std::int64_t, std::size_t>;  // length or 0, and place in the order of arrival
    AdmissionOrder policy_;
    std::vector<std::size_t> arrived_;
    std::deque<std::size_t> preempted_;
    std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> fresh_;
};

}  // namespace pimdse::sim::serving
