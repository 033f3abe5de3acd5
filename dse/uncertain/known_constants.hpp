#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::uncertain {

/// A number that [uncertain] may name, without a distribution yet.
struct KnownConstant {
    UncertainConstant constant;  ///< name, unit, nominal value and bindings
    bool assumed = false;
    bool parameter = false;                         ///< a parameter with one value, which no pattern matches
    double stated_lower = 0.0, stated_upper = 0.0;  ///< the range that its file states, in SI; both 0: none
    bool may_be_zero = false;
};

/// Everything that the machines of a space read: ARCHITECTURE.NAME for constants of a machine and for its parameters
/// with one value, technology.ROW for rows that replace constants when machines are compared, links.NAME if machines
/// may form groups, economy.NAME if costs matter. Sorted by name. Throws InputError.
[[nodiscard]] std::vector<KnownConstant> known_constants(space::Space const& space);

/// Why machines read no constant of the shared table with which a name or a pattern begins ("economy.reticle"); "" if
/// they do, or if it begins with none.
[[nodiscard]] std::string why_unread(space::Space const& space, std::string_view name);

/// Whether a name or a pattern (`*` stands for any characters; PREFIX.assumed for every assumed constant that PREFIX.*
/// matches) selects the constant.
[[nodiscard]] bool selects(std::string_view pattern, KnownConstant const& known);
[[nodiscard]] bool is_pattern(std::string_view text);

}  // namespace pimdse::dse::uncertain
