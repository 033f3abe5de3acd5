#include "dse/report/packed_values.hpp"

#include "sim/base/check.hpp"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace pimdse::dse::report {
namespace {

using Bytes = std::vector<std::byte>;

constexpr int compression_level = 9;

/// Appends byte 0 of every number, then byte 1 of every number, up to `width`.
template <class Number>
void append_shuffled(Bytes& bytes, std::span<Number const> numbers, std::size_t width) {
    for (std::size_t b = 0; b < width; ++b) {
        for (auto const number : numbers) bytes.push_back(static_cast<std::byte>(number >> (8 * b)));
    }
}

Bytes compressed(Bytes const& bytes) {
    auto size = ::compressBound(bytes.size());
    Bytes smaller(size);
    auto const* from = reinterpret_cast<Bytef const*>(bytes.data());
    auto* into = reinterpret_cast<Bytef*>(smaller.data());
    sim::ensures(::compress2(into, &size, from, bytes.size(), compression_level) == Z_OK, "there is room and memory");
    smaller.resize(size);
    return smaller;
}

/// Numbers ascending, a negative zero before the other one; what is no number comes last.
std::pair<bool, std::uint64_t> rank_of(std::uint64_t bits) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return {std::isnan(std::bit_cast<double>(bits)), (bits & sign) != 0 ? ~bits : bits | sign};
}

bool comes_before(std::uint64_t left, std::uint64_t right) { return rank_of(left) < rank_of(right); }

std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> words) {
    std::ranges::sort(words, comes_before);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

/// Each less the one before.
std::vector<std::uint64_t> steps_of(std::span<std::uint64_t const> words) {
    std::vector<std::uint64_t> steps(words.begin(), words.end());
    for (std::size_t i = steps.size(); i > 1; --i) steps[i - 1] -= steps[i - 2];
    return steps;
}

std::size_t code_width(std::size_t values) {
    if (values <= 1) return 0;
    return values <= 256 ? 1 : 2;
}

PackedValues packed_words(Coding coding, std::span<std::uint64_t const> words) {
    Bytes bytes;
    bytes.reserve(words.size() * sizeof(std::uint64_t));
    append_shuffled(bytes, words, sizeof(std::uint64_t));
    return {coding, words.size(), 0, 0, base64(compressed(bytes))};
}

}  // namespace

std::string_view name_of(Coding coding) {
    constexpr std::array<std::string_view, 4> names{"codes", "words", "differences", "formula"};
    return names[static_cast<std::size_t>(coding)];
}

PackedValues pack_doubles(std::span<double const> values) {
    std::vector<std::uint64_t> words(values.size());
    std::ranges::transform(values, words.begin(), [](double value) { return std::bit_cast<std::uint64_t>(value); });
    auto const list = distinct(words);
    if (list.size() > max_codes) return packed_words(Coding::words, words);
    std::vector<std::uint32_t> codes(words.size());
    std::ranges::transform(words, codes.begin(), [&](std::uint64_t word) {
        return static_cast<std::uint32_t>(std::ranges::lower_bound(list, word, comes_before) - list.begin());
    });
    Bytes bytes;
    append_shuffled(bytes, std::span<std::uint64_t const>(steps_of(list)), sizeof(std::uint64_t));
    append_shuffled(bytes, std::span<std::uint32_t const>(codes), code_width(list.size()));
    auto const numbers = std::ranges::count_if(list, [](std::uint64_t word) { return !rank_of(word).first; });
    return {Coding::codes, words.size(), list.size(), static_cast<std::size_t>(numbers), base64(compressed(bytes))};
}

PackedValues pack_codes(std::span<std::uint32_t const> codes, std::size_t values) {
    sim::expects(values <= max_codes, "places fit into two bytes");
    Bytes bytes;
    append_shuffled(bytes, codes, code_width(values));
    return {Coding::codes, codes.size(), values, values, base64(compressed(bytes))};
}

PackedValues pack_ids(std::span<std::uint64_t const> ids) { return packed_words(Coding::differences, steps_of(ids)); }

PackedValues pack_offsets(std::span<std::int8_t const> offsets) {
    bool const all_right = std::ranges::all_of(offsets, [](std::int8_t offset) { return offset == 0; });
    auto const bytes = std::as_bytes(offsets);
    return {Coding::formula, offsets.size(), 0, 0,
            all_right ? "" : base64(compressed(Bytes(bytes.begin(), bytes.end())))};
}

std::string pack_text(std::string_view text) {
    auto const bytes = std::as_bytes(std::span(text));
    return base64(compressed(Bytes(bytes.begin(), bytes.end())));
}

std::string base64(std::span<std::byte const> bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        std::size_t const have = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t b = 0; b < have; ++b) group |= std::to_integer<std::uint32_t>(bytes[i + b]) << (16 - 8 * b);
        for (std::size_t d = 0; d < 4; ++d) text += d <= have ? digits[group >> (18 - 6 * d) & 63] : '=';
    }
    return text;
}

