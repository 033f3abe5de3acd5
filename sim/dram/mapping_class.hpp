#pragma once

#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::dram {

/// Properties of a mapping that affect timing, in addition to which addresses share a channel, rank, bank and row.
struct Visible {
    bool groups = true;       ///< bank groups affect timing (groups_matter)
    bool rank_order = false;  ///< so do the numbers of ranks: refresh serves rank 0 before rank 1
    bool bank_order = false;  ///< so do the numbers of banks: per-bank refresh serves banks in turn
    auto operator<=>(Visible const&) const = default;
};

/// The properties that affect timing with these controller options on this DRAM.
[[nodiscard]] Visible visible_to(Standard const& standard, Options const& options);

/// Equivalence class of mappings by timing: two mappings of one class have identical timing for every request stream.
struct MappingClass {
    int offset_bits = 0;
    /// Sorted reduced bases of the nested spaces span(channel) <= +rank <= +group <= +bank <= +row; empty for groups
    /// that do not affect timing.
    std::array<std::vector<std::uint64_t>, 5> spans;
    std::array<std::vector<std::uint64_t>, 5> numbered;  ///< masks of fields whose numbers affect timing
    auto operator<=>(MappingClass const&) const = default;
};
[[nodiscard]] MappingClass class_of(Mapping const& mapping, Visible visible = {});

/// A mapping of the class; the same one for every call.
[[nodiscard]] Mapping representative(MappingClass const& mapping_class, Organisation const& organisation);

/// Enumeration of all bit orders up to renaming within a field: permutations of a multiset, in lexicographic order of
/// fields from the least significant bit. The constructor throws InputError if there are more than 2^63.
class BitOrders {
  public:
    /// By field: how many of the ordered bits belong to it.
    using Widths = std::array<int, field_count>;

    /// Orders the lowest bits above the offset; the row bits follow in order above them. Precondition: row width 0.
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
