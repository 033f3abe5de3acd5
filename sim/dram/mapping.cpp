#include "sim/dram/mapping.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/gf2.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <initializer_list>
#include <optional>

namespace pimdse::sim::dram {
namespace {

constexpr std::array<std::string_view, field_count> field_words{
    "channel", "rank (pseudo channel)", "bank group", "bank", "row", "column"};

// Layout of a packed place: the row in the lowest bits, then the bank, then the channel.
constexpr int bank_at = 32, channel_at = 48;

std::array<int, field_count> field_sizes(Organisation const& o) {
    return {o.channels, o.ranks, o.bank_groups, o.banks, o.rows, o.columns()};
}

std::vector<std::uint64_t> all_rows(Mapping::Masks const& masks) {
    std::vector<std::uint64_t> rows;
    for (auto const& field : masks) rows.insert(rows.end(), field.begin(), field.end());
    return rows;
}

std::uint64_t ones(int lower, int upper) {
    return (upper >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << upper) - 1) & ~((std::uint64_t{1} << lower) - 1);
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
                fmt::format("a bit mapping cannot address {} {}s (not a power of two)", sizes[f], field_words[f]));
        } else if (is_row ? given > bits_of(sizes[f]) : given != bits_of(sizes[f])) {
            mistakes.push_back(fmt::format("the mapping has {} {} bits but the organisation has {} (2^{} = {}).{}",
                                           given, field_words[f], bits_of(sizes[f]), bits_of(sizes[f]), sizes[f],
                                           is_row ? " A larger density?" : ""));
        }
    }
    if (!mistakes.empty()) throw InputError(mistakes);
}

void check_invertible(Mapping::Masks const& masks, int offset_bits, int address_bits) {
    if (auto const collision = gf2::kernel_vector(all_rows(masks), ones(offset_bits, address_bits))) {
        throw InputError(
            "the mapping is singular (addresses 0x0 and 0x{:x} go to the same cell). An XOR term that cancels a bit?",
            *collision);
    }
}

std::optional<Field> field_named(std::string_view word) {
    if (word == "pc") return Field::rank;
    for (std::size_t i = 0; i < field_count; ++i) {
        if (word == short_name(static_cast<Field>(i))) return static_cast<Field>(i);
    }
    return std::nullopt;
}

std::optional<int> number(std::string_view text) {
    auto const value = number_in<int>(text);
    return value && *value >= 0 && *value <= 63 ? value : std::nullopt;
}

[[noreturn]] void refuse(std::string_view token, std::string_view why) {
    throw InputError("mapping token '{}' {}. Tokens: of5 ch2 ra1 pc1 bg2 ba2 ro15 co6 and x.D.S.k.n?", token, why);
}

struct Widths {
    int of, ch, ra, bg, ba, ro, co;
};

Widths widths(Organisation const& o) {
    auto const bits = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    return {bits(o.burst_bytes), bits(o.channels), bits(o.ranks),    bits(o.bank_groups),
            bits(o.banks),       bits(o.rows),     bits(o.columns())};
}

/// Four consecutive bursts, then channels and banks, each XORed with the next column bits.
BitOrder mop_with_xor(Widths const& w) {
    using enum Field;
    int const lower = std::min(2, w.co);
    BitOrder order{w.of,
                   {FieldBits{column, lower}, FieldBits{channel, w.ch}, FieldBits{rank, w.ra}, FieldBits{group, w.bg},
                    FieldBits{bank, w.ba}, FieldBits{column, w.co - lower}, FieldBits{row, w.ro}}};
    int used = 0;
    for (auto const& [field, bits] :
         {std::pair{channel, w.ch}, {rank, w.ra}, {group, w.bg}, {bank, w.ba}, {row, w.ro}}) {
        int const count = std::min(bits, w.co - used);
        if (count > 0) order.parts.emplace_back(FieldXor{field, column, used, count});
        used += std::max(count, 0);
    }
    return order;
}

/// Every field as one contiguous piece, the lowest one first.
BitOrder whole_fields(Widths const& w, std::initializer_list<Field> fields) {
    BitOrder order{w.of, {}};
    std::array<int, field_count> const bits{w.ch, w.ra, w.bg, w.ba, w.ro, w.co};
    for (auto const field : fields) order.parts.emplace_back(FieldBits{field, bits[static_cast<std::size_t>(field)]});
    return order;
}

constexpr int max_address_bits = 48;

class Masks {
  public:
    explicit Masks(int offset_bits) : at_(offset_bits) {}

    void add(FieldBits const& bits) {
        if (at_ + bits.count > max_address_bits)
            throw InputError("{} {} bits above bit {} go beyond {} address bits", bits.count, short_name(bits.field),
                             at_, max_address_bits);
        for (int i = 0; i < bits.count; ++i) of(bits.field).push_back(std::uint64_t{1} << at_++);
    }

