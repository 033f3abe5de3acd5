#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <numeric>

namespace pimdse::sim {
namespace {

std::string joined(std::vector<std::string> const& sentences) { return fmt::format("{}", fmt::join(sentences, "\n")); }

/// Levenshtein distance, two rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

InputError::InputError(std::string sentence) : InputError(std::vector<std::string>{std::move(sentence)}) {}

InputError::InputError(std::vector<std::string> sentences)
    : std::runtime_error(joined(sentences)), sentences_(std::move(sentences)) {}

ContractViolation::ContractViolation(std::string_view kind, std::string_view what, std::source_location where)
    : std::logic_error(fmt::format("{} broken: {} ({}:{})", kind, what, where.file_name(), where.line())) {}

std::string clipped(std::string_view text) {
    constexpr std::size_t most = 120, shown = 60;
    if (text.size() <= most) return std::string(text);
    std::size_t end = shown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // whole characters of UTF-8
    return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

std::string nearest_name(std::string_view wrong, std::vector<std::string> const& known) {
    std::string best;
    if (wrong.size() > 256) return best;
    std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
    for (auto const& name : known) {
        std::size_t const distance = edit_distance(wrong, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    return best;
}

std::string suggestion(std::string_view wrong, std::vector<std::string> const& known) {
    if (known.empty()) {
        return "";
    }
    if (auto const near = nearest_name(wrong, known); !near.empty()) {
        return fmt::format(" Did you mean '{}'?", near);
    }
    constexpr std::size_t most = 12;
    auto const shown = std::vector<std::string>(
        known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(most, known.size())));
    return fmt::format(" Known: {}{}.", fmt::join(shown, ", "), known.size() > most ? ", ..." : "");
}

}  // namespace pimdse::sim
