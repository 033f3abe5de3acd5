#pragma once

#include "models/contract/proofs.hpp"
#include "models/text/part.hpp"
#include "models/umdam/design.hpp"
#include "models/umdam/system.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

/// The keys of the part of a machine file: names, units, defaults and meanings.
[[nodiscard]] Parameters pim_npu_keys();
/// `values`: one for each of them. Refuses formats of the request that banks do not have.
[[nodiscard]] std::variant<Design, Infeasible> read_pim_npu(Point values, text::LlmRequest const& request,
                                                            MachineConstants const& machine);

/// Refuses counts that no organisation has (not a power of two, an unknown density), and clocks that no unit in a bank
/// has.
[[nodiscard]] std::optional<Infeasible> check_numbers(Design const& design, Prepared const& prepared);

/// Checks column bits, rows and refresh of the memory; system needs design and standard.
[[nodiscard]] std::optional<Infeasible> check_organisation(System const& system);

/// Whether the model supports this kind of generation, and the baseline the tiles of the point; system needs design and
/// model.
[[nodiscard]] std::optional<Infeasible> check_generation(System const& system);

/// Checks NPU buffer and global buffer against tiles and vectors; system needs standard, model and interleave.
[[nodiscard]] std::optional<Infeasible> check_buffers(System const& system, Prepared const& prepared);

/// Checks that PIM can use the mapping, the capacity, and the power of a DRAM package; system is complete.
[[nodiscard]] std::optional<Infeasible> check_placement(System const& system, MachineConstants const& machine);

/// Checks that weights and caches, also those of a model that proposes tokens, fit the memory; system is complete.
[[nodiscard]] std::optional<Infeasible> check_capacity(System const& system);

/// Whether the request may be served with its proposals; system is complete.
[[nodiscard]] std::optional<Infeasible> check_speculation(System const& system);

/// The keys that points share, the directions of bounds (README.md, Lower bounds), and the constants of which the
/// dimension does not tell how they move metrics (cycle_key.cpp).
[[nodiscard]] std::vector<text::PartKeyRow> key_rows();
[[nodiscard]] std::vector<MonotoneGroup> directions();
[[nodiscard]] std::vector<std::string> constants_without_slopes();

}  // namespace pimdse::models::umdam
