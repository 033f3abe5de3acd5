#include "dse/strategy/no_gain.hpp"

#include "dse/front/pareto_tree.hpp"
#include "dse/ladder/corner.hpp"
#include "dse/space/space.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

class NoGain final : public Strategy {
  public:
    NoGain(std::unique_ptr<Strategy> strategy, space::Space const& space)
        : inner_(std::move(strategy)), space_(space), front_(space.objectives().size()) {}

    task::Batch ask(std::uint64_t most) override {
        if (is_over()) return {};
        auto batch = inner_->ask(most);
        asked_ += batch.size();
        return batch;
    }
    void tell(task::Answer const& answer) override {
        if (inner_listens()) inner_->tell(answer);
        bool const gained = gains(answer);
        if (!is_over()) without_ = gained ? 0 : without_ + 1;
    }
    bool know(task::Answer const& answer) override {
        (void)gains(answer);
        return inner_->know(answer);
    }
    std::uint64_t lag() const override { return inner_listens() ? inner_->lag() : most_ahead; }
    bool waits() const override { return !is_over() && inner_->waits(); }
    std::uint64_t planned() const override { return is_over() ? asked_ : inner_->planned(); }
    std::optional<task::Certificate> certificate() const override { return inner_->certificate(); }
    std::string ending() const override {
        auto const inner = inner_->ending();
        if (!is_over()) return inner;
        auto const mine = fmt::format("stopped after {} answers that added nothing to the hypervolume", without_);
        return inner.empty() ? mine : mine + "; " + inner;
    }

  private:
    static constexpr std::uint64_t most_ahead = 256;
    [[nodiscard]] bool inner_listens() const { return inner_->lag() != deaf; }
    [[nodiscard]] bool is_over() const { return without_ >= space_.search().stop_after_no_gain; }

    [[nodiscard]] bool gains(task::Answer const& answer) {
        auto const* metrics = std::get_if<models::Metrics>(&answer.outcome);
        if (metrics == nullptr) return false;
        auto const values = ladder::values_of(*metrics, space_.objectives());
        return front_.cover(values) == nullptr && front_.insert({values, answer.task.point});
    }

    std::unique_ptr<Strategy> inner_;
    space::Space const& space_;
    front::ParetoTree front_;
    std::uint64_t without_ = 0;  ///< answers since the last gain
    std::uint64_t asked_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> stopping_without_gain(std::unique_ptr<Strategy> strategy, space::Space const& space) {
    auto const& name = space.search().strategy;
    if (name == "sweep" || name == "ladder")
        throw sim::InputError(
            fmt::format("strategy '{}' does not stop for want of gain (it asks for what it needs, in "
                        "an order of its own). Use strategy 'nsga2', 'pls', 'random' or 'sobol'?",
                        name));
    return std::make_unique<NoGain>(std::move(strategy), space);
}

}  // namespace pimdse::dse::strategy
