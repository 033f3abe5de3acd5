#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Assumptions that hold for all machines of a comparison, as [assumptions] of a space states them.
namespace pimdse::models {

/// Limits of a machine. own: as its papers and data sheets describe it. hardware: its structure only, without launch
/// overhead or derating. deployed: also the share of peak that programs attain and the launch time of each layer, with
/// the same figures for every machine that has no measured ones.
enum class View : std::uint8_t { own, hardware, deployed };

/// Source of the constants that technology.toml has: the papers of the machine, or technology.toml.
enum class ConstantSource : std::uint8_t { papers, technology };

/// own: as each architecture describes itself; excluded: the host is not counted for any machine; included: every
/// machine is charged `host_power` of technology.toml for as long as it works.
enum class Host : std::uint8_t { own, excluded, included };

/// Name of the table of [assumptions] and of draws that changes rows of models/economy.toml.
inline constexpr std::string_view economy_table = "economy";

/// Names and values as text, as the user writes them.
using AssumptionTexts = std::vector<std::pair<std::string, std::string>>;

struct Assumptions {
    View view = View::own;
    ConstantSource constants = ConstantSource::papers;
    std::string node = "7nm";
    Host host = Host::own;
    std::int64_t precision = 0;    ///< bit: minimum in which weights are computed; 0: whatever the machine has
    AssumptionTexts common{};      ///< defaults of parameters that every machine may have (attained_share)
    AssumptionTexts technology{};  ///< changed rows of technology.toml
    AssumptionTexts economy{};     ///< changed rows of economy.toml

    bool operator==(Assumptions const&) const = default;
};

/// Values of uncertain constants in one draw, in SI, which replace those of every file. Constants of the machine itself
/// have their plain names; others follow the name of their table: "links.nvlink3_energy". Rows of technology.toml are
/// not here but in Assumptions::technology.
using DrawnConstants = std::map<std::string, double, std::less<>>;

/// Options for preparing an architecture: the user's own constants, the assumptions, and values of a draw.
struct ModelOptions {
    ModelOptions() = default;
    ModelOptions(std::string own_constants) : constants(std::move(own_constants)) {}
    ModelOptions(char const* own_constants) : constants(own_constants) {}
    ModelOptions(std::filesystem::path const& own_constants) : constants(own_constants.string()) {}
    ModelOptions(std::string own_constants, Assumptions assumed)
        : constants(std::move(own_constants)), assumptions(std::move(assumed)) {}

    std::string constants{};  ///< a file (constants.hpp); "" = none
    Assumptions assumptions{};
    DrawnConstants drawn{};
};

/// Assumptions for several machines in one space, unless the space states others: hardware, technology, no host.
[[nodiscard]] inline Assumptions common_assumptions() {
    Assumptions assumptions;
    assumptions.view = View::hardware;
    assumptions.constants = ConstantSource::technology;
    assumptions.host = Host::excluded;
    return assumptions;
}

// Texts of assumptions in a space, on a command line and above a table.

/// Sets a key of [assumptions] ("view", "technology.NAME", or "economy.NAME"). Throws InputError for an unknown key,
/// value, node or row, with a suggestion.
void set_assumption(Assumptions& assumptions, std::string_view key, std::string const& text);

/// All keys that differ from `Assumptions{}`, as accepted by set_assumption, in a fixed order.
[[nodiscard]] AssumptionTexts texts_of(Assumptions const& assumptions);

/// Text of the value of a key (view, constants, node, host, precision), even if it is the default.
[[nodiscard]] std::string text_of(Assumptions const& assumptions, std::string_view key);

/// All assumptions for the reader of a table: "view hardware, constants technology, node 7nm, host excluded".
[[nodiscard]] std::string sentence_of(Assumptions const& assumptions);

/// What a machine costs. own: what its file says, which is a price for products and a bill of materials for designs;
/// bill: that of all machines; price: a design is sold for its bill times `margin` of economy.toml. The assumption
/// "economy.basis", which is not a row of that file.
enum class CostBasis : std::uint8_t { own, bill, price };
inline constexpr std::string_view basis_row = "basis";

[[nodiscard]] CostBasis cost_basis(Assumptions const& assumptions);

/// Whether machines read this row of technology.toml under these assumptions.
[[nodiscard]] bool reads_technology_row(Assumptions const& assumptions, std::string_view row);

/// Whether what machines cost under these assumptions follows from this row of economy.toml.
[[nodiscard]] bool reads_economy_row(Assumptions const& assumptions, std::string_view row);

}  // namespace pimdse::models
