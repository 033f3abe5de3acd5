#pragma once

#include "sim/dram/standard.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::sim::dram {

/// Fields of a DRAM address from the outermost to the innermost; `rank` is the pseudo channel of HBM2.
enum class Field : std::uint8_t { channel, rank, group, bank, row, column };
inline constexpr std::size_t field_count = 6;
/// As texts of mappings call them.
[[nodiscard]] constexpr std::string_view short_name(Field field) {
    constexpr std::array<std::string_view, field_count> names{"ch", "ra", "bg", "ba", "ro", "co"};
    return names[static_cast<std::size_t>(field)];
}

/// Where an address goes. `bank` counts through the channel: (rank * bank_groups + group) * banks + bank.
struct Place {
    std::uint32_t channel = 0;
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
    bool operator==(Place const&) const = default;
};

/// All six coordinates.
struct Coordinates {
    std::array<std::uint32_t, field_count> of{};
    [[nodiscard]] std::uint32_t operator[](Field field) const { return of[static_cast<std::size_t>(field)]; }
    bool operator==(Coordinates const&) const = default;
};

/// An invertible linear map over GF(2) from byte addresses to coordinates: bit i of a field is the parity of (address
/// AND masks(field)[i]). Immutable.
class Mapping {
  public:
    /// From masks, most general form. `masks[field]` holds one mask per bit, least significant first.
    using Masks = std::array<std::vector<std::uint64_t>, field_count>;
    /// Field widths must fit the organisation; fewer row bits cover a part of the memory. Throws InputError: a width
    /// that does not fit, singular (naming two addresses that collide).
    static Mapping from_masks(Masks masks, int offset_bits, Organisation const& organisation);
    /// With a text that is known: hexadecimal masks take as long as all the rest.
    static Mapping from_masks(Masks masks, int offset_bits, Organisation const& organisation, std::string text);
    /// The same under another text.
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
    /// Bits of a byte address that the mapping reads; addresses are below 1 << address_bits().
    [[nodiscard]] int address_bits() const { return address_bits_; }
    /// Token text when the mapping is a bit order with XOR terms; otherwise masks in hexadecimal.
    [[nodiscard]] std::string const& text() const { return text_; }

    /// Addresses that differ by a multiple of 1 << bit behave alike: same channel and bank, and two rows are equal
    /// before the shift exactly if they are after. The smallest such bit; address_bits() if none.
    [[nodiscard]] int translation_bit() const;

    /// How many values the fields from the channel down to `last` (row at most) take together over the addresses below
    /// 1 << bits, as a power of two: a rank over GF(2). Each value is taken equally often.
    [[nodiscard]] int reach(Field last, int bits) const {
        return reach_[static_cast<std::size_t>(last)][static_cast<std::size_t>(bits)];
    }
    /// Per burst of those addresses in order: how often a bank's next burst is to another row than the one before (the
    /// first row counts), and a channel's to another rank.
    [[nodiscard]] double row_changes(int bits) const { return row_changes_[static_cast<std::size_t>(bits)]; }
    [[nodiscard]] double rank_changes(int bits) const { return rank_changes_[static_cast<std::size_t>(bits)]; }

  private:
    using Images = std::array<std::uint64_t, 64>;  ///< of each address bit: what it adds to a packed place

    void check(Organisation const& organisation) const;
    [[nodiscard]] std::string text_of_masks() const;
    [[nodiscard]] Images images() const;
    void tabulate(Images const& images);
    void count_reach(Images const& images);
    using PerBits = std::array<double, 49>;  ///< by number of address bits, 48 at most
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

/// The next `count` address bits belong to a field.
struct FieldBits {
    Field field = Field::column;
    int count = 0;
    auto operator<=>(FieldBits const&) const = default;
};

/// into ^= (from >> shift) & (2^count - 1), of what stands before it.
struct FieldXor {
    Field into = Field::bank, from = Field::row;
    int shift = 0, count = 0;
    auto operator<=>(FieldXor const&) const = default;
};

/// A mapping as an order of address bits, from the lowest above those of a burst, with XOR terms.
struct BitOrder {
    int offset_bits = 0;
    std::vector<std::variant<FieldBits, FieldXor>> parts;
    auto operator<=>(BitOrder const&) const = default;
};

/// Bits a field has in the order.
[[nodiscard]] int width_of(BitOrder const& order, Field field);

/// `ch2`, `x.ba.ro.0.2`, `of5 co3 ch2`: what parse_order takes.
[[nodiscard]] std::string text_of(FieldXor const& term);
[[nodiscard]] std::string text_of(BitOrder const& order);

/// Throws InputError: more than 48 address bits, an XOR term that writes bits its field does not have, widths that do
/// not fit, singular (naming two addresses that collide).
[[nodiscard]] Mapping make_mapping(BitOrder const& order, Organisation const& organisation);

/// Orders that have a name: umdam, conventional, channel_msb, and the reference's RoBaRaCoCh RoBaRaChCo ChRaBaRoCo
/// RoRaBaCoCh RoRaBgBaCoCh MOP4CLXOR.
[[nodiscard]] std::vector<std::string> mapping_names();
[[nodiscard]] bool is_mapping_name(std::string_view text);

/// A named order fitted to the organisation. `coll_bits` is the number of column bits below the channel in `umdam`,
/// below the bank group in `channel_msb` (umdam without interleaving: channel and rank highest); -1: 256 B. Throws
/// InputError: more of them than there are.
[[nodiscard]] BitOrder named_order(std::string_view name, Organisation const& organisation, int coll_bits);

/// `x.ch.co.0.2`. Throws InputError.
[[nodiscard]] FieldXor parse_xor(std::string_view token);

/// Tokens from the least significant bit: `of5 co3 ch2 bg2 ba2 co3 ro15 x.ch.co.0.2`. Throws InputError.
[[nodiscard]] BitOrder parse_order(std::string_view tokens);

/// Tokens, or a name, which XOR terms may follow. Throws InputError: unknown token, a width that does not fit,
/// singular.
[[nodiscard]] Mapping parse_mapping(std::string_view text, Organisation const& organisation, int coll_bits = -1);

}  // namespace pimdse::sim::dram
