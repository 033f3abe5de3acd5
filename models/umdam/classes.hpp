#pragma once

#include "models/contract/architecture.hpp"
#include "models/text/part.hpp"
#include "models/umdam/system.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/dram/mapping_class.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping as a space could name it. `coll_bits` is the ColL it is read with; -1: the ColL that the mapping itself
/// names.
struct MappingCandidate {
    WrittenMapping mapping;
    int coll_bits = -1;
};

/// Every order of the fields row, colm, bank, group, channel and coll, once for each of these values of ColL. The
/// orders name their ColL.
[[nodiscard]] std::vector<MappingCandidate> field_orders(std::vector<int> const& coll_bits);

/// The subset of field_orders with the row highest and coll lowest: the family that UMDAM belongs to.
[[nodiscard]] std::vector<MappingCandidate> row_highest_orders(std::vector<int> const& coll_bits);

/// Every order of the single address bits below the row, up to renaming within a field. Throws InputError if there are
/// more than `max` orders.
[[nodiscard]] std::vector<MappingCandidate> bit_orders(Organisation const& organisation, std::uint64_t max);

/// The candidates, followed by the candidates once more with each of the given lists of XOR terms.
[[nodiscard]] std::vector<MappingCandidate> hashed(std::vector<MappingCandidate> candidates,
                                                   std::vector<std::vector<sim::dram::FieldXor>> const& hashes);

/// A memory on which mappings are tried, and the part of the organisation that its timing can distinguish.
struct MemorySeen {
    Organisation organisation;
    sim::dram::Visible visible;
    auto operator<=>(MemorySeen const&) const = default;
};

/// Matrices that a mapping has to serve on one of the memories.
struct Use {
    std::size_t memory = 0;
    Design design;  ///< only ColL, row padding and bytes are read
    /// Empty: every mapping is accepted (only the NPU reads through it, or sums are split).
    std::vector<Matrix> matrices;
};

/// The candidates that remain when mappings that timing cannot distinguish are merged and those that PIM cannot use are
/// dropped.
struct Census {
    std::uint64_t candidates = 0;
    std::vector<std::string> classes;  ///< the first text of each class that fits at least one memory
    /// The subset that keeps every column of some use in one bank, with all banks in lock step.
    std::vector<std::string> legal;
};

/// Counts mappings without simulating any. Two mappings belong to one class if every memory times every stream equally
/// under both and their ColL is the same.
[[nodiscard]] Census census(std::vector<MappingCandidate> const& candidates, std::vector<MemorySeen> const& memories,
                            std::vector<Use> const& uses);

/// The classes of the parameter that is the key `mapping`, as a space requests them with { classes = "all" |
/// "row_highest" | "bits", xor = ["x.ba.ro.6.2", ...] }, for the memories and models of the space: orders of fields,
/// orders of fields of UMDAM's family, or orders of single bits. ColL takes the values of coll_bits, or every value if
/// the space names none. A class decides coll_bits (-1: the value that matches the mapping), a parameter, too. Throws
/// InputError.
[[nodiscard]] Classes classes(text::PartSpace const& space, ClassRequest const& request);

}  // namespace pimdse::models::umdam
