#pragma once

#include "models/contract/architecture.hpp"
#include "models/umdam/system.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/dram/mapping_class.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping as a space could name it, with the ColL it is read with; -1: what it says itself.
struct MappingCandidate {
    WrittenMapping mapping;
    int coll_bits = -1;
};

/// Every order of row, colm, bank, group, channel and coll, for each of these ColL, which the orders name.
[[nodiscard]] std::vector<MappingCandidate> field_orders(std::vector<int> const& coll_bits);

/// Of these, the orders with the row highest and coll lowest: the family UMDAM belongs to.
[[nodiscard]] std::vector<MappingCandidate> row_highest_orders(std::vector<int> const& coll_bits);

/// Every order of the single address bits below the row, up to renaming within a field.
/// Throws InputError when there are more than `most`.
[[nodiscard]] std::vector<MappingCandidate> bit_orders(Organisation const& organisation, std::uint64_t max);

/// The candidates, then each of them again with each of these lists of XOR terms.
[[nodiscard]] std::vector<MappingCandidate> hashed(std::vector<MappingCandidate> candidates,
                                                   std::vector<std::vector<sim::dram::FieldXor>> const& hashes);

/// A memory that mappings are tried on, and what its timing shows of them.
struct MemorySeen {
    Organisation organisation;
    sim::dram::Visible visible;
    auto operator<=>(MemorySeen const&) const = default;
};

/// Matrices that a mapping has to serve on one of the memories.
struct Use {
    std::size_t memory = 0;
    Design design;                 ///< ColL and row padding are read
    std::vector<Matrix> matrices;  ///< none: every mapping will do (the NPU alone reads through it, or sums are split)
};

/// What is left of candidates once those that timing cannot tell apart are merged and those PIM cannot use are dropped.
struct Census {
    std::uint64_t candidates = 0;
    std::vector<std::string> classes;  ///< the first text of each class that fits at least one memory
    std::vector<std::string>
        legal;  ///< of these, those that keep every column of some use in one bank, banks in lock step
};

/// Counts mappings without simulating any. Two are one class if every memory times every stream alike under both, and
/// their ColL is the same.
[[nodiscard]] Census census(std::vector<MappingCandidate> const& candidates, std::vector<MemorySeen> const& memories,
                            std::vector<Use> const& uses, std::int64_t element_bytes);

/// { classes = "all" | "row_highest" | "bits", xor = ["x.ba.ro.6.2", ...] } of `mapping`, for the memories and models
/// of a space: orders of fields, those of UMDAM's family, or orders of single bits; ColL as in coll_bits, or every one.
/// A class decides coll_bits (-1: what suits the mapping). Throws InputError.
[[nodiscard]] Classes classes(Parameters const& parameters, ClassRequest const& request, AxisValues const& values);

}  // namespace pimdse::models::umdam
