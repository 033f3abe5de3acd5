#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pimdse::dse::uncertain {

/// What the command line adds to [uncertain].
struct UncertaintyFlags {
    std::optional<std::uint64_t> samples;  ///< instead of that of the file
    std::optional<std::uint64_t> seed;
};

/// Reads the table [uncertain] of a space; `file` names it in messages. Without such a table, every constant that is
/// marked as assumed has the range that its file states, or half to twice its value. nullopt if neither the file nor
/// the flags ask for samples; the rules of the machines are not consulted then. Throws InputError with every mistake
/// (file, line, suggestion).
[[nodiscard]] std::optional<Uncertainty> read_uncertainty(space::Space const& space, std::string const& file,
                                                          UncertaintyFlags const& flags);

}  // namespace pimdse::dse::uncertain