    void add(FieldXor const& term) {
        auto& into = of(term.into);
        auto const from = of(term.from);
        for (int i = 0; i < term.count && static_cast<std::size_t>(term.shift + i) < from.size(); ++i) {
            if (static_cast<std::size_t>(i) >= into.size())
                throw InputError("mapping token '{}' writes bit {} of a field of {} bits", text_of(term), i,
                                 into.size());
            into[static_cast<std::size_t>(i)] ^= from[static_cast<std::size_t>(term.shift + i)];
        }
    }

    [[nodiscard]] Mapping::Masks const& all() const { return masks_; }

  private:
    std::vector<std::uint64_t>& of(Field field) { return masks_[static_cast<std::size_t>(field)]; }

    Mapping::Masks masks_;
    int at_;
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
        throw InputError("the mapping has {} offset bits but a burst is {} B. of{}?", offset_bits_,
                         organisation.burst_bytes, bits_of(organisation.burst_bytes));
    }
    check_widths(masks_, organisation);
    if (address_bits_ > 48)
        throw InputError("the mapping has {} address bits (at most 48 are supported)", address_bits_);
    for (auto const row : all_rows(masks_)) {
        if ((row & ~ones(offset_bits_, address_bits_)) != 0) {
            throw InputError(
                "mask 0x{:x} reads bits outside {}..{} (only address bits above the burst offset select a cell)", row,
                offset_bits_, address_bits_ - 1);
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

/// Adds address bits one after the other. Each one adds a dimension to the image of the fields, or none.
void Mapping::count_reach(Images const& image) {
    int const group_at = bank_at + static_cast<int>(masks(Field::bank).size());
    int const rank_at = group_at + static_cast<int>(masks(Field::group).size());
    std::array const lowest{channel_at, rank_at, group_at, bank_at, 0};
    for (std::size_t f = 0; f < lowest.size(); ++f) {
        gf2::Sums fields(lowest[f]);
        std::uint8_t rank = 0;
        for (std::size_t bit = 0; bit < static_cast<std::size_t>(address_bits_); ++bit) {
            rank += (fields.add({image[bit]}).vector >> lowest[f]) != 0 ? 1 : 0;
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

/// Bursts of one place differ by vectors that leave the place unchanged, ordered by their highest bits. From one burst
/// to the next, only the lowest vector changes half of the time, the lowest two a quarter of the time, and so on.
void Mapping::count_changes(Images const& image, int places_at, std::uint64_t seen, PerBits& changes) const {
    gf2::Sums places(places_at);
    std::uint64_t together = 0;
    double share = 1.0, sum = 0.0;
    for (std::size_t bit = 0; bit < static_cast<std::size_t>(address_bits_); ++bit) {
        bool const selects = bit >= static_cast<std::size_t>(offset_bits_);
        auto const left = places.add({selects ? image[bit] : 0}).vector;
        if (selects && (left >> places_at) == 0) {
            together ^= left;
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
        // Each address bit contributes a vector of row bits. Those at or above `bit` must be independent, and their
        // span must meet the span of those below only in 0. Then two rows are equal iff both parts are.
        std::vector<std::uint64_t> above, all;
        std::size_t below_rank = 0;
        for (int a = offset_bits_; a < address_bits_; ++a) {
            auto const image = gf2::column(rows, a);
            if (a == bit) below_rank = gf2::rank(all);
            all.push_back(image);
            if (a >= bit) above.push_back(image);
        }
        if (gf2::rank(above) == above.size() && gf2::rank(all) == below_rank + above.size()) return bit;
    }
    return address_bits_;
}

std::vector<std::string> mapping_names() {
    return {"umdam",      "conventional", "channel_msb", "RoBaRaCoCh",      "RoBaRaChCo",          "ChRaBaRoCo",
            "RoRaBaCoCh", "RoRaBgBaCoCh", "MOP4CLXOR",   "CONV_RoCoBaRaCh", "UMDAM_RoCoMBaRaChCoL"};
}

bool is_mapping_name(std::string_view text) {
    auto const names = mapping_names();
    return std::find(names.begin(), names.end(), text) != names.end();
}

BitOrder named_order(std::string_view name, Organisation const& organisation, int coll_bits) {
    using enum Field;
    auto const w = widths(organisation);
    if (name == "conventional" || name == "CONV_RoCoBaRaCh")
        return whole_fields(w, {channel, rank, group, bank, column, row});
    if (name == "ChRaBaRoCo") return whole_fields(w, {column, row, bank, group, rank, channel});
    if (name == "RoBaRaCoCh") return whole_fields(w, {channel, column, rank, group, bank, row});
    if (name == "RoBaRaChCo") return whole_fields(w, {column, channel, rank, group, bank, row});
    if (name == "RoRaBaCoCh") return whole_fields(w, {channel, column, group, bank, rank, row});
    if (name == "RoRaBgBaCoCh") return whole_fields(w, {channel, column, bank, group, rank, row});
    if (name == "MOP4CLXOR") return mop_with_xor(w);
    int const lower =
        coll_bits >= 0 ? coll_bits : std::clamp(8 - w.of, 0, w.co);  // 256 B to a bank, as the paper's ColL = 3
    if (lower > w.co) throw InputError("coll_bits = {} exceeds the {} column bits of the organisation", lower, w.co);
    if (name == "channel_msb") {
        return {
            w.of,
            {FieldBits{column, lower}, FieldBits{group, w.bg}, FieldBits{bank, w.ba}, FieldBits{column, w.co - lower},
             FieldBits{row, w.ro}, FieldBits{channel, w.ch}, FieldBits{rank, w.ra}}};
    }
    return {w.of,
            {FieldBits{column, lower}, FieldBits{channel, w.ch}, FieldBits{rank, w.ra}, FieldBits{group, w.bg},
             FieldBits{bank, w.ba}, FieldBits{column, w.co - lower}, FieldBits{row, w.ro}}};
}

FieldXor parse_xor(std::string_view token) {
    auto const parts = split(token, '.');
    if (parts.size() != 5) refuse(token, "is not x.D.S.k.n");
    auto const into = field_named(parts[1]), from = field_named(parts[2]);
    auto const shift = number(parts[3]), count = number(parts[4]);
    if (!into || !from || !shift || !count) refuse(token, "is not x.D.S.k.n with fields D, S and numbers k, n");
    return {*into, *from, *shift, *count};
}

BitOrder parse_order(std::string_view tokens) {
    BitOrder order;
    int at = 0;
    for (auto const& token : words_of(tokens, ' ')) {
        if (token.substr(0, 2) == "x.") {
            order.parts.emplace_back(parse_xor(token));
            continue;
        }
        auto const bits = token.size() > 2 ? number(token.substr(2)) : std::nullopt;
        if (!bits) refuse(token, "has no bit count");
        if (at + *bits > 48) refuse(token, "goes beyond 48 address bits");
        if (token.substr(0, 2) == "of") {
            if (at != 0) refuse(token, "must come first (the byte offset is lowest)");
            order.offset_bits = at = *bits;
            continue;
        }
        auto const field = field_named(token.substr(0, 2));
        if (!field) refuse(token, "does not name a field");
        order.parts.emplace_back(FieldBits{*field, *bits});
        at += *bits;
    }
    return order;
}

Mapping parse_mapping(std::string_view text, Organisation const& organisation, int coll_bits) {
    auto const first = text.substr(0, text.find(' '));
    if (!is_mapping_name(first)) {
        if (text.find(' ') == std::string_view::npos && (text.size() < 3 || !number(text.substr(2))))
            throw InputError("unknown mapping '{}' (neither a named order nor tokens).{}", text,
                             suggestion(text, mapping_names()));
        return make_mapping(parse_order(text), organisation).called(std::string(text));
    }
    auto order = named_order(first, organisation, coll_bits);
    auto const more = parse_order(text.substr(first.size()));
    if (more.offset_bits != 0)
        refuse(fmt::format("of{}", more.offset_bits), "must come first (the byte offset is lowest)");
    order.parts.insert(order.parts.end(), more.parts.begin(), more.parts.end());
    return make_mapping(order, organisation);
}

int width_of(BitOrder const& order, Field field) {
    int width = 0;
    for (auto const& part : order.parts) {
        if (auto const* bits = std::get_if<FieldBits>(&part); bits != nullptr && bits->field == field)
            width += bits->count;
    }
    return width;
}

std::string text_of(FieldXor const& term) {
    return fmt::format("x.{}.{}.{}.{}", short_name(term.into), short_name(term.from), term.shift, term.count);
}

std::string text_of(BitOrder const& order) {
    auto text = fmt::format("of{}", order.offset_bits);
    for (auto const& part : order.parts) {
        text += ' ';
        if (auto const* bits = std::get_if<FieldBits>(&part))
            text += fmt::format("{}{}", short_name(bits->field), bits->count);
        else
            text += text_of(std::get<FieldXor>(part));
    }
    return text;
}

Mapping make_mapping(BitOrder const& order, Organisation const& organisation) {
    Masks masks(order.offset_bits);
    for (auto const& part : order.parts) std::visit([&](auto const& p) { masks.add(p); }, part);
    return Mapping::from_masks(masks.all(), order.offset_bits, organisation, text_of(order));
}

}  // namespace pimdse::sim::dram
