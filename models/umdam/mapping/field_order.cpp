#include "models/umdam/mapping/field_order.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <bit>
#include <regex>
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

bool is_coll(std::string const& field) {
    static std::regex const coll("coll[0-9]*");
    return std::regex_match(field, coll);
}

/// ColL of an order's `coll` or `coll4`.
int coll_of(std::string const& field, int otherwise) {
    return field == "coll" ? otherwise : std::stoi(field.substr(4));
}

std::string refusal_of_order(std::vector<std::string> fields) {
    for (auto& field : fields) {
        if (field.size() <= 6 && is_coll(field)) field = "coll";
    }
    auto known = field_items();
    known.emplace_back("rank");
    for (auto const& field : fields) {
        if (std::find(known.begin(), known.end(), field) == known.end())
            return fmt::format("'{}' is no field; fields are {}", field, fmt::join(known, ", "));
    }
    std::sort(fields.begin(), fields.end());
    if (std::adjacent_find(fields.begin(), fields.end()) != fields.end()) return "a field is named twice";
    for (auto const& needed : field_items()) {
        if (!std::binary_search(fields.begin(), fields.end(), needed))
            return fmt::format("field '{}' is missing", needed);
    }
    return "";
}

/// Of tokens from `first` on.
std::string refusal_of_tokens(std::vector<std::string> const& tokens, std::size_t first) {
    static std::regex const field("of[0-9]+|(ch|ra|pc|bg|ba|ro|co)[0-9]+"),
        hash("x(\\.(ch|ra|pc|bg|ba|ro|co)){2}\\.[0-9]{1,2}\\.[0-9]{1,2}");
    for (std::size_t i = first; i < tokens.size(); ++i) {
        bool const known = std::regex_match(tokens[i], hash) || (first == 0 && std::regex_match(tokens[i], field));
        if (!known)
            return fmt::format("'{}' is no token such as {}x.ba.ro.0.2", tokens[i],
                               first == 0 ? "of5, co3, ch2, bg2, ba2, ro17 or " : "");
    }
    return "";
}

bool is_name(std::string const& text) {
    auto const names = sim::dram::Mapping::named();
    return std::find(names.begin(), names.end(), text) != names.end();
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

/// Throws InputError if a hash reads bits that its source does not have: it would do nothing.
void check_hash(std::string const& hash, std::string const& tokens) {
    auto const parts = split(hash, '.');
    int width = 0;
    for (auto const& token : split(tokens, ' '))
        width += token.starts_with(parts.at(2)) ? std::stoi(token.substr(2)) : 0;
    int const first = std::stoi(parts.at(3)), count = std::stoi(parts.at(4));
    if (first + count > width || count < 1)
        throw sim::InputError(fmt::format("{} reads bits {} to {} of {}, which has {}", hash, first, first + count - 1,
                                          parts.at(2), width));
}

}  // namespace

std::vector<std::string> field_items() { return {"row", "colm", "bank", "group", "channel", "coll"}; }

std::string refusal_of_mapping(std::string const& text) {
    auto const tokens = split(text, ' ');
    if (tokens.empty()) return "it is empty";
    bool const order = tokens.front().find('-') != std::string::npos;
    if (auto why = order ? refusal_of_order(split(tokens.front(), '-')) : std::string(); !why.empty()) return why;
    return refusal_of_tokens(tokens, order || is_name(tokens.front()) ? 1 : 0);
}

std::string tokens_of_order(std::vector<std::string> const& highest_first, Organisation const& o, int coll_bits) {
    int const columns = bits(o.columns());
    for (auto const& field : highest_first) coll_bits = is_coll(field) ? coll_of(field, coll_bits) : coll_bits;
    if (coll_bits > columns)
        throw sim::InputError(
            fmt::format("ColL = {} exceeds the {} column bits of a {} B row", coll_bits, columns, o.row_bytes));
    bool const rank_named = std::find(highest_first.begin(), highest_first.end(), "rank") != highest_first.end();
    std::vector<std::pair<std::string_view, int>> tokens{{"of", bits(o.burst_bytes)}};
    for (auto field = highest_first.rbegin(); field != highest_first.rend(); ++field) {
        if (is_coll(*field)) append(tokens, "co", coll_bits);
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

std::string mapping_tokens(std::string const& text, Organisation const& organisation, int coll_bits) {
    auto const parts = split(text, ' ');
    int const coll = coll_bits >= 0 ? coll_bits : std::min(paper_coll_bits, bits(organisation.columns()));
    std::string tokens = parts.front();
    if (parts.front() == "channel_msb")
        tokens = channel_highest_order(organisation, coll);
    else if (parts.front().find('-') != std::string::npos)
        tokens = tokens_of_order(split(parts.front(), '-'), organisation, coll);
    else if (is_name(parts.front()))
        tokens = sim::dram::Mapping::parse(parts.front(), organisation, coll).text();
    auto const fields = parts.size() > 1 && tokens == parts.front() && !is_name(tokens) ? text : tokens;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].starts_with("x.")) check_hash(parts[i], fields);
        tokens += " " + parts[i];
    }
    return tokens;
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
