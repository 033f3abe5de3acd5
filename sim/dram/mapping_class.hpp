#pragma once

#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/simulate.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::sim::dram {

/// What of a mapping can be seen in the timing beside the sets of addresses that share a channel, rank, bank and row.
struct Visible {
    bool groups = true;       ///< bank groups differ from banks (groups_matter)
    bool rank_order = false;  ///< ranks are told apart by number (a refresh serves rank 0 before rank 1)
    bool bank_order = false;  ///< banks are told apart by number (per-bank refresh visits them in turn)
};

/// What this controller on this DRAM lets a stream see.
[[nodiscard]] Visible visible_to(Standard const& standard, Options const& options);

/// Two mappings with equal keys time every request stream identically: the reduced row echelon bases of the nested
/// spaces span(channel) <= +rank <= +group <= +bank <= +row, in hexadecimal; masks as they are for what is told apart
/// by number.
[[nodiscard]] std::string canonical_key(Mapping const& mapping, Visible visible = {});

/// All orders of a set of address bits among fields, up to renaming within a field: permutations of a multiset. Index 0
/// is the first in lexicographic order of fields from the least significant bit. Throws InputError if there are more
/// than 2^63.
class BitOrders {
  public:
    /// How many of the ordered bits belong to each field.
    using Widths = std::array<int, field_count>;

    /// Orders of the lowest bits above the offset; the row bits follow in order above them (row width here: 0).
    BitOrders(Widths widths, Organisation const& organisation);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Precondition: index < count().
    [[nodiscard]] Mapping at(std::uint64_t index) const;
    /// A different one for almost every number; the same for equal ones.
    [[nodiscard]] Mapping sample(std::uint64_t number) const;

  private:
    Widths widths_;
    Organisation organisation_;
    std::uint64_t count_ = 0;
};

/// How many timing classes linear maps of the low bits have: flags of subspaces, the Gaussian multinomial at q = 2.
[[nodiscard]] double count_linear_classes(std::vector<int> const& widths);

/// A random invertible map of the bits above the offset, rows included; uniform over matrices, so over classes too.
[[nodiscard]] Mapping sample_linear(Organisation const& organisation, std::uint64_t number);

/// The UMDAM family with rows outermost: ColL 0..column bits times the orders of channel, bank group, bank and the
/// other column bits, each text once.
[[nodiscard]] std::vector<std::string> umdam_family(Organisation const& organisation);

}  // namespace pimdse::sim::dram
