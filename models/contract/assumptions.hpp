#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What all machines of a comparison are assumed to stand on, as [assumptions] of a space says it.
namespace pimdse::models {

/// What limits a machine. own: as the machine's papers and data sheets describe it; hardware: its structure only, no
/// launches and no derating for anybody; deployed: also the share of peak that programs attain and the launch of each
/// layer, the same figures for every machine without measured ones.
enum class View : std::uint8_t { own, hardware, deployed };

/// Where constants that technology.toml has come from: the machine's own papers, or technology.toml.
enum class ConstantSource : std::uint8_t { papers, technology };

/// own: as each architecture describes itself; excluded: no machine pays for a host; included: every machine pays
/// `host_power` of technology.toml for as long as it works.
enum class Host : std::uint8_t { own, excluded, included };

/// Names and texts, as they are written.
using AssumptionTexts = std::vector<std::pair<std::string, std::string>>;

struct Assumptions {
    View view = View::own;
    ConstantSource constants = ConstantSource::papers;
    std::string node = "7nm";
    Host host = Host::own;
    std::int64_t precision = 0;    ///< bit: the least that weights are computed in; 0: whatever the machine has
    AssumptionTexts common{};      ///< parameters that every machine may have (attained_share), with their defaults
    AssumptionTexts technology{};  ///< rows of technology.toml with other values

    bool operator==(Assumptions const&) const = default;
};

/// How an architecture is prepared: constants of the user's own, and what is assumed.
struct ModelOptions {
    ModelOptions() = default;
    ModelOptions(std::string own_constants) : constants(std::move(own_constants)) {}
    ModelOptions(char const* own_constants) : constants(own_constants) {}
    ModelOptions(std::filesystem::path const& own_constants) : constants(own_constants.string()) {}
    ModelOptions(std::string own_constants, Assumptions assumed)
        : constants(std::move(own_constants)), assumptions(std::move(assumed)) {}

    std::string constants{};  ///< a file (constants.hpp); "" = none
    Assumptions assumptions{};
};

/// What several machines in one space are assumed to stand on unless the space says otherwise: hardware, technology,
/// no host.
[[nodiscard]] inline Assumptions common_assumptions() {
    Assumptions assumptions;
    assumptions.view = View::hardware;
    assumptions.constants = ConstantSource::technology;
    assumptions.host = Host::excluded;
    return assumptions;
}

// Assumptions as they are written in a space, on a command line and above a table.

/// Sets the key of [assumptions] ("view", or "technology.NAME"). Throws InputError for an unknown key, value, node or
/// row, with a suggestion.
void set_assumption(Assumptions& assumptions, std::string_view key, std::string const& text);

/// All that differs from `Assumptions{}`, as set_assumption takes it; the order is fixed.
[[nodiscard]] AssumptionTexts texts_of(Assumptions const& assumptions);

/// The value of one of its named keys (view, constants, node, host, precision), whatever it is.
[[nodiscard]] std::string text_of(Assumptions const& assumptions, std::string_view key);

/// "view hardware, constants technology, node 7nm, host excluded": for the reader of a table, all of it.
[[nodiscard]] std::string sentence_of(Assumptions const& assumptions);

}  // namespace pimdse::models
