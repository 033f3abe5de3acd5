#include "models/expression/expression_text.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace pimdse::models {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// Characters of units, so that "mm²", "mm^2" and "µs" are units, too.
bool in_unit(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '%' || c == '^' ||
           static_cast<unsigned char>(c) >= 0x80U;
}

bool is_unit(std::string_view text) {
    try {
        (void)sim::parse_unit(text);
        return true;
    } catch (sim::InputError const&) {
        return false;  // then the word is a name
    }
}

}  // namespace

void ExpressionText::skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool ExpressionText::take(std::string_view symbol) {
    skip_spaces();
    if (!rest().starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
}

bool ExpressionText::take_word(std::string_view word) {
    skip_spaces();
    if (!rest().starts_with(word) || (rest().size() > word.size() && in_word(rest()[word.size()]))) return false;
    at_ += word.size();
    return true;
}

std::string_view ExpressionText::word_here() const {
    if (at_ >= text_.size() || !starts_word(text_[at_])) return {};
    std::size_t end = at_ + 1;
    while (end < text_.size() && in_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
}

std::string_view ExpressionText::unit_here() const {
    auto const word = word_here();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return {};
    std::size_t end = at_;
    while (end < text_.size() && in_unit(text_[end])) ++end;
    return text_.substr(at_, std::max(word.size(), end - at_));
}

/// A metric of one scenario is METRIC@SCENARIO; the scenario's name may contain hyphens.
std::string_view ExpressionText::take_name() {
    std::size_t const start = at_;
    at_ += word_here().size();
    if (at_ > start && at_ < text_.size() && text_[at_] == '@') {
        ++at_;
        while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '-')) ++at_;
    }
    return text_.substr(start, at_ - start);
}

std::optional<sim::AnyQuantity> ExpressionText::take_number() {
    double value = 0.0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    sim::Unit const unit = take_unit();
    if (!std::isfinite(value * unit.in_si)) return std::nullopt;
    return sim::AnyQuantity{sim::in_si(value, unit), unit.dimension};
}

/// Whether "1/s" or the like follows, as rates are printed.
bool ExpressionText::at_reciprocal() const {
    if (!rest().starts_with("1/")) return false;
    auto below = *this;
    below.at_ += 2;
    auto const unit = below.unit_here();
    return !unit.empty() && is_unit(unit);
}

/// The unit after a number, such as GiB, GB/s or 1/s; the unit 1 if the next word is not a unit.
sim::Unit ExpressionText::take_unit() {
    std::size_t const before = at_;
    skip_spaces();
    std::string_view const word = at_reciprocal() ? rest().substr(0, 1) : unit_here();
    if (word.empty() || word == "and" || word == "or" || !is_unit(word)) {
        at_ = before;
        return {};
    }
    std::size_t const unit_start = at_;
    at_ += word.size();
    while (at_ < text_.size() && text_[at_] == '/') {
        std::size_t const slash = at_++;
        std::string_view const next = unit_here();
        if (next.empty() || !is_unit(next)) {
            at_ = slash;
            break;
        }
        at_ += next.size();
    }
    return sim::parse_unit(text_.substr(unit_start, at_ - unit_start));
}

/// The number around a comma at the current position, such as "1,5" or "1,024,000"; "" if there is no comma.
std::string_view ExpressionText::around_comma() const {
    auto const in_number = [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ',';
    };
    std::size_t first = at_, end = at_ + 1;
    while (first > 0 && in_number(text_[first - 1])) --first;
    while (end < text_.size() && in_number(text_[end])) ++end;
    return text_[at_] == ',' ? text_.substr(first, end - first) : std::string_view();
}

std::string ExpressionText::not_behind_a_number(bool has_no_unit, bool in_arguments) {
    constexpr std::string_view symbols = "()+-*/<>=!";
    if (in_arguments && !at_end() && text_[at_] == ',') return "";
    if (at_end() || symbols.find(text_[at_]) != std::string_view::npos) return "";
    if (auto const why = sim::comma_mistake(around_comma()); !why.empty())
        return fmt::format("{} {}", sim::clipped(around_comma()), why);
    if (auto const word = word_here(); !word.empty()) {
        if (word == "and" || word == "or") return "";
        try {
            if (has_no_unit) (void)sim::parse_unit(word);
        } catch (sim::InputError const& error) {
            return error.what();
        }
    }
    return not_understood();
}

std::string ExpressionText::not_understood() const {
    using Symbol = std::pair<std::string_view, std::string_view>;
    constexpr std::array symbols{Symbol{"&&", "and"},    Symbol{"||", "or"},     Symbol{"!", "not"},
                                 Symbol{"=<", "<="},     Symbol{"=>", ">="},     Symbol{"<>", "!="},
                                 Symbol{"\u2264", "<="}, Symbol{"\u2265", ">="}, Symbol{"\u2260", "!="}};
    std::string_view meant;
    for (auto const& [symbol, ours] : symbols) {  // the parser may have read its first character
        if (rest().starts_with(symbol) || (at_ > 0 && text_.substr(at_ - 1).starts_with(symbol))) meant = ours;
    }
    return fmt::format("'{}' is not understood here{}", sim::clipped(rest()),
                       meant.empty() ? "" : fmt::format(". Write '{}'?", meant));
}

std::string_view ExpressionText::hyphenated_name() {
    skip_spaces();
    std::size_t const word = word_here().size();
    std::size_t end = at_ + word;
    while (end > at_ && end < text_.size() && (in_word(text_[end]) || text_[end] == '-')) ++end;
    return end > at_ + word ? text_.substr(at_, end - at_) : std::string_view();
}

std::optional<std::string_view> ExpressionText::take_quoted() {
    auto const end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    auto const inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
}

std::string_view ExpressionText::read_since(std::size_t position) const {
    auto read = text_.substr(position, at_ - position);
    while (read.starts_with(' ')) read.remove_prefix(1);
    while (read.ends_with(' ')) read.remove_suffix(1);
    return read;
}

bool ExpressionText::at_end() {
    skip_spaces();
    return at_ == text_.size();
}

bool ExpressionText::at_number() {
    return !at_end() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.');
}
bool ExpressionText::at_name() { return !at_end() && starts_word(text_[at_]); }
bool ExpressionText::at_quote() { return !at_end() && (text_[at_] == '"' || text_[at_] == '\''); }

}  // namespace pimdse::models
