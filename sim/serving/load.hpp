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

    double arrival = 0.0;     ///< s; of one that continues another one, its earliest
    std::int64_t input = 1;   ///< tokens of the prompt
    std::int64_t output = 1;  ///< tokens that are generated
    /// The keys and values of the prompt arrive with the request, and its first token was yielded elsewhere: the next
    /// ones, of which there are `output` - 1, follow from it.
    bool has_prompt = false;
    std::uint32_t parent = none;  ///< number of an earlier request of the load that it continues
    double after = 0.0;           ///< s from the last token of its parent until it arrives, at least
    std::uint32_t path = none;    ///< number of its tokens in ServiceLoad::prefixes; none: it shares nothing
};

/// What the tokens of requests have in common, as a tree: a part of it is some tokens at a place, after those of the
/// parts before it. Requests are alike as far as they have the same parts.
struct Prefixes {
    struct Part {
        std::int64_t begin = 0, end = 0;  ///< positions
    };
    std::vector<Part> parts;
    std::vector<std::uint32_t> steps;   ///< parts of all paths, each from its beginning on
    std::vector<std::size_t> first{0};  ///< of each path in `steps`, and then their number

    [[nodiscard]] std::span<std::uint32_t const> path(std::uint32_t number) const {
        return std::span(steps).subspan(first[number], first[number + 1] - first[number]);
    }
    [[nodiscard]] std::size_t paths() const { return first.size() - 1; }
    /// Ends the path that `steps` has at its end; returns its number.
    std::uint32_t end_path() {
        first.push_back(steps.size());
        return static_cast<std::uint32_t>(first.size() - 2);
    }
};

/// The requests that a machine serves.
struct ServiceLoad {
    /// In the order of their arrival; those that continue another one stand somewhere behind it.
    std::vector<ServiceRequest> requests;
    /// Users who send their next request, or begin their next session, when the last one is complete: `arrival` does
    /// not count then. 0: requests arrive when they say.
    std::int64_t concurrency = 0;
    std::shared_ptr<Prefixes const> prefixes{};  ///< nullptr: no request has a path
};

/// Whether some request continues another one.
[[nodiscard]] bool has_sessions(ServiceLoad const& load);

/// Requests that continue none: sessions, or all requests if each stands for itself.
[[nodiscard]] std::int64_t sessions_in(ServiceLoad const& load);

/// s: when the last of them arrives by itself. Precondition: the load has requests.
[[nodiscard]] double last_arrival(ServiceLoad const& load);

/// Sessions per second of a load, or requests if each stands for itself: those that arrive after 0 s over the time of
/// the last one, where one that arrives at 0 begins the first gap. nullopt if all arrive at the same time, for a single
/// one, and if users wait.
[[nodiscard]] std::optional<double> rate_of(ServiceLoad const& load);

/// For each request, the number of the one that begins its session: its own, unless it continues another one.
[[nodiscard]] std::vector<std::uint32_t> roots_of(ServiceLoad const& load);

/// For each request, how many it continues, from 0.
[[nodiscard]] std::vector<std::uint32_t> turns_of(ServiceLoad const& load);

/// The requests with these numbers, which ascend and have a request's parent with it; users as many as are said.
[[nodiscard]] ServiceLoad part_of(ServiceLoad const& load, std::span<std::size_t const> numbers,
                                  std::int64_t concurrency);

/// The requests of a load `times` times, in the rhythm of their arrivals: the rate stays. All at the same time if they
/// are, and for users of a closed loop as many more. What is repeated shares no tokens with what it repeats.
[[nodiscard]] ServiceLoad repeated(ServiceLoad const& load, std::int64_t times);

}  // namespace pimdse::sim::serving
