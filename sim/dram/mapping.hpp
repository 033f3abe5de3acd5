#pragma once

#include "sim/dram/standard.hpp"

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::sim::dram {

/// Fields of a DRAM address from the outermost to the innermost. `rank`: the pseudo channel of HBM2.
enum class Field : std::uint8_t { channel, rank, group, bank, row, column };
inline constexpr std::size_t field_count = 6;
/// The name of a field in mapping texts.
[[nodiscard]] constexpr std::string_view short_name(Field field) {
    constexpr std::array<std::string_view, field_count> names{"ch", "ra", "bg", "ba", "ro", "co"};
    return names[static_cast<std::size_t>(field)];
}

/// Number of address bits of a field with `count` values, a power of two.
[[nodiscard]] inline int bits_of(int count) { return std::countr_zero(static_cast<unsigned>(count)); }

/// The place of an address in the memory. `bank` is numbered through the channel:
/// (rank * bank_groups + group) * banks + bank.
struct Place {
    std::uint32_t channel = 0;
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
    bool operator==(Place const&) const = default;
};

/// The six fields of an address.
struct Coordinates {
    std::array<std::uint32_t, field_count> of{};
    [[nodiscard]] std::uint32_t operator[](Field field) const { return of[static_cast<std::size_t>(field)]; }
    bool operator==(Coordinates const&) const = default;
};

/// An address mapping: an invertible linear map over GF(2) from byte addresses to coordinates. Bit i of a field is the
/// parity of (address AND masks(field)[i]). Immutable.
class Mapping {
  public:
    /// By field: one mask per bit, least significant first.
    using Masks = std::array<std::vector<std::uint64_t>, field_count>;
    /// A mapping from masks. Field widths must fit the organisation; a mapping with fewer row bits covers a part of the
    /// memory. Throws InputError for a width that does not fit, and for a singular mapping, with two addresses that
    /// collide.
    static Mapping from_masks(Masks masks, int offset_bits, Organisation const& organisation);
    /// The same with a given text, because formatting masks in hexadecimal takes as long as all the rest.
    static Mapping from_masks(Masks masks, int offset_bits, Organisation const& organisation, std::string text);
    /// The same mapping with another text.
    [[nodiscard]] Mapping called(std::string text) && {
        text_ = std::move(text);
        return std::move(*this);
    }

    [[nodiscard]] Place place(std::uint64_t address) const {
        std::uint64_t packed = 0;
        for (std::size_t byte = first_byte_; byte < last_byte_; ++byte)
            packed ^= tables_[byte][(address >> (8 * byte)) & 255];
        return {static_cast<std::uint32_t>(packed >> 48), static_cast<std::uint32_t>((packed >> 32) & 0xFFFF),
                static_cast<std::uint32_t>(packed)};
    }
    [[nodiscard]] Coordinates coordinates(std::uint64_t address) const;
    /// The address of a cell; the inverse of coordinates.
    [[nodiscard]] std::uint64_t address(Coordinates const& coordinates) const;

    [[nodiscard]] std::vector<std::uint64_t> const& masks(Field field) const {
        return masks_[static_cast<std::size_t>(field)];
    }
    [[nodiscard]] int offset_bits() const { return offset_bits_; }
    /// Number of address bits; addresses are below 1 << address_bits().
    [[nodiscard]] int address_bits() const { return address_bits_; }
    /// Tokens if the mapping is a bit order with XOR terms; otherwise masks in hexadecimal.
    [[nodiscard]] std::string const& text() const { return text_; }

    /// The smallest bit such that adding a multiple of 1 << bit to addresses keeps their channel and bank, and keeps
    /// equal rows equal and different rows different; address_bits() if there is none.
    [[nodiscard]] int translation_bit() const;

    /// Binary logarithm of the number of different values that the fields from the channel down to `last` (row at most)
    /// take together over the addresses below 1 << bits: a rank over GF(2). Each value occurs equally often.
    [[nodiscard]] int reach(Field last, int bits) const {
        return reach_[static_cast<std::size_t>(last)][static_cast<std::size_t>(bits)];
    }
    /// Over the addresses below 1 << bits in ascending order, per burst: how often the row of a bank changes (including
    /// the first row), and how often the rank of a channel changes.
    [[nodiscard]] double row_changes(int bits) const { return row_changes_[static_cast<std::size_t>(bits)]; }
    [[nodiscard]] double rank_changes(int bits) const { return rank_changes_[static_cast<std::size_t>(bits)]; }

  private:
    using Images = std::array<std::uint64_t, 64>;  ///< by address bit: what it adds to a packed place

    void check(Organisation const& organisation) const;
    [[nodiscard]] std::string text_of_masks() const;
    [[nodiscard]] Images images() const;
    void tabulate(Images const& images);
    void count_reach(Images const& images);
    using PerBits = std::array<double, 49>;  ///< by number of address bits, at most 48
    void count_changes(Images const& images);
    void count_changes(Images const& images, int places_at, std::uint64_t seen, PerBits& changes) const;

    Masks masks_;
    int offset_bits_ = 0;
    int address_bits_ = 0;
    std::string text_;
    std::size_t first_byte_ = 0, last_byte_ = 0;
    std::vector<std::array<std::uint64_t, 256>> tables_;
    std::array<std::array<std::uint8_t, 49>, field_count - 1> reach_{};
    PerBits row_changes_{}, rank_changes_{};
};

/// Part of a bit order: the next `count` address bits belong to a field.
struct FieldBits {
    Field field = Field::column;
    int count = 0;
    auto operator<=>(FieldBits const&) const = default;
};

/// Part of a bit order: into ^= (from >> shift) & (2^count - 1), with the fields of the parts before it.
struct FieldXor {
    Field into = Field::bank, from = Field::row;
    int shift = 0, count = 0;
    auto operator<=>(FieldXor const&) const = default;
};

/// A mapping as an order of address bits with XOR terms, from the lowest bit above those of a burst.
struct BitOrder {
    int offset_bits = 0;
    std::vector<std::variant<FieldBits, FieldXor>> parts;
    auto operator<=>(BitOrder const&) const = default;
};

/// Number of bits of a field in an order.
[[nodiscard]] int width_of(BitOrder const& order, Field field);

/// Text for parse_order() and parse_xor(): `x.ba.ro.0.2`, `of5 co3 ch2`.
[[nodiscard]] std::string text_of(FieldXor const& term);
[[nodiscard]] std::string text_of(BitOrder const& order);

/// Throws InputError for more than 48 address bits, an XOR term into bits that its field does not have, widths that do
/// not fit, and a singular mapping (with two addresses that collide).
[[nodiscard]] Mapping make_mapping(BitOrder const& order, Organisation const& organisation);

/// Names of predefined orders: umdam, conventional, channel_msb, and the reference's RoBaRaCoCh RoBaRaChCo ChRaBaRoCo
/// RoRaBaCoCh RoRaBgBaCoCh MOP4CLXOR.
[[nodiscard]] std::vector<std::string> mapping_names();
[[nodiscard]] bool is_mapping_name(std::string_view text);

/// A predefined order for an organisation. `coll_bits`: column bits below the channel in `umdam`, below the bank group
/// in `channel_msb` (umdam without interleaving: channel and rank highest); -1: 256 B. Throws InputError if the column
/// has fewer bits.
[[nodiscard]] BitOrder named_order(std::string_view name, Organisation const& organisation, int coll_bits);

/// Parses `x.ch.co.0.2`. Throws InputError.
[[nodiscard]] FieldXor parse_xor(std::string_view token);

/// Parses tokens from the least significant bit: `of5 co3 ch2 bg2 ba2 co3 ro15 x.ch.co.0.2`. Throws InputError.
[[nodiscard]] BitOrder parse_order(std::string_view tokens);

/// Parses tokens, or a name optionally followed by XOR terms. Throws InputError for an unknown token, a width that does
/// not fit, and a singular mapping.
[[nodiscard]] Mapping parse_mapping(std::string_view text, Organisation const& organisation, int coll_bits = -1);

}  // namespace pimdse::sim::dram
