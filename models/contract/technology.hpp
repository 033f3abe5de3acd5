#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/constant.hpp"
#include "sim/base/units.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// A row of models/technology.toml at a node, in SI; `lower` and `upper` are the ends of the stated range.
struct TechnologyRow {
    Constant constant;
    double lower = 0.0, upper = 0.0;
    std::string evidence;  ///< "measured", "claimed", "assumed"
    bool changed = false;  ///< by the user
};

/// The figures that architectures share, at one node, with the changes of the user. Throws InputError with file and
/// line for a file that is not as documented, with a suggestion for a node or row that does not exist.
class Technology {
  public:
    static Technology load(Assumptions const& assumptions);

    [[nodiscard]] TechnologyRow const& row(std::string_view name) const&;
    /// Returns a copy, because a reference would dangle if the table is a temporary that is loaded for one row.
    [[nodiscard]] TechnologyRow row(std::string_view name) &&;
    [[nodiscard]] std::map<std::string, TechnologyRow, std::less<>> const& all() const { return rows_; }

  private:
    std::map<std::string, TechnologyRow, std::less<>> rows_;
    std::string file_;
};

/// Power of a host that serves a machine, if `assumptions` include it in every energy; otherwise 0. Throws InputError.
[[nodiscard]] sim::Power included_host(Assumptions const& assumptions);

/// Names of the nodes of models/technology.toml, sorted.
[[nodiscard]] std::vector<std::string> node_names();

/// Supply voltage over clock: V(f) / V(f0) = floor + (1 - floor) f / f0, within a range of clocks.
struct Supply {
    sim::Frequency nominal;          ///< f0, at which energies are known
    double floor = 0.0;              ///< share of V(f0) that remains as f approaches 0, 0..1
    sim::Frequency lowest, highest;  ///< range of clocks for which this holds

    [[nodiscard]] bool allows(sim::Frequency clock) const { return clock.si >= lowest.si && clock.si <= highest.si; }
    [[nodiscard]] double voltage(sim::Frequency clock) const { return floor + (1.0 - floor) * (clock.si / nominal.si); }
    /// Energy of an operation relative to that at the nominal clock: V^2.
    [[nodiscard]] double energy_factor(sim::Frequency clock) const { return voltage(clock) * voltage(clock); }
};

}  // namespace pimdse::models
