#pragma once

#include "sim/serving/load.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {

/// Requests of a load as they arrive: by themselves, when a user is free, or after the last token of their parent.
class IncomingRequests {
  public:
    struct Arrival {
        std::size_t request = 0;
        double time = 0.0;  ///< s
    };

    explicit IncomingRequests(ServiceLoad const& load);

    /// Time at which the next request arrives by itself, of a user, or after its parent; infinite if none does.
    [[nodiscard]] double next_time() const;
    /// The next request that has arrived at `now`, in the order of arrival; nullopt if there is none.
    [[nodiscard]] std::optional<Arrival> next(double now) {
        bool const may_arrive = !turns_.empty() || load_.concurrency > 0 ||
                                (next_ < load_.requests.size() && load_.requests[next_].arrival <= now);
        return may_arrive ? next_of_all(now) : std::nullopt;
    }
    /// A request that had arrived is complete.
    void complete(std::size_t request, double now);
    /// A request that had arrived is rejected. Those that continue it never arrive: `never` is told their numbers.
    void reject(std::size_t request, double now, std::function<void(std::size_t)> const& never);

    [[nodiscard]] std::size_t arrived() const { return arrived_; }
    /// Number of the request that arrived as the i-th, from 0.
    [[nodiscard]] std::size_t at(std::size_t i) const { return sessions_ ? order_[i] : i; }
    /// Whether no request is in service or will arrive.
    [[nodiscard]] bool over() const { return left_ + never_ == load_.requests.size(); }

  private:
    using Timed = std::pair<double, std::size_t>;
    [[nodiscard]] std::optional<Arrival> next_of_all(double now);
    [[nodiscard]] Arrival take(std::size_t request, double time);
    void leave(std::size_t request, double now);
    [[nodiscard]] double next_root() const;
    void skip_turns();

    ServiceLoad const& load_;
    bool sessions_;
    std::size_t next_ = 0;  ///< the next request that continues none
    std::size_t arrived_ = 0, left_ = 0, never_ = 0;
    template <class Element>
    using Earliest = std::priority_queue<Element, std::vector<Element>, std::greater<>>;
    Earliest<Timed> turns_;  ///< that arrive after their parents
    Earliest<double> free_;  ///< of a closed loop: since when users are
    // Of sessions:
    std::vector<std::size_t> order_;
    std::vector<std::uint32_t> roots_;
    std::vector<std::int64_t> missing_;  ///< by root: requests of its session that are not over
    std::vector<std::vector<std::uint32_t>> continued_by_;
};

}  // namespace pimdse::sim::serving
