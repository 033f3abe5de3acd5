#include "models/umdam/written_mapping.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <bit>
#include <regex>
#include <sstream>
#include <string_view>

namespace pimdse::models::umdam {
namespace {

using sim::dram::BitOrder;
using sim::dram::Field;
using sim::dram::FieldBits;
using sim::dram::FieldXor;

constexpr std::array<std::string_view, 7> item_names{"row", "colm", "bank", "group", "channel", "coll", "rank"};

int bits(std::int64_t count) { return std::countr_zero(static_cast<std::uint64_t>(count)); }

std::vector<std::string> split(std::string const& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

bool is_order(std::string const& first) { return first.find('-') != std::string::npos; }

bool is_coll(std::string const& field) {
    static std::regex const coll("coll[0-9]*");
    return std::regex_match(field, coll);
}

std::string refusal_of_order(std::vector<std::string> fields) {
    for (auto& field : fields) {
        if (field.size() <= 6 && is_coll(field)) field = "coll";
    }
    auto known = field_items();
    known.emplace_back("rank");
    for (auto const& field : fields) {
        if (std::find(known.begin(), known.end(), field) == known.end())
            return fmt::format("'{}' is not a field (fields are {})", field, fmt::join(known, ", "));
    }
    std::sort(fields.begin(), fields.end());
    if (std::adjacent_find(fields.begin(), fields.end()) != fields.end()) return "a field is named twice";
    for (auto const& needed : field_items()) {
        if (!std::binary_search(fields.begin(), fields.end(), needed))
            return fmt::format("field '{}' is missing", needed);
    }
    return "";
}

/// Refusal of the tokens from `first` on.
std::string refusal_of_tokens(std::vector<std::string> const& tokens, std::size_t first) {
    static std::regex const field("of[0-9]+|(ch|ra|pc|bg|ba|ro|co)[0-9]+"),
        hash("x(\\.(ch|ra|pc|bg|ba|ro|co)){2}\\.[0-9]{1,2}\\.[0-9]{1,2}");
    for (std::size_t i = first; i < tokens.size(); ++i) {
        bool const known = std::regex_match(tokens[i], hash) || (first == 0 && std::regex_match(tokens[i], field));
        if (!known)
            return fmt::format("'{}' is not a token such as {}x.ba.ro.0.2", tokens[i],
                               first == 0 ? "of5, co3, ch2, bg2, ba2, ro17 or " : "");
    }
    return "";
}

OrderItem item_named(std::string const& name) {
    auto const found = std::ranges::find(item_names, name);
    sim::expects(found != item_names.end(), "an order names fields");
    return static_cast<OrderItem>(found - item_names.begin());
}

/// Appends bits of one field; adjacent bits of the same field form one part.
void append(BitOrder& order, Field field, int width) {
    if (width == 0) return;
    auto* const last = order.parts.empty() ? nullptr : std::get_if<FieldBits>(&order.parts.back());
    if (last != nullptr && last->field == field) {
        last->count += width;
    } else {
        order.parts.emplace_back(FieldBits{field, width});
    }
}

BitOrder bits_of(FieldOrder const& fields, Organisation const& o, int coll_bits) {
    int const columns = bits(o.columns());
    int const coll = fields.coll_bits.value_or(coll_bits);
    if (coll > columns)
        throw sim::InputError(
            fmt::format("ColL = {} exceeds the {} column bits of a {} B row", coll, columns, o.row_bytes));
    auto const& items = fields.highest_first;
    bool const rank_named = std::ranges::find(items, OrderItem::rank) != items.end();
    BitOrder order{bits(o.burst_bytes), {}};
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
        if (*item == OrderItem::coll) append(order, Field::column, coll);
        if (*item == OrderItem::colm) append(order, Field::column, columns - coll);
        if (*item == OrderItem::channel) append(order, Field::channel, bits(o.channels));
        if (*item == OrderItem::rank || (*item == OrderItem::channel && !rank_named))
            append(order, Field::rank, bits(o.ranks));
        if (*item == OrderItem::group) append(order, Field::group, bits(o.bank_groups));
        if (*item == OrderItem::bank) append(order, Field::bank, bits(o.banks));
        if (*item == OrderItem::row) append(order, Field::row, bits(o.rows));
    }
    return order;
}

/// A memory without channel interleaving: UMDAM's order with the channel above the row.
FieldOrder channel_highest() {
    using enum OrderItem;
    return {{channel, row, colm, bank, group, coll}, std::nullopt};
}

struct OnMemory {
    Organisation const& organisation;
    int coll_bits;

