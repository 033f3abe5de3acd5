#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::models {

/// How costs are determined; it never changes what is modelled. analytic: closed form; cycle: everything is simulated.
/// hybrid: of a search, the exact one; no level of an architecture (upmem had it until 0.1; old result files have it).
enum class Fidelity : std::uint8_t { analytic, hybrid, cycle };
inline constexpr std::array<std::string_view, 3> fidelity_names{"analytic", "hybrid", "cycle"};
[[nodiscard]] constexpr std::string_view name_of(Fidelity fidelity) {
    return fidelity_names[static_cast<std::size_t>(fidelity)];
}

}  // namespace pimdse::models
