#include "dse/explain/closing.hpp"

#include <algorithm>
#include <array>

namespace pimdse::dse::explain {
namespace {

constexpr std::array<std::string_view, 5> way_names{"answered at cycle level", "closed by its bounds",
                                                    "closed by an equal key", "open", "infeasible at every level"};

std::optional<std::size_t> place_of(task::PointId point, std::vector<task::PointId> const& points) {
    auto const found = std::ranges::find(points, point);
    return found == points.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - points.begin()));
}

}  // namespace

std::string_view name_of(Closing::Way way) { return way_names[static_cast<std::size_t>(way)]; }

Closing closing_of(task::Certificate const& certificate, answers::ResultStore const& store, task::PointId point) {
    using Way = Closing::Way;
    if (auto const at = place_of(point, certificate.closed)) {
        Closing closing{Way::closed, certificate.witnesses[*at], {}};
        for (auto const& best : certificate.best) closing.best.push_back(best[*at]);
        return closing;
    }
    if (auto const at = place_of(point, certificate.twins)) return {Way::twin, certificate.representatives[*at]};
    if (place_of(point, certificate.open)) return {Way::open};
    return {store.contains({point, models::Fidelity::cycle}) ? Way::answered : Way::infeasible};
}

}  // namespace pimdse::dse::explain
