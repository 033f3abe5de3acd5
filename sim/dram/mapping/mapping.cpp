#include "sim/dram/mapping/mapping.hpp"

#include "sim/base/check.hpp"
#include "sim/base/power_of_two.hpp"
#include "sim/dram/mapping/gf2.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <optional>

namespace pimdse::sim::dram {
namespace {

constexpr std::array<std::string_view, field_count> words{
    "channel", "rank (pseudo channel)", "bank group", "bank", "row", "column"};

// Where a packed place has its parts: the row below, then the bank through the channel, then the channel.
constexpr int bank_at = 32, channel_at = 48;

int bits_of(int count) { return std::countr_zero(static_cast<unsigned>(count)); }

std::array<int, field_count> field_sizes(Organisation const& o) {
    return {o.channels, o.ranks, o.bank_groups, o.banks, o.rows, o.columns()};
}

std::vector<std::uint64_t> all_rows(Mapping::Masks const& masks) {
    std::vector<std::uint64_t> rows;
    for (auto const& field : masks) rows.insert(rows.end(), field.begin(), field.end());
    return rows;
}

std::uint64_t ones(int low, int high) {
    return (high >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1) & ~((std::uint64_t{1} << low) - 1);
}

std::uint32_t gather(std::vector<std::uint64_t> const& masks, std::uint64_t address) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < masks.size(); ++i)
        value |= static_cast<std::uint32_t>(gf2::parity(masks[i] & address)) << i;
    return value;
}

void check_widths(Mapping::Masks const& masks, Organisation const& organisation) {
    auto const sizes = field_sizes(organisation);
    std::vector<std::string> mistakes;
    for (std::size_t f = 0; f < field_count; ++f) {
        int const given = static_cast<int>(masks[f].size());
        bool const is_row = f == static_cast<std::size_t>(Field::row);
        if (!std::has_single_bit(static_cast<unsigned>(sizes[f]))) {
            mistakes.push_back(
                fmt::format("a bit mapping cannot address {} {}s (not a power of two)", sizes[f], words[f]));
        } else if (is_row ? given > bits_of(sizes[f]) : given != bits_of(sizes[f])) {
            mistakes.push_back(fmt::format("the mapping has {} {} bits but the organisation has {} (2^{} = {}).{}",
                                           given, words[f], bits_of(sizes[f]), bits_of(sizes[f]), sizes[f],
                                           is_row ? " A larger density?" : ""));
        }
    }
    if (!mistakes.empty()) throw InputError(mistakes);
}

void check_invertible(Mapping::Masks const& masks, int offset_bits, int address_bits) {
    if (auto const collision = gf2::kernel_vector(all_rows(masks), ones(offset_bits, address_bits))) {
        throw InputError(fmt::format(
            "the mapping is singular (addresses 0x0 and 0x{:x} go to the same cell). An XOR term that cancels a bit?",
            *collision));
    }
}

/// Images of address bits, told apart by their bits from `lowest` on.
class Elimination {
  public:
    explicit Elimination(int lowest) : lowest_(lowest) {}

    /// Nothing where the image is new; else what is left of it, below `lowest`, together with earlier ones that bring
    /// it to zero above.
    std::optional<std::uint64_t> add(std::uint64_t image) {
        while ((image >> lowest_) != 0) {
            auto& basis = basis_[static_cast<std::size_t>(std::bit_width(image)) - 1];
            if (basis == 0) {
                basis = image;
                return std::nullopt;
            }
            image ^= basis;
        }
        return image;
    }

  private:
    int lowest_;
    std::array<std::uint64_t, 64> basis_{};  // by leading bit
};

}  // namespace

Mapping Mapping::from_masks(Masks masks, int offset_bits, Organisation const& organisation, std::string text) {
    Mapping mapping;
    mapping.masks_ = std::move(masks);
    mapping.offset_bits_ = offset_bits;
    mapping.address_bits_ = offset_bits + static_cast<int>(all_rows(mapping.masks_).size());
    mapping.check(organisation);
    auto const images = mapping.images();
    mapping.tabulate(images);
    mapping.count_reach(images);
    mapping.count_changes(images);
    mapping.text_ = std::move(text);
    return mapping;
}

Mapping Mapping::from_masks(Masks masks, int offset_bits, Organisation const& organisation) {
    auto mapping = from_masks(std::move(masks), offset_bits, organisation, {});
    mapping.text_ = mapping.text_of_masks();
    return mapping;
}

std::string Mapping::text_of_masks() const {
    std::string text;
    for (std::size_t f = 0; f < field_count; ++f) {
        for (std::size_t i = 0; i < masks_[f].size(); ++i)
            text += fmt::format("{}{}{}=0x{:x}", text.empty() ? "" : " ", short_name(static_cast<Field>(f)), i,
                                masks_[f][i]);
    }
    return text;
}

void Mapping::check(Organisation const& organisation) const {
    if (offset_bits_ != bits_of(organisation.burst_bytes)) {
        throw InputError(fmt::format("the mapping has {} offset bits but a burst is {} B. of{}?", offset_bits_,
                                     organisation.burst_bytes, bits_of(organisation.burst_bytes)));
    }
    check_widths(masks_, organisation);
    if (address_bits_ > 48)
        throw InputError(fmt::format("the mapping has {} address bits (at most 48 are supported)", address_bits_));
    for (auto const row : all_rows(masks_)) {
        if ((row & ~ones(offset_bits_, address_bits_)) != 0) {
            throw InputError(fmt::format(
                "mask 0x{:x} reads bits outside {}..{} (only address bits above the burst offset select a cell)", row,
                offset_bits_, address_bits_ - 1));
        }
    }
    check_invertible(masks_, offset_bits_, address_bits_);
}

