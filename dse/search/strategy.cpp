#include "dse/search/strategy.hpp"

#include "dse/search/archive.hpp"
#include "dse/search/best_of_each.hpp"
#include "dse/search/bounded_search_strategy.hpp"
#include "dse/search/coded_search.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/search/sobol.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/space/space.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

namespace pimdse::dse::search {
namespace {

constexpr std::uint64_t parts_bits = 6, max_parts = std::uint64_t{1} << parts_bits;
constexpr std::uint64_t smallest_part = 16;

/// Number of ids in a part of the plan: a 64th of it. If only fronts are kept, blocks of ids stay whole.
std::uint64_t ids_of_a_part(std::uint64_t planned, space::Keep keep) {
    std::uint64_t const unit = keep == space::Keep::front ? space::BlockSummary::ids : smallest_part;
    std::uint64_t const units = planned / unit + (planned % unit == 0 ? 0 : 1);
    return unit * ((units + max_parts - 1) / max_parts);
}

/// The number of a part with its bits reversed.
std::uint64_t reversed(std::uint64_t part) {
    std::uint64_t result = 0;
    for (std::uint64_t bit = 0; bit < parts_bits; ++bit) result |= (part >> bit & 1U) << (parts_bits - 1 - bit);
    return result;
}

/// Every id, in ranges of a 64th of them, in the order of van der Corput's sequence: at any time the results are spread
/// over the whole space, so that the rate so far is representative and the front is not that of one part of the space.
/// Non-adaptive.
class Sweep final : public Strategy {
  public:
    explicit Sweep(space::Space const& space)
        : positions_(shard_positions(space)),
          part_ids_(std::max<std::uint64_t>(1, ids_of_a_part(planned(), space.search().keep))),
          fidelity_(space.search().fidelity) {}

    space::Batch ask(std::uint64_t max) override {
        while (turn_ < max_parts && requested_of_part_ == ids_in(reversed(turn_))) {
            ++turn_;
            requested_of_part_ = 0;
        }
        if (turn_ == max_parts) return {};
        std::uint64_t const part = reversed(turn_);
        std::uint64_t const count = std::min(max, ids_in(part) - requested_of_part_);
        space::PointId const first{positions_.first + part * part_ids_ + requested_of_part_};
        requested_of_part_ += count;
        return space::Batch::range(first, count, fidelity_);
    }
    void tell(space::Result const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    [[nodiscard]] std::uint64_t ids_in(std::uint64_t part) const {
        std::uint64_t const before = std::min(planned(), part * part_ids_);
        return std::min(part_ids_, planned() - before);
    }

    Positions positions_;
    std::uint64_t part_ids_;
    models::Fidelity fidelity_;
    std::uint64_t turn_ = 0;               ///< turn of the current part; earlier parts were requested
    std::uint64_t requested_of_part_ = 0;  ///< number of ids requested of the current part
};

class Listed final : public Strategy {
  public:
    explicit Listed(std::vector<space::Task> tasks) : tasks_(std::move(tasks)) {}

    space::Batch ask(std::uint64_t max) override {
        if (next_ == tasks_.size()) return {};
        auto const fidelity = tasks_[next_].fidelity;  // a batch has one fidelity
        std::vector<space::PointId> points;
        for (; points.size() < max && next_ < tasks_.size() && tasks_[next_].fidelity == fidelity; ++next_)
            points.push_back(tasks_[next_].point);
        return space::Batch::list(std::move(points), fidelity);
    }
    void tell(space::Result const&) override {}
    std::uint64_t planned() const override { return tasks_.size(); }

  private:
    std::vector<space::Task> tasks_;
    std::size_t next_ = 0;
};

std::unique_ptr<Strategy> make_sweep(space::Space const& space) { return std::make_unique<Sweep>(space); }

/// The factories of space::strategies().
struct Maker {
    std::string_view name;
    std::unique_ptr<Strategy> (*make)(space::Space const&);
};

constexpr std::array makers{Maker{"sweep", &make_sweep},
                            Maker{"random", &make_random},
                            Maker{"sobol", &make_sobol},
                            Maker{"best", &make_best_of_each},
                            Maker{"ladder", &make_bounded_search},
                            Maker{"nsga2", &make_nsga2},
                            Maker{"pls", &make_pls}};

/// Stops a strategy after so many consecutive results, in the order of tell(), that add nothing to the hypervolume:
/// earlier results dominate each of them, so this holds for every reference point.
class NoGain final : public Strategy {
  public:
    NoGain(std::unique_ptr<Strategy> strategy, space::Space const& space)
        : inner_(std::move(strategy)), space_(space), front_(space.objectives().size()) {}

