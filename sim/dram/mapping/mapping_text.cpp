#include "sim/base/check.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/mapping/mapping.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace pimdse::sim::dram {
namespace {

std::optional<Field> field_named(std::string_view word) {
    if (word == "ch") return Field::channel;
    if (word == "ra" || word == "pc") return Field::rank;
    if (word == "bg") return Field::group;
    if (word == "ba") return Field::bank;
    if (word == "ro") return Field::row;
    if (word == "co") return Field::column;
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

/// D ^= (S >> k) & (2^n - 1)
void apply_xor(Mapping::Masks& masks, std::string_view token) {
    auto const parts = split(token, '.');
    if (parts.size() != 5) refuse(token, "is not x.D.S.k.n");
    auto const target = field_named(parts[1]), source = field_named(parts[2]);
    auto const shift = number(parts[3]), count = number(parts[4]);
    if (!target || !source || !shift || !count) refuse(token, "is not x.D.S.k.n with fields D, S and numbers k, n");
    auto& into = masks[static_cast<std::size_t>(*target)];
    auto const from = masks[static_cast<std::size_t>(*source)];
    for (int i = 0; i < *count && static_cast<std::size_t>(*shift + i) < from.size(); ++i) {
        if (static_cast<std::size_t>(i) >= into.size())
            refuse(token, fmt::format("writes bit {} of a field of {} bits", i, into.size()));
        into[static_cast<std::size_t>(i)] ^= from[static_cast<std::size_t>(*shift + i)];
    }
}

struct Parsed {
    Mapping::Masks masks;
    int offset_bits = 0;
};

Parsed parse_tokens(std::string_view text) {
    Parsed result;
    int at = 0;
    for (auto const token : split(text, ' ')) {
        if (token.substr(0, 2) == "x.") {
            apply_xor(result.masks, token);
            continue;
        }
        auto const bits = token.size() > 2 ? number(token.substr(2)) : std::nullopt;
        if (!bits) refuse(token, "has no bit count");
        if (at + *bits > 48) refuse(token, "goes beyond 48 address bits");
        if (token.substr(0, 2) == "of") {
            if (at != 0) refuse(token, "must come first (the byte offset is lowest)");
            result.offset_bits = at = *bits;
            continue;
        }
        auto const field = field_named(token.substr(0, 2));
        if (!field) refuse(token, "names no field");
        for (int i = 0; i < *bits; ++i)
            result.masks[static_cast<std::size_t>(*field)].push_back(std::uint64_t{1} << at++);
    }
    return result;
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
std::string mop_with_xor(Widths const& w) {
    int const low = std::min(2, w.co);
    auto text =
        fmt::format("of{} co{} ch{} ra{} bg{} ba{} co{} ro{}", w.of, low, w.ch, w.ra, w.bg, w.ba, w.co - low, w.ro);
    int used = 0;
    for (auto const& [name, bits] : {std::pair{"ch", w.ch}, {"ra", w.ra}, {"bg", w.bg}, {"ba", w.ba}, {"ro", w.ro}}) {
        int const count = std::min(bits, w.co - used);
        if (count > 0) text += fmt::format(" x.{}.co.{}.{}", name, used, count);
        used += std::max(count, 0);
    }
    return text;
}

std::string tokens_of(std::string_view name, Organisation const& organisation, int coll_bits) {
    auto const w = widths(organisation);
    auto const order = [&](std::string_view fields) {
        auto text = fmt::format("of{}", w.of);
        for (auto const field : split(fields, ' ')) {
            int const bits = field == "ch"   ? w.ch
                             : field == "ra" ? w.ra
                             : field == "bg" ? w.bg
                             : field == "ba" ? w.ba
                             : field == "ro" ? w.ro
                                             : w.co;
            text += fmt::format(" {}{}", field, bits);
        }
        return text;
    };
    if (name == "conventional" || name == "CONV_RoCoBaRaCh") return order("ch ra bg ba co ro");
    if (name == "ChRaBaRoCo") return order("co ro ba bg ra ch");
    if (name == "RoBaRaCoCh") return order("ch co ra bg ba ro");
    if (name == "RoBaRaChCo") return order("co ch ra bg ba ro");
    if (name == "RoRaBaCoCh") return order("ch co bg ba ra ro");
    if (name == "RoRaBgBaCoCh") return order("ch co ba bg ra ro");
    if (name == "MOP4CLXOR") return mop_with_xor(w);
    int const low =
        coll_bits >= 0 ? coll_bits : std::clamp(8 - w.of, 0, w.co);  // 256 B to a bank, as the paper's ColL = 3
    if (low > w.co)
        throw InputError(fmt::format("coll_bits = {} exceeds the {} column bits of the organisation", low, w.co));
    if (name == "channel_msb")
        return fmt::format("of{} co{} bg{} ba{} co{} ro{} ch{} ra{}", w.of, low, w.bg, w.ba, w.co - low, w.ro, w.ch,
                           w.ra);
    return fmt::format("of{} co{} ch{} ra{} bg{} ba{} co{} ro{}", w.of, low, w.ch, w.ra, w.bg, w.ba, w.co - low, w.ro);
}

}  // namespace

std::vector<std::string> Mapping::named() {
    return {"umdam",      "conventional", "channel_msb", "RoBaRaCoCh",      "RoBaRaChCo",          "ChRaBaRoCo",
            "RoRaBaCoCh", "RoRaBgBaCoCh", "MOP4CLXOR",   "CONV_RoCoBaRaCh", "UMDAM_RoCoMBaRaChCoL"};
}

Mapping Mapping::parse(std::string_view text, Organisation const& organisation, int coll_bits) {
    auto const names = named();
    auto const first = text.substr(0, text.find(' '));
    bool const is_name = std::find(names.begin(), names.end(), first) != names.end();
    if (!is_name && text.find(' ') == std::string_view::npos && (text.size() < 3 || !number(text.substr(2)))) {
        throw InputError(
            fmt::format("unknown mapping '{}' (neither a named order nor tokens).{}", text, suggestion(text, names)));
    }
    auto const tokens =
        is_name ? tokens_of(first, organisation, coll_bits).append(text.substr(first.size())) : std::string(text);
    auto parsed = parse_tokens(tokens);
    auto mapping = from_masks(std::move(parsed.masks), parsed.offset_bits, organisation);
    mapping.text_ = tokens;
    return mapping;
}

}  // namespace pimdse::sim::dram
