#include "dse/search/strategies.hpp"

#include "dse/search/archive.hpp"
#include "dse/search/best_of_each.hpp"
#include "dse/search/bounded_search_strategy.hpp"
#include "dse/search/coded_search.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/search/sobol.hpp"
#include "dse/search/sweep.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/space/space.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::dse::search {

/// Wraps a strategy and stops it after so many consecutive results, in the order of tell(), that add nothing to the
/// hypervolume: earlier results dominate each of them, so this holds for every reference point. Throws InputError if
/// the strategy ends by itself, or if only fronts are kept.
[[nodiscard]] std::unique_ptr<Strategy> stopping_without_gain(std::unique_ptr<Strategy> strategy,
                                                              space::Space const& space);

namespace {

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

}  // namespace

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

std::unique_ptr<Strategy> stopping_without_gain(std::unique_ptr<Strategy> strategy, space::Space const& space) {
    auto const& name = space.search().strategy;
    if (name == "sweep" || name == "ladder" || name == "best")
        throw sim::InputError(
            fmt::format("strategy '{}' does not support stop_after_no_gain (it requests the points that it needs, in "
                        "an order of its own). Use strategy 'nsga2', 'pls', 'random' or 'sobol'?",
                        name));
    return std::make_unique<NoGain>(std::move(strategy), space);
}

}  // namespace pimdse::dse::search
