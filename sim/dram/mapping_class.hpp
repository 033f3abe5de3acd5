#pragma once

#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::dram {

/// What of a mapping can be seen in the timing beside the sets of addresses that share a channel, rank, bank and row.
struct Visible {
    bool groups = true;       ///< bank groups differ from banks (groups_matter)
    bool rank_order = false;  ///< ranks are told apart by number (a refresh serves rank 0 before rank 1)
    bool bank_order = false;  ///< banks are told apart by number (per-bank refresh visits them in turn)
    auto operator<=>(Visible const&) const = default;
};

/// What this controller on this DRAM lets a stream see.
[[nodiscard]] Visible visible_to(Standard const& standard, Options const& options);

/// All that timing sees of a mapping: two mappings of one class time every request stream identically.
struct MappingClass {
    int offset_bits = 0;
    /// Reduced bases, sorted, of the nested spaces span(channel) <= +rank <= +group <= +bank <= +row; nothing of groups
    /// that cannot be seen.
    std::array<std::vector<std::uint64_t>, 5> spans;
    std::array<std::vector<std::uint64_t>, 5> numbered;  ///< masks as they are, of fields told apart by number
    auto operator<=>(MappingClass const&) const = default;
};
[[nodiscard]] MappingClass class_of(Mapping const& mapping, Visible visible = {});

/// A mapping of the class, always the same one.
[[nodiscard]] Mapping representative(MappingClass const& of, Organisation const& organisation);

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
    [[nodiscard]] BitOrder at(std::uint64_t index) const;

  private:
    Widths widths_;
    int offset_bits_, row_bits_;
    std::uint64_t count_ = 0;
};

}  // namespace pimdse::sim::dram
