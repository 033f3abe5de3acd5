#include "dse/strategy/ladder_answers.hpp"

#include "dse/space/space.hpp"
#include "dse/store/storage_error.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>

namespace pimdse::dse::strategy {
namespace {

std::string shown(models::Metric const& metric, double value) {
    double const as_it_is = metric.better == models::Sense::maximize ? -value : value;
    return fmt::format("{} ({})", sim::print_quantity(as_it_is, metric.unit), as_it_is);
}

}  // namespace

ladder::Reply reply_of(space::Space const& space, task::Answer const& fine) {
    using End = ladder::Reply::End;
    if (auto const* metrics = std::get_if<models::Metrics>(&fine.outcome))
        return {End::feasible, ladder::values_of(*metrics, space.objectives())};
    return {std::holds_alternative<models::Infeasible>(fine.outcome) ? End::infeasible : End::failed, {}};
}

void refuse(space::Space const& space, ladder::BrokenBound const& broken) {
    auto const& metric = space.metrics()[space.objectives()[broken.objective].metric];
    throw store::MismatchError(
        fmt::format("point {}: {} is {} at cycle level, better than {}, which is said to be proved (a bug of the "
                    "model: the front would be wrong). Use strategy 'sweep' meanwhile?",
                    index_of(broken.point), metric.name, shown(metric, broken.value), shown(metric, broken.low)));
}

void refuse(ladder::BrokenKey const& broken) {
    throw store::MismatchError(fmt::format("{} (a bug of the model: the front would be wrong)", broken.what()));
}

void turn_back(space::Space const& space, task::Certificate& certificate) {
    for (std::size_t i = 0; i < space.objectives().size(); ++i) {
        if (space.objectives()[i].better != models::Sense::maximize) continue;
        for (auto& best : certificate.best[i]) best = -best;
    }
}

}  // namespace pimdse::dse::strategy
