#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pimdse::models::economy {

/// Processes of logic with rows in models/economy.toml, whose names begin with these and an underscore.
inline constexpr std::array<std::string_view, 5> process_names{"28nm", "16nm", "8nm", "7nm", "5nm"};
/// Kinds of memory with rows there, as they are named in machine files.
enum class MemoryKind : std::uint8_t { ddr4, lpddr5, gddr6, gddr7, flash, hbm2, hbm3 };
inline constexpr std::array<std::string_view, 7> memory_names{"ddr4",  "lpddr5", "gddr6", "gddr7",
                                                              "flash", "hbm2",   "hbm3"};

inline constexpr std::array<int, 5> process_nanometres{28, 16, 8, 7, 5};

/// Number of a process; precondition: there is one of this name.
[[nodiscard]] consteval std::size_t process(std::string_view name) {
    std::size_t i = 0;
    while (process_names[i] != name) ++i;
    return i;
}

/// Number of the process of a node in m; nothing: there is none.
[[nodiscard]] inline std::optional<std::size_t> process_of(double node) {
    constexpr double nanometres = 1'000'000'000;
    double const rounded = std::round(node * nanometres);
    for (std::size_t i = 0; i < process_nanometres.size(); ++i)
        if (rounded == process_nanometres[i]) return i;
    return std::nullopt;
}

/// Whether stacks of it share an interposer with the logic.
[[nodiscard]] constexpr bool is_stacked(MemoryKind kind) { return kind >= MemoryKind::hbm2; }

/// What one machine is made of; areas in m2.
struct Materials {
    double logic = 0.0;       ///< in a process of logic
    double dies = 1.0;        ///< among which it is divided equally, above 0
    double bank_logic = 0.0;  ///< in the DRAM process, beside banks
    double memory = 0.0;      ///< of all memory dies
    /// B that are installed, used or not, with cost and footprint of their kind.
    std::array<double, memory_names.size()> bought{}, made{};
    bool stacked = false;                  ///< logic and memory share an interposer
    double other_cost = 0.0;               ///< USD of memories with a cost of their own
    double other_carbon = 0.0;             ///< kg of memories with a footprint of their own
    double product = 0.0;                  ///< USD for which the machine is sold, instead of the bill; 0: none
    std::optional<std::size_t> process{};  ///< nothing: that of the assumptions

    void add(MemoryKind kind, double bytes) {
        bought[static_cast<std::size_t>(kind)] += bytes;
        made[static_cast<std::size_t>(kind)] += bytes;
        stacked = stacked || is_stacked(kind);
    }
};

}  // namespace pimdse::models::economy
