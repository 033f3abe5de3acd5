#include "dse/strategy/box_ladder.hpp"

#include "dse/ladder/box_search.hpp"
#include "dse/space/cycle_keys.hpp"
#include "dse/space/space.hpp"
#include "dse/strategy/ladder_answers.hpp"
#include "dse/strategy/space_grids.hpp"
#include "dse/strategy/twin_difference.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

constexpr std::uint64_t few_points = 1 << 17;  // listed in seconds
constexpr double worthwhile = 256;             // points per box at least
constexpr double most_boxes = 1 << 23;         // hundreds of bytes each

class BoxLadder final : public Strategy {
  public:
    explicit BoxLadder(space::Space const& space)
        : space_(space),
          grids_(space),
          search_(
              {.objectives = space.objectives().size(),
               .most_runs = space.search().budget,
               .epsilon = space.search().epsilon,
               .audit = space.search().audit,
               .seed = space.search().seed},
              grids_, [&space](task::PointId point) { return space::cycle_key(space, point); },
              [&space](task::PointId a, task::PointId b) { return difference_of_twins(space, a, b); }) {}

    task::Batch ask(std::uint64_t most) override {
        return guarded(space_, [&] {
            return task::Batch::list(search_.ask(std::min<std::uint64_t>(most, 1)), models::Fidelity::cycle);
        });
    }
    void tell(task::Answer const& answer) override {
        guarded(space_, [&] { search_.tell(answer.task.point, reply_of(space_, answer)); });
    }
    std::uint64_t lag() const override { return climb_lag; }
    bool waits() const override { return search_.waits(); }
    std::uint64_t planned() const override { return search_.runs(); }

    std::optional<task::Standing> standing() const override { return search_.standing(); }

    std::optional<task::Certificate> certificate() const override {
        auto certificate = search_.certificate();
        certificate.points = space_.size();
        certificate.grids = grids_.axes().numbering();
        certificate.lag = climb_lag;
        turn_back(space_, certificate);
        return certificate;
    }

  private:
    space::Space const& space_;
    SpaceGrids grids_;
    ladder::BoxSearch search_;
};

}  // namespace

bool has_worthwhile_boxes(space::Space const& space) {
    auto const points = static_cast<double>(space.size());
    return space.size() > few_points && SpaceAxes(space).least_boxes() * worthwhile <= points;
}

std::unique_ptr<Strategy> make_box_ladder(space::Space const& space) {
    SpaceAxes const axes(space);
    if (axes.least_boxes() > most_boxes)
        throw sim::InputError(fmt::format(
            "strategy 'ladder' would list {:.0f} boxes of {} points, because no direction is declared along {}. Use "
            "fewer values of these, other objectives, or strategy 'random'?",
            axes.least_boxes(), space.size(), fmt::join(axes.undeclared(), ", ")));
    return std::make_unique<BoxLadder>(space);
}

}  // namespace pimdse::dse::strategy