    BitOrder operator()(std::string const& name) const {
        if (name == "channel_msb") return bits_of(channel_highest(), organisation, coll_bits);
        return sim::dram::named_order(name, organisation, coll_bits);
    }
    BitOrder operator()(FieldOrder const& order) const { return bits_of(order, organisation, coll_bits); }
    BitOrder operator()(BitOrder const& order) const { return order; }
};

/// A term refers only to the parts before it.
void check_term(FieldXor const& term, BitOrder const& before) {
    int const width = width_of(before, term.from);
    if (term.shift + term.count > width || term.count < 1)
        throw sim::InputError(fmt::format("{} reads bits {} to {} of {}, which has {}", text_of(term), term.shift,
                                          term.shift + term.count - 1, short_name(term.from), width));
}

struct Text {
    std::string operator()(std::string const& name) const { return name; }
    std::string operator()(FieldOrder const& order) const {
        std::vector<std::string> names;
        for (auto const item : order.highest_first) {
            names.emplace_back(item_names[static_cast<std::size_t>(item)]);
            if (item == OrderItem::coll && order.coll_bits) names.back() += std::to_string(*order.coll_bits);
        }
        return fmt::format("{}", fmt::join(names, "-"));
    }
    std::string operator()(BitOrder const& order) const { return sim::dram::text_of(order); }
};

}  // namespace

std::vector<std::string> field_items() { return {"row", "colm", "bank", "group", "channel", "coll"}; }

std::string refusal_of_mapping(std::string const& text) {
    auto const tokens = split(text, ' ');
    if (tokens.empty()) return "it is empty";
    bool const order = is_order(tokens.front());
    if (auto why = order ? refusal_of_order(split(tokens.front(), '-')) : std::string(); !why.empty()) return why;
    return refusal_of_tokens(tokens, order || sim::dram::is_mapping_name(tokens.front()) ? 1 : 0);
}

FieldOrder read_order(std::vector<std::string> const& highest_first) {
    FieldOrder order;
    for (auto const& field : highest_first) {
        bool const coll = is_coll(field);
        if (coll && field.size() > 4) order.coll_bits = std::stoi(field.substr(4));
        order.highest_first.push_back(coll ? OrderItem::coll : item_named(field));
    }
    return order;
}

WrittenMapping read_mapping(std::string const& text) {
    auto const tokens = split(text, ' ');
    auto const& first = tokens.front();
    if (!is_order(first) && !sim::dram::is_mapping_name(first)) return {sim::dram::parse_order(text), {}};
    WrittenMapping mapping;
    if (is_order(first))
        mapping.order = read_order(split(first, '-'));
    else
        mapping.order = first;
    for (std::size_t i = 1; i < tokens.size(); ++i) mapping.terms.push_back(sim::dram::parse_xor(tokens[i]));
    return mapping;
}

std::string text_of(WrittenMapping const& mapping) {
    auto text = std::visit(Text{}, mapping.order);
    for (auto const& term : mapping.terms) text.append(1, ' ').append(sim::dram::text_of(term));
    return text;
}

BitOrder order_on(WrittenMapping const& mapping, Organisation const& organisation, int coll_bits) {
    int const coll = coll_bits >= 0 ? coll_bits : std::min(paper_coll_bits, bits(organisation.columns()));
    auto order = std::visit(OnMemory{organisation, coll}, mapping.order);
    if (std::holds_alternative<BitOrder>(mapping.order)) {
        BitOrder before{order.offset_bits, {}};
        for (auto const& part : order.parts) {
            if (auto const* term = std::get_if<FieldXor>(&part)) check_term(*term, before);
            before.parts.push_back(part);
        }
    }
    for (auto const& term : mapping.terms) {
        check_term(term, order);
        order.parts.emplace_back(term);
    }
    return order;
}

int matching_coll_bits(sim::dram::Mapping const& mapping) {
    std::uint64_t others = 0;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::row}) {
        for (auto const mask : mapping.masks(field)) others |= mask;
    }
    int const lowest = others == 0 ? mapping.address_bits() : std::countr_zero(others);
    return lowest - mapping.offset_bits();
}

}  // namespace pimdse::models::umdam
