#pragma once

#include "dse/search/certificate.hpp"
#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// The shortest and the longest time [s] that the rest of a search is expected to take.
struct TimeLeft {
    double least = 0.0, most = 0.0;
    TimeLeft operator+(TimeLeft const& other) const { return {least + other.least, most + other.most}; }
};

/// Decides which points are evaluated next. Owns all randomness (a hash of seed and counter), so that its requests
/// depend only on the results passed to tell().
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// Returns up to `max` points to evaluate. An empty batch means that results are needed first; if no result is
    /// outstanding, it ends the search, unless waits() is true.
    [[nodiscard]] virtual space::Batch ask(std::uint64_t max) = 0;
    /// Passes the next result, in the order of the requests. Not called for a non-adaptive strategy.
    virtual void tell(space::Result const& result) = 0;
    /// Passes a result of an earlier search, before the first ask(). False: the strategy does not use such results.
    virtual bool know(space::Result const&) { return false; }
    /// The largest number of requested points without a result. The points requested next depend on the first results,
    /// up to this many before the last one, independently of the speed of evaluation. `non_adaptive`: the strategy
    /// ignores results, so that it may be asked at any time.
    [[nodiscard]] virtual std::uint64_t lag() const { return non_adaptive; }
    static constexpr std::uint64_t non_adaptive = std::numeric_limits<std::uint64_t>::max();
    /// True if the strategy may request more points although all results were passed to it.
    [[nodiscard]] virtual bool waits() const { return false; }
    /// The total number of points that the strategy will request, as far as it is known.
    [[nodiscard]] virtual std::uint64_t planned() const = 0;
    /// Sum of Result::seconds of the points without a result, if points that are still to come cost other times than
    /// those before them, or if results decide how many there are; not numbers if nothing tells yet.
    [[nodiscard]] virtual std::optional<TimeLeft> seconds_left() const { return std::nullopt; }
    /// The certificate that the front so far is the front of all points, for strategies that do not evaluate all
    /// points.
    [[nodiscard]] virtual std::optional<Certificate> certificate() const { return std::nullopt; }
    /// The progress of a search that prunes points by bounds.
    [[nodiscard]] virtual std::optional<Standing> standing() const { return std::nullopt; }
    /// A sentence on how the search ended; "" if there is nothing to report.
    [[nodiscard]] virtual std::string ending() const { return {}; }
};

/// The positions [first, last) of this shard in a plan of min(budget, size of the space) points.
struct Positions {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};
[[nodiscard]] Positions shard_positions(space::Space const& space);

/// Requests these tasks in this order, and nothing else.
[[nodiscard]] std::unique_ptr<Strategy> make_listed(std::vector<space::Task> tasks);

/// Creates the strategy named in the space's search settings.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(space::Space const& space);

}  // namespace pimdse::dse::search
