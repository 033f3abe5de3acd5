#pragma once

#include "models/umdam/mapping/candidates.hpp"
#include "models/umdam/system.hpp"
#include "sim/dram/mapping_class.hpp"

#include <string>
#include <vector>

namespace pimdse::models::umdam {

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

}  // namespace pimdse::models::umdam
