#include "sim/dram/mapping/mapping_text.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <utility>

namespace pimdse::sim::dram {
namespace {

std::optional<Field> field_named(std::string_view word) {
    if (word == "pc") return Field::rank;
    for (std::size_t i = 0; i < field_count; ++i) {
        if (word == short_name(static_cast<Field>(i))) return static_cast<Field>(i);
    }
    return std::nullopt;
}

std::optional<int> number(std::string_view text) {
    int value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > 63) return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        auto const at = text.find(separator);
        if (auto const part = text.substr(0, at); !part.empty() || separator != ' ') parts.push_back(part);
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

[[noreturn]] void refuse(std::string_view token, std::string_view why) {
    throw InputError(
        fmt::format("mapping token '{}' {}. Tokens: of5 ch2 ra1 pc1 bg2 ba2 ro15 co6 and x.D.S.k.n?", token, why));
}

struct Widths {
    int of, ch, ra, bg, ba, ro, co;
};

Widths widths(Organisation const& o) {
    auto const bits = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    return {bits(o.burst_bytes), bits(o.channels), bits(o.ranks),    bits(o.bank_groups),
            bits(o.banks),       bits(o.rows),     bits(o.columns())};
}

/// Four bursts in a row, then channels and banks, each XORed with the next column bits.
BitOrder mop_with_xor(Widths const& w) {
    using enum Field;
    int const low = std::min(2, w.co);
    BitOrder order{w.of,
                   {FieldBits{column, low}, FieldBits{channel, w.ch}, FieldBits{rank, w.ra}, FieldBits{group, w.bg},
                    FieldBits{bank, w.ba}, FieldBits{column, w.co - low}, FieldBits{row, w.ro}}};
    int used = 0;
    for (auto const& [field, bits] :
         {std::pair{channel, w.ch}, {rank, w.ra}, {group, w.bg}, {bank, w.ba}, {row, w.ro}}) {
        int const count = std::min(bits, w.co - used);
        if (count > 0) order.parts.emplace_back(FieldXor{field, column, used, count});
        used += std::max(count, 0);
    }
    return order;
}

/// Every field whole, the lowest first.
BitOrder whole_fields(Widths const& w, std::initializer_list<Field> fields) {
    BitOrder order{w.of, {}};
    std::array<int, field_count> const bits{w.ch, w.ra, w.bg, w.ba, w.ro, w.co};
    for (auto const field : fields) order.parts.emplace_back(FieldBits{field, bits[static_cast<std::size_t>(field)]});
    return order;
}

}  // namespace

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
    int const low =
        coll_bits >= 0 ? coll_bits : std::clamp(8 - w.of, 0, w.co);  // 256 B to a bank, as the paper's ColL = 3
    if (low > w.co)
        throw InputError(fmt::format("coll_bits = {} exceeds the {} column bits of the organisation", low, w.co));
    if (name == "channel_msb") {
        return {w.of,
                {FieldBits{column, low}, FieldBits{group, w.bg}, FieldBits{bank, w.ba}, FieldBits{column, w.co - low},
                 FieldBits{row, w.ro}, FieldBits{channel, w.ch}, FieldBits{rank, w.ra}}};
    }
    return {w.of,
            {FieldBits{column, low}, FieldBits{channel, w.ch}, FieldBits{rank, w.ra}, FieldBits{group, w.bg},
             FieldBits{bank, w.ba}, FieldBits{column, w.co - low}, FieldBits{row, w.ro}}};
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
    for (auto const token : split(tokens, ' ')) {
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
        if (!field) refuse(token, "names no field");
        order.parts.emplace_back(FieldBits{*field, *bits});
        at += *bits;
    }
    return order;
}

Mapping parse_mapping(std::string_view text, Organisation const& organisation, int coll_bits) {
    auto const first = text.substr(0, text.find(' '));
    if (!is_mapping_name(first)) {
        if (text.find(' ') == std::string_view::npos && (text.size() < 3 || !number(text.substr(2))))
            throw InputError(fmt::format("unknown mapping '{}' (neither a named order nor tokens).{}", text,
                                         suggestion(text, mapping_names())));
        return make_mapping(parse_order(text), organisation).called(std::string(text));
    }
    auto order = named_order(first, organisation, coll_bits);
    auto const more = parse_order(text.substr(first.size()));
    if (more.offset_bits != 0)
        refuse(fmt::format("of{}", more.offset_bits), "must come first (the byte offset is lowest)");
    order.parts.insert(order.parts.end(), more.parts.begin(), more.parts.end());
    return make_mapping(order, organisation);
}

}  // namespace pimdse::sim::dram
