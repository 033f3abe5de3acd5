#include "dse/strategy/ladder_search.hpp"

#include "dse/ladder/broken.hpp"
#include "dse/ladder/ladder.hpp"
#include "dse/space/cycle_keys.hpp"
#include "dse/space/space.hpp"
#include "dse/store/storage_error.hpp"
#include "dse/strategy/coarse_corner.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

constexpr std::uint64_t most_listed = 1 << 25;                             // points: tens of bytes each
constexpr std::uint64_t sweep_lag = 1 << 20, least_sweep = sweep_lag / 4;  // asked for in pieces worth handing out
constexpr std::uint64_t climb_lag = 256;

void refuse_what_does_not_suit(space::Space const& space) {
    for (auto const* architecture : space.architectures()) {
        if (std::ranges::find(architecture->fidelities, models::Fidelity::cycle) != architecture->fidelities.end())
            continue;
        throw sim::InputError(fmt::format(
            "strategy 'ladder' finds the front of the cycle level, which {} does not have. Use strategy 'sweep'?",
            architecture->name));
    }
    if (space.size() > most_listed)
        throw sim::InputError(
            fmt::format("strategy 'ladder' lists every point, at most {}, and the space has {}. Use fewer values, or "
                        "strategy 'random'?",
                        most_listed, space.size()));
    if (space.search().shards > 1)
        throw sim::InputError(
            "strategy 'ladder' cannot be cut into shards (a point of one closes points of others). Use ranks, or "
            "strategy 'sweep'?");
}

std::string shown(models::Metric const& metric, double value) {
    double const as_it_is = metric.better == models::Sense::maximize ? -value : value;
    return fmt::format("{} ({})", sim::print_quantity(as_it_is, metric.unit), as_it_is);
}

class LadderSearch final : public Strategy {
  public:
    explicit LadderSearch(space::Space const& space)
        : space_(space), ladder_({space.objectives().size(), space.search().budget}, [&space](task::PointId point) {
              return space::cycle_key(space, point);
          }) {}

    task::Batch ask(std::uint64_t most) override {
        if (!all_asked()) return sweep(most);
        if (!all_told()) return {};
        return task::Batch::list(ladder_.ask(std::min<std::uint64_t>(most, 1)), models::Fidelity::cycle);
    }

    void tell(task::Answer const& answer) override {
        if (!all_told()) return list(answer);
        try {
            ladder_.tell(answer.task.point, reply_of(answer));
        } catch (ladder::BrokenBound const& broken) {
            refuse(broken);
        } catch (ladder::BrokenKey const& broken) {
            throw store::MismatchError(fmt::format("{} (a bug of the model: the front would be wrong)", broken.what()));
        }
    }

    std::uint64_t lag() const override { return all_told() ? climb_lag : sweep_lag; }
    std::uint64_t planned() const override { return space_.size() + ladder_.runs(); }

    std::optional<task::Certificate> certificate() const override {
        auto certificate = ladder_.certificate();
        certificate.points = space_.size();
        certificate.infeasible = infeasible_;
        certificate.lag = climb_lag;
        for (std::uint64_t id = told_; id < space_.size(); ++id) certificate.open.push_back(task::PointId{id});
        for (std::size_t i = 0; i < space_.objectives().size(); ++i) {
            if (space_.objectives()[i].better != models::Sense::maximize) continue;
            for (auto& best : certificate.best[i]) best = -best;
        }
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

    ladder::Reply reply_of(task::Answer const& answer) const {
        using End = ladder::Reply::End;
        if (auto const* metrics = std::get_if<models::Metrics>(&answer.outcome))
            return {End::feasible, ladder::values_of(*metrics, space_.objectives())};
        return {std::holds_alternative<models::Infeasible>(answer.outcome) ? End::infeasible : End::failed, {}};
    }

    [[noreturn]] void refuse(ladder::BrokenBound const& broken) const {
        auto const& metric = space_.metrics()[space_.objectives()[broken.objective].metric];
        throw store::MismatchError(
            fmt::format("point {}: {} is {} at cycle level, better than {}, which is said to be proved (a bug of the "
                        "model: the front would be wrong). Use strategy 'sweep' meanwhile?",
                        index_of(broken.point), metric.name, shown(metric, broken.value), shown(metric, broken.low)));
    }

    space::Space const& space_;
    ladder::Ladder ladder_;
    std::uint64_t asked_ = 0, told_ = 0;  ///< of the sweep
    std::uint64_t infeasible_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_ladder(space::Space const& space) {
    refuse_what_does_not_suit(space);
    return std::make_unique<LadderSearch>(space);
}

}  // namespace pimdse::dse::strategy
