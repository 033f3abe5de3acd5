#pragma once

#include "models/contract/assumptions.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace pimdse::models {

/// What a machine costs. own: what its file says, which is a price for products and a bill of materials for designs;
/// bill: that of all machines; price: a design is sold for its bill times `margin` of economy.toml. The assumption
/// "economy.basis", which is not a row of that file.
enum class CostBasis : std::uint8_t { own, bill, price };
inline constexpr std::string_view basis_row = "basis";

[[nodiscard]] CostBasis cost_basis(Assumptions const& assumptions);
/// Sets it. Throws InputError for an unknown one.
void set_cost_basis(Assumptions& assumptions, std::string const& text);

/// Whether what machines cost under these assumptions follows from this row of economy.toml.
[[nodiscard]] bool reads_economy_row(Assumptions const& assumptions, std::string_view row);

}  // namespace pimdse::models
