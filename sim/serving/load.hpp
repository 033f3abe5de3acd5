#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::sim::serving {

/// A request of a language model.
struct ServiceRequest {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    double arrival = 0.0;     ///< s; earliest arrival if it has a parent
    std::int64_t input = 1;   ///< tokens of the prompt
    std::int64_t output = 1;  ///< tokens that are generated
    /// Another machine has computed the prompt and the first token: keys and values arrive with the request, and
    /// `output` - 1 tokens remain.
    bool has_prompt = false;
    std::uint32_t parent = none;  ///< number of an earlier request of the load that it continues
    double after = 0.0;           ///< s from the last token of its parent until it arrives, at least
    std::uint32_t path = none;    ///< number of its tokens in ServiceLoad::prefixes; none: it shares nothing
};

/// Shared beginnings of prompts as a prefix tree. A part is a run of tokens at fixed positions that follows the parts
/// before it. Two requests share the tokens of their common parts.
struct Prefixes {
    struct Part {
        std::int64_t begin = 0, end = 0;  ///< positions
    };
    std::vector<Part> parts;
    std::vector<std::uint32_t> steps;   ///< parts of all paths, one path after the other
    std::vector<std::size_t> first{0};  ///< start of each path in `steps`, then the size of `steps`

    [[nodiscard]] std::span<std::uint32_t const> path(std::uint32_t number) const {
        return std::span(steps).subspan(first[number], first[number + 1] - first[number]);
    }
    [[nodiscard]] std::size_t paths() const { return first.size() - 1; }
    /// Closes the path whose parts were appended to `steps`; returns its number.
    std::uint32_t end_path() {
        first.push_back(steps.size());
        return static_cast<std::uint32_t>(first.size() - 2);
    }
};

/// The requests that a machine serves.
struct ServiceLoad {
    /// In the order of arrival; a request with a parent stands behind its parent.
    std::vector<ServiceRequest> requests;
    /// Closed loop: number of users, who send the next request or begin the next session when the last one is complete;
    /// `arrival` is ignored. 0: open loop.
    std::int64_t concurrency = 0;
    std::shared_ptr<Prefixes const> prefixes{};  ///< nullptr: no request has a path
};

/// Whether some request continues another one.
[[nodiscard]] bool has_sessions(ServiceLoad const& load);

/// Number of requests without a parent: the sessions, or all requests if there are none.
[[nodiscard]] std::int64_t sessions_in(ServiceLoad const& load);

/// Arrival [s] of the last request without a parent. Precondition: the load has requests.
[[nodiscard]] double last_arrival(ServiceLoad const& load);

/// Rate [1/s] of the requests of sessions_in(): number of those that arrive after 0 s, over the time of the last
/// arrival; one that arrives at 0 s begins the first gap. nullopt if all arrive at the same time, for a single request,
/// and in a closed loop.
[[nodiscard]] std::optional<double> rate_of(ServiceLoad const& load);

/// For each request, the number of the one that begins its session: its own, unless it continues another one.
[[nodiscard]] std::vector<std::uint32_t> roots_of(ServiceLoad const& load);

/// For each request, its turn in its session, from 0.
[[nodiscard]] std::vector<std::uint32_t> turns_of(ServiceLoad const& load);

/// The requests with these numbers, which ascend and contain the parent of each; `concurrency` users.
[[nodiscard]] ServiceLoad part_of(ServiceLoad const& load, std::span<std::size_t const> numbers,
                                  std::int64_t concurrency);

/// The load repeated `times` times at the same rate. In a closed loop, the same users send all of the requests.
/// Repetitions share no tokens with each other.
[[nodiscard]] ServiceLoad repeated(ServiceLoad const& load, std::int64_t times);

}  // namespace pimdse::sim::serving
