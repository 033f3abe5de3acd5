#include "dse/strategy/ladder_search.hpp"

#include "dse/ladder/ladder.hpp"
#include "dse/space/cycle_keys.hpp"
#include "dse/space/space.hpp"
#include "dse/strategy/box_ladder.hpp"
#include "dse/strategy/coarse_corner.hpp"
#include "dse/strategy/ladder_answers.hpp"
#include "dse/strategy/twin_difference.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

constexpr std::uint64_t most_listed = 1 << 25;                             // points: tens of bytes each
constexpr std::uint64_t sweep_lag = 1 << 20, least_sweep = sweep_lag / 4;  // asked for in pieces worth handing out

void refuse_what_does_not_suit(space::Space const& space) {
    for (auto const* architecture : space.architectures()) {
        if (std::ranges::find(architecture->fidelities, models::Fidelity::cycle) != architecture->fidelities.end())
            continue;
        throw sim::InputError(fmt::format(
            "strategy 'ladder' finds the front of the cycle level, which {} does not have. Use strategy 'sweep'?",
            architecture->name));
    }
    if (space.search().shards > 1)
        throw sim::InputError(
            "strategy 'ladder' cannot be cut into shards (a point of one closes points of others). Use ranks, or "
            "strategy 'sweep'?");
}

ladder::Ladder::Settings ladder_settings(space::Space const& space) {
    auto const& search = space.search();
    return {space.objectives().size(), search.budget, search.epsilon, search.audit, search.seed};
}

class LadderSearch final : public Strategy {
  public:
    explicit LadderSearch(space::Space const& space)
        : space_(space),
          ladder_(
              ladder_settings(space), [&space](task::PointId point) { return space::cycle_key(space, point); },
              [&space](task::PointId a, task::PointId b) { return difference_of_twins(space, a, b); }) {}

    task::Batch ask(std::uint64_t most) override {
        if (!all_asked()) return sweep(most);
        if (!all_told()) return {};
        return guarded(space_, [&] {
            return task::Batch::list(ladder_.ask(std::min<std::uint64_t>(most, 1)), models::Fidelity::cycle);
        });
    }

    void tell(task::Answer const& answer) override {
        if (!all_told()) return list(answer);
        guarded(space_, [&] { ladder_.tell(answer.task.point, reply_of(space_, answer)); });
    }

    std::uint64_t lag() const override { return all_told() ? climb_lag : sweep_lag; }
    std::uint64_t planned() const override { return space_.size() + ladder_.runs(); }

    std::optional<task::Standing> standing() const override {
        auto standing = ladder_.standing();
        standing.open += space_.size() - told_;
        return standing;
    }

    std::optional<task::Certificate> certificate() const override {
        auto certificate = ladder_.certificate();
        certificate.points = space_.size();
        certificate.infeasible = infeasible_;
        certificate.lag = climb_lag;
        for (std::uint64_t id = told_; id < space_.size(); ++id) certificate.open.push_back(task::PointId{id});
        turn_back(space_, certificate);
        return certificate;
    }

  private:
    [[nodiscard]] bool all_asked() const { return asked_ == space_.size(); }
    [[nodiscard]] bool all_told() const { return told_ == space_.size(); }

    task::Batch sweep(std::uint64_t most) {
        std::uint64_t const left = space_.size() - asked_;
        if (most < std::min(left, least_sweep)) return {};
        std::uint64_t const count = std::min(most, left);
        asked_ += count;
        return task::Batch::range(task::PointId{asked_ - count}, count, models::Fidelity::analytic);
    }

    void list(task::Answer const& answer) {
        ++told_;
        if (auto const corner = coarse_corner(space_, answer))
            ladder_.add(answer.task.point, *corner);
        else
            ++infeasible_;
    }

    space::Space const& space_;
    ladder::Ladder ladder_;
    std::uint64_t asked_ = 0, told_ = 0;  ///< of the sweep
    std::uint64_t infeasible_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_ladder(space::Space const& space) {
    refuse_what_does_not_suit(space);
    if (space.size() > most_listed || has_worthwhile_boxes(space)) return make_box_ladder(space);
    return std::make_unique<LadderSearch>(space);
}

}  // namespace pimdse::dse::strategy
