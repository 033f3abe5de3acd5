#include "models/economy/laws.hpp"

#include <cmath>
#include <numbers>

namespace pimdse::models::economy {

double dies_per_wafer(sim::Area die, double wafer_diameter) {
    double const radius = wafer_diameter / 2.0;
    return std::numbers::pi * radius * radius / die.si - std::numbers::pi * wafer_diameter / std::sqrt(2.0 * die.si);
}

double yield_of(sim::Area die, double defects, double cluster) {
    return std::pow(1.0 + die.si * defects / cluster, -cluster);
}

double package_by_share(double dies, double share) { return dies * share / (1.0 - share); }

double write_off_rate(sim::Time lifetime, double utilisation) { return 1.0 / (lifetime.si * utilisation); }

double idle_share(double utilisation) { return (1.0 - utilisation) / utilisation; }

}  // namespace pimdse::models::economy
