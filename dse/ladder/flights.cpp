#include "dse/ladder/flights.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::dse::ladder {

Flight Flights::land(task::PointId point) {
    auto const at = std::ranges::find(flights_, point, &Flight::point);
    sim::expects(at != flights_.end(), "what is told was asked for");
    Flight flight = std::move(*at);
    flights_.erase(at);
    return flight;
}

Flight const* Flights::blocker_of(task::PointId least, Values const& corner) const {
    for (auto flight = flights_.rbegin(); flight != flights_.rend(); ++flight) {
        if (covers(flight->corner, flight->point, corner, least, objectives_)) return &*flight;
    }
    return nullptr;
}

Flight* Flights::blocker_of(task::PointId least, Values const& corner) {
    return const_cast<Flight*>(static_cast<Flights const*>(this)->blocker_of(least, corner));
}

Flight* Flights::with(models::CycleKey key) {
    auto const at = std::ranges::find(flights_, key, &Flight::key);
    return at != flights_.end() ? &*at : nullptr;
}

}  // namespace pimdse::dse::ladder
