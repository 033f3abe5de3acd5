#pragma once

#include "models/text/machine.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Which values the numbers of a machine file may have: a mistake of the file where nothing can change one, otherwise
/// a point that cannot be built.
namespace pimdse::models::text {

/// The value of a key of a part at a point; nullopt: the number is none that the key may have.
[[nodiscard]] std::optional<Value> value_of(PartSlot const& slot, Parameter const& key, Point point,
                                            std::vector<double> const& numbers);

/// The numbers that a point may break, in ascending order, from all of them at one point: those that depend on the
/// point, and those that have a value that they may not have.
[[nodiscard]] std::vector<std::size_t> breakable(CompiledMachine const& machine, std::vector<double> const& numbers);

/// Calls refused(number, sentence) for every number that may not have its value: one of `breakable` outside its
/// NumberRange, none that the key of a part may have, or no bandwidth where weights or keys are held. Numbers that are
/// NaN are not known.
void each_refused(CompiledMachine const& machine, Point point, std::vector<double> const& numbers,
                  std::span<std::size_t const> breakable,
                  std::function<void(std::size_t, std::string const&)> const& refused);

/// Adds a mistake, with its place, for every number that no parameter, constant or model moves and that may not have
/// its value.
void check_fixed_numbers(CompiledMachine const& machine, std::vector<std::string>& mistakes);

}  // namespace pimdse::models::text
