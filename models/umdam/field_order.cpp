#include "models/umdam/field_order.hpp"

#include "sim/check.hpp"
#include "sim/dram/gf2.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <bit>
#include <regex>
#include <set>
#include <sstream>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;

int bits(std::int64_t count) { return std::countr_zero(static_cast<std::uint64_t>(count)); }

std::vector<std::string> split(std::string const& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

std::string refusal_of_order(std::vector<std::string> fields) {
    auto known = field_items();
    known.push_back("rank");
    for (auto const& field : fields) {
        if (std::find(known.begin(), known.end(), field) == known.end())
            return fmt::format("'{}' is no field; fields are {}", field, fmt::join(known, ", "));
    }
    std::sort(fields.begin(), fields.end());
    if (std::adjacent_find(fields.begin(), fields.end()) != fields.end()) return "a field is named twice";
    for (auto const& needed : field_items()) {
        if (!std::binary_search(fields.begin(), fields.end(), needed)) return fmt::format("field '{}' is missing", needed);
    }
    return "";
}

std::string refusal_of_tokens(std::vector<std::string> const& tokens) {
    static std::regex const token("of[0-9]+|(ch|ra|pc|bg|ba|ro|co)[0-9]+|x(\\.(ch|ra|pc|bg|ba|ro|co)){2}\\.[0-9]+\\.[0-9]+");
    for (auto const& t : tokens) {
        if (!std::regex_match(t, token)) return fmt::format("'{}' is no token such as of5, co3, ch2, bg2, ba2, ro17 or x.ba.ro.0.2", t);
    }
    return "";
}

/// Bits of one field, next to bits of the same field as one token.
void append(std::vector<std::pair<std::string_view, int>>& tokens, std::string_view field, int width) {
    if (width == 0) return;
    if (!tokens.empty() && tokens.back().first == field) {
        tokens.back().second += width;
    } else {
        tokens.emplace_back(field, width);
    }
}

/// The orders of row_highest_orders for one ColL, appended.
void add_orders(Organisation const& o, int coll, std::set<std::string>& seen, std::vector<std::string>& orders) {
    std::vector<std::string> fields{"bank", "channel", "colm", "group"};
    do {
        std::vector<std::string> order{"row"};
        order.insert(order.end(), fields.begin(), fields.end());
        order.emplace_back("coll");
        auto text = tokens_of_order(order, o, coll);
        if (seen.insert(text).second) orders.push_back(std::move(text));
    } while (std::next_permutation(fields.begin(), fields.end()));
}

}  // namespace

std::vector<std::string> field_items() { return {"row", "colm", "bank", "group", "channel", "coll"}; }

std::string refusal_of_mapping(std::string const& text) {
    if (text.find('-') != std::string::npos) return refusal_of_order(split(text, '-'));
    auto const tokens = split(text, ' ');
    if (tokens.empty()) return "it is empty";
    auto const names = sim::dram::Mapping::named();
    if (tokens.size() == 1 && std::find(names.begin(), names.end(), text) != names.end()) return "";
    return refusal_of_tokens(tokens);
}

std::string tokens_of_order(std::vector<std::string> const& highest_first, Organisation const& o, int coll_bits) {
    int const columns = bits(o.columns());
    bool const rank_named = std::find(highest_first.begin(), highest_first.end(), "rank") != highest_first.end();
    std::vector<std::pair<std::string_view, int>> tokens{{"of", bits(o.burst_bytes)}};
    for (auto field = highest_first.rbegin(); field != highest_first.rend(); ++field) {
        if (*field == "coll") append(tokens, "co", coll_bits);
        if (*field == "colm") append(tokens, "co", columns - coll_bits);
        if (*field == "channel") append(tokens, "ch", bits(o.channels));
        if (*field == "rank" || (*field == "channel" && !rank_named)) append(tokens, "ra", bits(o.ranks));
        if (*field == "group") append(tokens, "bg", bits(o.bank_groups));
        if (*field == "bank") append(tokens, "ba", bits(o.banks));
        if (*field == "row") append(tokens, "ro", bits(o.rows));
    }
    std::string text;
    for (auto const& [name, width] : tokens) text += fmt::format("{}{}{}", text.empty() ? "" : " ", name, width);
    return text;
}

std::string channel_highest_order(Organisation const& organisation, int coll_bits) {
    return tokens_of_order({"channel", "row", "colm", "bank", "group", "coll"}, organisation, coll_bits);
}

std::string mapping_text(Parameter const& parameter, Value const& value, Organisation const& organisation, int coll_bits) {
    if (value.kind() == Kind::permutation)
        return tokens_of_order(permutation(parameter.items, value.as_permutation()), organisation, coll_bits);
    auto const& text = parameter.choices.at(value.as_choice());
    if (text == "channel_msb") return channel_highest_order(organisation, coll_bits);
    return text.find('-') == std::string::npos ? text : tokens_of_order(split(text, '-'), organisation, coll_bits);
}

std::vector<std::string> row_highest_orders(Organisation const& organisation) {
    std::set<std::string> seen;
    std::vector<std::string> orders;
    for (int coll = 0; coll <= bits(organisation.columns()); ++coll) add_orders(organisation, coll, seen, orders);
    return orders;
}

std::vector<std::uint64_t> class_key(sim::dram::Mapping const& mapping, Groups groups) {
    std::vector<std::uint64_t> key, rows;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::row}) {
        auto const& masks = mapping.masks(field);
        rows.insert(rows.end(), masks.begin(), masks.end());
        if (field == Field::group && groups == Groups::merged) continue;
        auto const basis = sim::dram::gf2::row_echelon(rows);
        key.push_back(basis.size());
        key.insert(key.end(), basis.begin(), basis.end());
    }
    return key;
}

}  // namespace pimdse::models::umdam
