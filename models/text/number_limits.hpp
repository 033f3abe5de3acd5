#pragma once

#include "models/text/machine.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which values the numbers of a machine file may have: a mistake of the file where nothing can change one, otherwise
/// a point that cannot be built.
namespace pimdse::models::text {

/// The value of a key of a part at a point; nullopt: the number is none that the key may have.
[[nodiscard]] std::optional<Value> value_of(PartSlot const& slot, Parameter const& key, Point point,
                                            std::vector<double> const& numbers);

/// "tiles.mesh_rows is 257 (it must be a whole number from 1 to 256)": key `key` of the part that is unit `unit`.
[[nodiscard]] std::string refused_key(CompiledMachine const& machine, std::size_t unit, std::size_t key,
                                      std::vector<double> const& numbers);
/// "work of "*.softmax" is -5 (it must be 0 or more)": a number outside its NumberRange.
[[nodiscard]] std::string refused_number(CompiledMachine const& machine, std::size_t number, double value);
/// "dram.bandwidth is 0 GB/s (it must be above 0 where weights or keys are held)".
[[nodiscard]] std::string without_bandwidth(std::string_view memory);

/// Adds a mistake, with its place, for every number that no parameter, constant or model moves and that may not have
/// its value.
void check_fixed_numbers(CompiledMachine const& machine, std::vector<std::string>& mistakes);

}  // namespace pimdse::models::text