Mapping::Images Mapping::images() const {
    Images image{};
    auto const deposit = [&](Field field, int at) {
        for (auto const mask : masks(field)) {
            for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1)
                image[static_cast<std::size_t>(std::countr_zero(rest))] |= std::uint64_t{1} << at;
            ++at;
        }
        return at;
    };
    deposit(Field::row, 0);
    deposit(Field::rank, deposit(Field::group, deposit(Field::bank, bank_at)));
    deposit(Field::channel, channel_at);
    return image;
}

void Mapping::tabulate(Images const& image) {
    first_byte_ = static_cast<std::size_t>(offset_bits_) / 8;
    last_byte_ = (static_cast<std::size_t>(address_bits_) + 7) / 8;
    tables_.assign(last_byte_, {});
    for (std::size_t byte = first_byte_; byte < last_byte_; ++byte) {
        auto& table = tables_[byte];
        for (std::size_t bit = 0; bit < 8; ++bit) {
            std::uint64_t const added = image[8 * byte + bit];
            std::size_t const known = std::size_t{1} << bit;
            for (std::size_t value = 0; value < known; ++value) table[known + value] = table[value] ^ added;
        }
    }
}

/// Address bits join one after the other; each adds a dimension to what the fields see of them, or none.
void Mapping::count_reach(Images const& image) {
    int const group_at = bank_at + static_cast<int>(masks(Field::bank).size());
    int const rank_at = group_at + static_cast<int>(masks(Field::group).size());
    std::array const lowest{channel_at, rank_at, group_at, bank_at, 0};
    for (std::size_t f = 0; f < lowest.size(); ++f) {
        Elimination fields(lowest[f]);
        std::uint8_t rank = 0;
        for (std::size_t bit = 0; bit < static_cast<std::size_t>(address_bits_); ++bit) {
            rank += fields.add(image[bit]).has_value() ? 0 : 1;
            reach_[f][bit + 1] = rank;
        }
    }
}

void Mapping::count_changes(Images const& image) {
    std::uint64_t const rows = (std::uint64_t{1} << bank_at) - 1;
    int const rank_at = bank_at + static_cast<int>(masks(Field::bank).size() + masks(Field::group).size());
    std::uint64_t const ranks = (std::uint64_t{1} << channel_at) - (std::uint64_t{1} << rank_at);
    count_changes(image, bank_at, rows, row_changes_);
    count_changes(image, channel_at, ranks, rank_changes_);
    for (int bits = offset_bits_; bits <= address_bits_; ++bits)
        row_changes_[static_cast<std::size_t>(bits)] += power_of_two(reach(Field::bank, bits) + offset_bits_ - bits);
}

/// The bursts of one place are counted by the differences that keep it, in order of their highest bits: from one burst
/// to the next the lowest of them change, one half of the time, two a quarter, and so on.
void Mapping::count_changes(Images const& image, int places_at, std::uint64_t seen, PerBits& changes) const {
    Elimination places(places_at);
    std::uint64_t together = 0;
    double share = 1.0, sum = 0.0;
    for (std::size_t bit = 0; bit < static_cast<std::size_t>(address_bits_); ++bit) {
        auto const kept = bit < static_cast<std::size_t>(offset_bits_) ? std::nullopt : places.add(image[bit]);
        if (kept) {
            together ^= *kept;
            share /= 2.0;
            sum += (together & seen) != 0 ? share : 0.0;
        }
        changes[bit + 1] = sum;
    }
}

Coordinates Mapping::coordinates(std::uint64_t address) const {
    Coordinates result;
    for (std::size_t f = 0; f < field_count; ++f) result.of[f] = gather(masks_[f], address);
    return result;
}

std::uint64_t Mapping::address(Coordinates const& coordinates) const {
    auto const images = gf2::inverse_images(all_rows(masks_), ones(offset_bits_, address_bits_));
    std::uint64_t result = 0;
    std::size_t at = 0;
    for (std::size_t f = 0; f < field_count; ++f) {
        for (std::size_t i = 0; i < masks_[f].size(); ++i, ++at) {
            if (((coordinates.of[f] >> i) & 1) != 0) result ^= images[at];
        }
    }
    return result;
}

int Mapping::translation_bit() const {
    std::uint64_t lanes = 0;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank}) {
        for (auto const mask : masks(field)) lanes |= mask;
    }
    auto const& rows = masks(Field::row);
    for (int bit = std::max(offset_bits_, 64 - std::countl_zero(lanes)); bit < address_bits_; ++bit) {
        // Each address bit contributes a vector of row bits: those at or above `bit` must be independent and meet the
        // span of those below only in 0. Then two rows are equal iff both parts are.
        std::vector<std::uint64_t> above, all;
        std::size_t below_rank = 0;
        for (int a = offset_bits_; a < address_bits_; ++a) {
            std::uint64_t image = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) image |= ((rows[i] >> a) & 1) << i;
            if (a == bit) below_rank = gf2::rank(all);
            all.push_back(image);
            if (a >= bit) above.push_back(image);
        }
        if (gf2::rank(above) == above.size() && gf2::rank(all) == below_rank + above.size()) return bit;
    }
    return address_bits_;
}

}  // namespace pimdse::sim::dram
