#include "sim/serving/timeline.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pimdse::sim::serving {
namespace {

/// Intervals of equal length, and the part of each that a time from one point to another takes.
class Intervals {
  public:
    Intervals(double begin, double end, std::int64_t count)
        : begin_(begin), width_((end - begin) / as_double(count)), list_(static_cast<std::size_t>(count)) {
        for (std::size_t i = 0; i < list_.size(); ++i) {
            list_[i].start = at(i);
            list_[i].end = i + 1 == list_.size() ? end : at(i + 1);
        }
    }

    /// The interval of a point in time; the end belongs to the last one.
    [[nodiscard]] std::size_t of(double time) const {
        double const place = std::floor((time - begin_) / width_);
        return static_cast<std::size_t>(std::clamp(place, 0.0, as_double(count()) - 1.0));
    }
    [[nodiscard]] TimelineInterval& operator[](std::size_t i) { return list_[i]; }

    /// Calls `add(interval, seconds)` for each interval that the time from `from` to `to` meets.
    template <class Add>
    void spread(double from, double to, Add const& add) {
        for (std::size_t i = of(from); i < list_.size() && list_[i].start < to; ++i) {
            double const seconds = std::min(to, list_[i].end) - std::max(from, list_[i].start);
            if (seconds > 0.0) add(list_[i], seconds);
        }
    }

    std::vector<TimelineInterval> finished() && { return std::move(list_); }

  private:
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(list_.size()); }
    [[nodiscard]] double at(std::size_t i) const { return begin_ + width_ * as_double(static_cast<std::int64_t>(i)); }
    double begin_, width_;
    std::vector<TimelineInterval> list_;
};

}  // namespace

std::vector<TimelineInterval> timeline_of(Schedule const& schedule, std::span<EngineActivity const> activities,
                                          std::int64_t intervals) {
    expects(intervals > 0, "a timeline has intervals");
    if (activities.empty() || !(schedule.end > schedule.requests.front().arrival)) return {};
    Intervals parts(schedule.requests.front().arrival, schedule.end, intervals);
    for (auto const& request : schedule.requests) {
        ++parts[parts.of(request.arrival)].arrivals;
        if (request.rejected) continue;
        parts.spread(request.arrival, request.last_token,
                     [](TimelineInterval& part, double seconds) { part.waiting += seconds; });
    }
    double const engines = as_double(schedule.engines);
    for (auto const& did : activities) {
        parts.spread(did.start, did.end, [&](TimelineInterval& part, double seconds) {
            part.running += as_double(did.running) * seconds;
            part.cache_share += as_double(did.blocks) / as_double(did.cache_blocks) / engines * seconds;
            part.tokens_per_second += as_double(did.tokens) * seconds / (did.end - did.start);
        });
    }
    auto list = std::move(parts).finished();
    for (auto& part : list) {
        double const width = part.end - part.start;
        // A request that was admitted is in the engine until its last token; all others of the system wait.
        part.waiting = std::max(0.0, part.waiting - part.running) / width;
        part.running /= width;
        part.cache_share /= width;
        part.tokens_per_second /= width;
    }
    return list;
}

}  // namespace pimdse::sim::serving