    space::Batch ask(std::uint64_t max) override {
        if (is_over()) return {};
        auto batch = inner_->ask(max);
        requested_ += batch.size();
        return batch;
    }
    void tell(space::Result const& result) override {
        if (inner_is_adaptive()) inner_->tell(result);
        bool const gained = gains(result);
        if (!is_over()) without_ = gained ? 0 : without_ + 1;
    }
    bool know(space::Result const& result) override {
        (void)gains(result);
        return inner_->know(result);
    }
    std::uint64_t lag() const override { return inner_is_adaptive() ? inner_->lag() : max_ahead; }
    bool waits() const override { return !is_over() && inner_->waits(); }
    std::uint64_t planned() const override { return is_over() ? requested_ : inner_->planned(); }
    std::optional<Certificate> certificate() const override { return inner_->certificate(); }
    std::string ending() const override {
        auto const inner = inner_->ending();
        if (!is_over()) return inner;
        auto const mine = fmt::format("stopped after {} results that added nothing to the hypervolume", without_);
        return inner.empty() ? mine : mine + "; " + inner;
    }

  private:
    static constexpr std::uint64_t max_ahead = 256;
    [[nodiscard]] bool inner_is_adaptive() const { return inner_->lag() != non_adaptive; }
    [[nodiscard]] bool is_over() const { return without_ >= space_.search().stop_after_no_gain; }

    [[nodiscard]] bool gains(space::Result const& result) {
        auto const* metrics = std::get_if<models::Metrics>(&result.outcome);
        if (metrics == nullptr) return false;
        auto const values = search::values_of(*metrics, space_.objectives());
        return front_.dominator(values) == nullptr && front_.insert({values, result.task.point});
    }

    std::unique_ptr<Strategy> inner_;
    space::Space const& space_;
    ParetoTree front_;
    std::uint64_t without_ = 0;  ///< results since the last gain
    std::uint64_t requested_ = 0;
};

/// Throws InputError if the strategy ends by itself.
std::unique_ptr<Strategy> stopping_without_gain(std::unique_ptr<Strategy> strategy, space::Space const& space) {
    auto const& name = space.search().strategy;
    if (name == "sweep" || name == "ladder" || name == "best")
        throw sim::InputError(
            "strategy '{}' does not support stop_after_no_gain (it requests the points that it needs, in "
            "an order of its own). Use strategy 'nsga2', 'pls', 'random' or 'sobol'?",
            name);
    return std::make_unique<NoGain>(std::move(strategy), space);
}

}  // namespace

Positions shard_positions(space::Space const& space) {
    auto const& search = space.search();
    std::uint64_t const planned = space.budget();
    auto const cut = [&](std::uint64_t part) {
        __extension__ using Wide = unsigned __int128;
        auto const at = static_cast<std::uint64_t>(static_cast<Wide>(planned) * part / search.shards);
        bool const inside_block =
            search.keep == space::Keep::front && part < search.shards;  // blocks are not split between shards
        return inside_block ? at - at % space::BlockSummary::ids : at;
    };
    return {cut(search.shard), cut(search.shard + 1)};
}

std::unique_ptr<Strategy> make_listed(std::vector<space::Task> tasks) {
    return std::make_unique<Listed>(std::move(tasks));
}

std::unique_ptr<Strategy> make_strategy(space::Space const& space) {
    auto const& search = space.search();
    space::check_strategy(search.strategy);
    space::check_epsilon(search.epsilon);
    space::check_bounds_settings(search);
    space::check_keep(search);
    auto const maker = std::ranges::find(makers, search.strategy, &Maker::name);
    sim::ensures(maker != makers.end(), "every strategy that can be named can be made");
    auto made = maker->make(space);
    return search.stop_after_no_gain == 0 ? std::move(made) : stopping_without_gain(std::move(made), space);
}

}  // namespace pimdse::dse::search
