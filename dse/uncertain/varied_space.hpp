#pragma once

#include "dse/space/machine.hpp"
#include "dse/space/space.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace pimdse::dse::uncertain {

/// The machine at this position of a space, with its baseline, under other values of constants; the points and their
/// numbers stay. Throws InputError if a rule of the machine does not allow the values.
[[nodiscard]] space::Machine varied_machine(space::Machine const& machine, std::size_t position,
                                            std::span<UncertainConstant const> constants, Settings const& settings);

/// The whole space under other values of constants. Throws as varied_machine.
[[nodiscard]] space::Space varied_space(space::Space const& space, std::span<UncertainConstant const> constants,
                                        Settings const& settings);

/// The sentences of the rules by which a machine that reads one of the constants `those` refuses the settings.
[[nodiscard]] std::vector<std::string> refusals_of(space::Space const& space,
                                                   std::span<UncertainConstant const> constants,
                                                   std::span<std::size_t const> those, Settings const& settings);

/// Whether the machine at this position reads the constant.
[[nodiscard]] bool reads(UncertainConstant const& constant, std::size_t machine);

}  // namespace pimdse::dse::uncertain
