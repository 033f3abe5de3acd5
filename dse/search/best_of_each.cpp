#include "dse/search/best_of_each.hpp"

#include "dse/search/ideal_point.hpp"
#include "dse/space/requested_machine.hpp"
#include "dse/space/space.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::dse::search {
namespace {

/// A value of the objective, minimised, and the id of its point.
using Ranked = std::pair<double, std::uint64_t>;

/// The best that the objective of a point may be; that of points that are not sure to have one is unknown, which comes
/// first.
double best_of(space::Space const& space, std::size_t at, std::uint64_t id) {
    constexpr double unknown = -std::numeric_limits<double>::infinity();
    auto const point = space.point(space::PointId{id});
    auto known = space::known_before_serving(space.machines()[at], point, space.search().fidelity);
    auto* metrics = std::get_if<models::Metrics>(&known);
    if (metrics == nullptr) return unknown;
    return ideal_point_of(space.placed(at, std::move(*metrics)), space.objectives()).lower[0];
}

class BestOfEach final : public Strategy {
  public:
    explicit BestOfEach(space::Space const& space) : space_(space) {
        auto const machines = space.machines().size();
        for (std::size_t m = 0; m < machines; ++m) {
            auto const first = space.first_of(m);
            auto const last = m + 1 < machines ? space.first_of(m + 1) : space.size();
            auto& queue = queues_.emplace_back(space.search().within);
            queue.points.resize(last - first);
            tbb::parallel_for(tbb::blocked_range<std::size_t>(0, queue.points.size()), [&](auto const& part) {
                for (auto i = part.begin(); i != part.end(); ++i)
                    queue.points[i] = {best_of(space_, m, first + i), first + i};
            });
            queue.sort();
        }
    }

    space::Batch ask(std::uint64_t max) override {
        std::vector<space::PointId> points;
        for (std::size_t ended = 0; points.size() < max && ended < queues_.size(); turn_ = (turn_ + 1) % queues_.size())
            if (auto const point = queues_[turn_].take()) {
                points.push_back(space::PointId{*point});
                ended = 0;
            } else {
                ++ended;
            }
        requested_ += points.size();
        return space::Batch::list(std::move(points), space_.search().fidelity);
    }

    void tell(space::Result const& result) override {
        auto& queue = queues_[space_.machine_of(result.task.point)];
        queue.spend(result.seconds);
        if (auto const* metrics = std::get_if<models::Metrics>(&result.outcome))
            queue.see(values_of(*metrics, space_.objectives())[0]);
    }

    /// Results decide the next requests up to this many before.
    [[nodiscard]] std::uint64_t lag() const override { return in_flight; }
    [[nodiscard]] std::uint64_t planned() const override {
        auto planned = requested_;
        for (auto const& queue : queues_) planned += queue.left();
        return planned;
    }
    /// Not numbers while no point was served: what is refused before says nothing of it.
    [[nodiscard]] std::optional<TimeLeft> seconds_left() const override {
        Times served;
        for (auto const& queue : queues_) served.add(queue.served);
        TimeLeft all;
        for (auto const& queue : queues_) all = all + queue.seconds_left(served.mean());
        return all;
    }
    [[nodiscard]] std::string ending() const override {
        auto pruned = space_.size() - requested_;
        for (auto const& queue : queues_) pruned -= queue.left();
        return pruned == 0 ? ""
                           : fmt::format("{} of {} points cannot be the best of their machine: known before they serve",
                                         pruned, space_.size());
    }

  private:
    static constexpr std::uint64_t in_flight = 64;

    /// Times of results, s; the last ones use what those before them found out, or serve for longer.
    class Times {
      public:
        void see(double seconds) {
            constexpr double memory = 32;
            sum_ += seconds;
            recent_ += (seconds - recent_) / std::min(++count_, memory);
        }
        void add(Times const& other) {
            sum_ += other.sum_;
            count_ += other.count_;
        }
        /// Not a number while none is known.
        [[nodiscard]] double mean() const { return sum_ / count_; }
        /// Of so many results to come, by the mean of all or of the last ones; `usual`: of one while none is known.
        [[nodiscard]] TimeLeft of(std::uint64_t results, double usual) const {
            if (results == 0) return {};
            auto const each = count_ > 0.0 ? std::minmax({mean(), recent_}) : std::pair(usual, usual);
            return {static_cast<double>(results) * each.first, static_cast<double>(results) * each.second};
        }

      private:
        double sum_ = 0.0, recent_ = 0.0, count_ = 0.0;
    };

    /// The points of a machine, the most promising first; before them those that nothing is known of, most of which are
    /// refused before they serve.
    class Queue {
      public:
        explicit Queue(double within) : within_(std::max(within, equal_share)) {}
        std::vector<Ranked> points;
        Times refused, served;

        void sort() {
            std::ranges::sort(points);
            first_served_ = std::ranges::count_if(points, [](Ranked const& one) { return std::isinf(one.first); });
        }

        /// Points that may still be the best, or near it: the first ones of those left.
        [[nodiscard]] std::uint64_t left() const {
            auto const begin = points.begin() + static_cast<std::ptrdiff_t>(next_);
            auto const end = std::ranges::upper_bound(begin, points.end(), max_, {}, &Ranked::first);
            return static_cast<std::uint64_t>(end - begin);
        }
        /// The least is for a machine that has no result yet, whose next point may be the best one. `usual`: the time
        /// of a point that serves, where none of this machine did.
        [[nodiscard]] TimeLeft seconds_left(double usual) const {
            auto const all = left() + next_ - told_;
            auto const unserved = std::min<std::uint64_t>(first_served_ - std::min(told_, first_served_), all);
            auto const serve = all - unserved, sure = std::isinf(max_) ? std::min<std::uint64_t>(serve, 1) : serve;
            return refused.of(unserved, 0.0) + TimeLeft{served.of(sure, usual).least, served.of(serve, usual).most};
        }
        std::optional<std::uint64_t> take() {
            if (next_ == points.size() || points[next_].first > max_) return std::nullopt;
            return points[next_++].second;
        }
        void spend(double seconds) { (told_++ < first_served_ ? refused : served).see(seconds); }
        void see(double found) { max_ = std::min(max_, found + within_ * std::abs(found)); }

      private:
        double within_;
        std::size_t next_ = 0, told_ = 0, first_served_ = 0;
        double max_ = std::numeric_limits<double>::infinity();  ///< points that are sure to be above are left out
    };

    space::Space const& space_;
    std::vector<Queue> queues_;  ///< by machine
    std::size_t turn_ = 0;
    std::uint64_t requested_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_best_of_each(space::Space const& space) {
    auto const& search = space.search();
    if (space.objectives().size() != 1)
        throw sim::InputError(
            "strategy 'best' finds the best design in one objective, and there are {}. Use strategy "
            "'sweep' for the front of several?",
            space.objectives().size());
    if (search.budget != 0 || search.shards > 1 || search.keep == space::Keep::front)
        throw sim::InputError(
            "strategy 'best' decides every point and keeps what it evaluates: it takes no budget, no shard and no keep "
            "= \"front\". Use strategy 'sweep'?");
    return std::make_unique<BestOfEach>(space);
}

}  // namespace pimdse::dse::search
