#include "dse/report/column_formulas.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace pimdse::dse::report {
namespace {

using Form = Formula::Form;

constexpr std::size_t most_tried = 64, least_tried = 8;
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
    auto const step = std::max<std::size_t>(1, values.size() / most_tried);
    for (std::size_t row = 0; row < values.size() && rows.size() < most_tried; row += step) {
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

    [[nodiscard]] bool can_tell() const { return rows_.size() >= least_tried; }
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
        std::int64_t most = 0;
        for (auto const row : rows_) {
            auto const off = distance(values_[row], result_of(formula, a[row], b[row]));
            if (off == never) return never;
            most = std::max(most, std::abs(off));
        }
        return most;
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