namespace {

using Form = Formula::Form;

constexpr std::size_t max_tried = 64, min_tried = 8;
constexpr std::int64_t near = 16, farthest = std::numeric_limits<std::int8_t>::max();
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

bool has_two(Form form) { return form != Form::scaled && form != Form::inverse; }

/// By how many bits' values one number is above another; `never` where it cannot be told.
std::int64_t distance(double value, double from) {
    if (std::isnan(value) && std::isnan(from)) return 0;
    if (std::isnan(value) || std::isnan(from)) return never;
    auto const steps =
        static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(value) - std::bit_cast<std::uint64_t>(from));
    return steps >= -farthest && steps <= farthest ? steps : never;
}

/// The factor with which a formula gives this value; a whole one where that is as near as numbers go.
double factor_for(Form form, double value, double a, double b) {
    if (form == Form::sum || form == Form::difference) return 1.0;
    double const one = result_of({form, 0, 0, 1.0}, a, b);
    double const factor = value / one;
    double const whole = std::round(factor);
    constexpr double same = 8 * std::numeric_limits<double>::epsilon();
    return std::abs(factor - whole) <= same * std::abs(whole) ? whole : factor;
}

/// Rows on which a formula is tried: numbers, spread over all.
std::vector<std::size_t> tried_rows(std::span<double const> values) {
    std::vector<std::size_t> rows;
    auto const step = std::max<std::size_t>(1, values.size() / max_tried);
    for (std::size_t row = 0; row < values.size() && rows.size() < max_tried; row += step) {
        if (std::isfinite(values[row]) && values[row] != 0.0) rows.push_back(row);
    }
    return rows;
}

}  // namespace

double result_of(Formula const& formula, double a, double b) {
    switch (formula.form) {
        case Form::scaled:
            return a * formula.factor;
        case Form::inverse:
            return formula.factor / a;
        case Form::product:
            return a * b * formula.factor;
        case Form::quotient:
            return a / b * formula.factor;
        case Form::inverse_product:
            return formula.factor / (a * b);
        case Form::sum:
            return a + b;
        case Form::difference:
            return a - b;
    }
    return 0.0;
}

namespace {

/// Tries formulas on some rows and keeps the one that comes nearest.
class FormulaTrial {
  public:
    explicit FormulaTrial(std::span<double const> values) : values_(values), rows_(tried_rows(values)) {}

    [[nodiscard]] bool can_tell() const { return rows_.size() >= min_tried; }
    [[nodiscard]] bool is_exact() const { return best_ && off_ == 0; }
    [[nodiscard]] std::optional<Formula> const& best() const { return best_; }

    void offer(Formula formula, std::span<double const> a, std::span<double const> b) {
        constexpr std::size_t factors = 3;
        for (std::size_t i = 0; i < factors && !is_exact(); ++i) {
            auto const row = rows_[i * (rows_.size() - 1) / factors];
            formula.factor = factor_for(formula.form, values_[row], a[row], b[row]);
            auto const off = farthest_off(formula, a, b);
            if (off > near || (best_ && off >= off_)) continue;
            best_ = formula;
            off_ = off;
        }
    }

  private:
    [[nodiscard]] std::int64_t farthest_off(Formula const& formula, std::span<double const> a,
                                            std::span<double const> b) const {
        std::int64_t max = 0;
        for (auto const row : rows_) {
            auto const off = distance(values_[row], result_of(formula, a[row], b[row]));
            if (off == never) return never;
            max = std::max(max, std::abs(off));
        }
        return max;
    }

    std::span<double const> values_;
    std::vector<std::size_t> rows_;
    std::optional<Formula> best_;
    std::int64_t off_ = never;
};

/// Of every row; false where one cannot be told.
bool add_offsets(Formula& formula, std::span<double const> values, std::span<double const> a,
                 std::span<double const> b) {
    formula.offsets.reserve(values.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
        auto const off = distance(values[row], result_of(formula, a[row], b[row]));
        if (off == never) return false;
        formula.offsets.push_back(static_cast<std::int8_t>(off));
    }
    return true;
}

}  // namespace

std::optional<Formula> ColumnFormulas::find(std::span<double const> values) const {
    FormulaTrial trial(values);
    if (!trial.can_tell()) return std::nullopt;
    for (std::size_t f = 0; f < form_names.size(); ++f) {
        auto const form = static_cast<Form>(f);
        for (std::size_t a = 0; a < columns_.size(); ++a) {
            for (std::size_t b = has_two(form) ? 0 : a; b < (has_two(form) ? columns_.size() : a + 1); ++b)
                trial.offer({form, a, b}, columns_[a].values, columns_[b].values);
        }
    }
    auto best = trial.best();
    if (!best || !add_offsets(*best, values, columns_[best->a].values, columns_[best->b].values)) return std::nullopt;
    best->a = columns_[best->a].name;
    best->b = columns_[best->b].name;
    return best;
}

}  // namespace pimdse::dse::report
