#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Where a published value comes from.
enum class Evidence {
    measured,   ///< on a device that exists
    simulated,  ///< by a program of the authors that can be run again
    claimed,    ///< printed by the authors; how it came about cannot be repeated
    arithmetic  ///< by us, from published figures
};
inline constexpr std::array<std::string_view, 4> evidence_names{"measured", "simulated", "claimed", "arithmetic"};
[[nodiscard]] constexpr std::string_view name_of(Evidence evidence) {
    return evidence_names.at(static_cast<std::size_t>(evidence));
}

/// A claim of a paper that an architecture does not model, and why.
struct UnmodelledClaim {
    std::string claim, reason;
};

/// A publication whose figures an architecture is held against.
struct Paper {
    std::string name;  ///< as tables call it: "UMDAM"
    std::string title, authors;
    int year = 0;
    std::string identifier;                 ///< DOI, arXiv number, address of a page or repository
    std::vector<std::string> sources;       ///< what the `source` of its figures begins with
    Evidence evidence = Evidence::claimed;  ///< of figures that say nothing else
    std::vector<UnmodelledClaim> not_modelled;
};

}  // namespace pimdse::models
