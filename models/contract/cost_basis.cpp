#include "models/contract/cost_basis.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string>

namespace pimdse::models {
namespace {

constexpr std::array<std::string_view, 3> basis_names{"own", "bill", "price"};

}  // namespace

CostBasis cost_basis(Assumptions const& assumptions) {
    auto const found = std::ranges::find(assumptions.economy, basis_row, &AssumptionTexts::value_type::first);
    if (found == assumptions.economy.end()) return CostBasis::own;
    return static_cast<CostBasis>(std::ranges::find(basis_names, found->second) - basis_names.begin());
}

void set_cost_basis(Assumptions& assumptions, std::string const& text) {
    if (std::ranges::find(basis_names, text) == basis_names.end())
        throw sim::InputError(fmt::format("assumption economy.basis = '{}' is unknown.{}", text,
                                          sim::suggestion(text, {basis_names.begin(), basis_names.end()})));
    std::erase_if(assumptions.economy, [](auto const& row) { return row.first == basis_row; });
    if (text != basis_names.front()) assumptions.economy.emplace_back(basis_row, text);
    std::ranges::sort(assumptions.economy);
}

bool reads_economy_row(Assumptions const& assumptions, std::string_view row) {
    return row != "margin" || cost_basis(assumptions) == CostBasis::price;
}

}  // namespace pimdse::models
