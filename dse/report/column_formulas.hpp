#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pimdse::dse::report {

/// A column as a function of one or two others, row by row: scaled a c, inverse c/a, product (a b) c, quotient (a/b) c,
/// inverse_product c/(a b), sum a + b, difference a - b. Doubles, each operation rounded once, in this order.
struct Formula {
    enum class Form : std::uint8_t { scaled, inverse, product, quotient, inverse_product, sum, difference };
    Form form = Form::scaled;
    std::size_t a = 0, b = 0;  ///< names of columns; b: of forms that have two, else as a
    double factor = 1.0;
    /// What is to be added to the bits of the result; rows where it is no number are no number.
    std::vector<std::int8_t> offsets{};
};

inline constexpr std::array<std::string_view, 7> form_names{"scaled",          "inverse", "product",   "quotient",
                                                            "inverse_product", "sum",     "difference"};

/// What a formula without its offsets gives in a row.
[[nodiscard]] double result_of(Formula const& formula, double a, double b);

/// Finds columns that follow from others, as rates follow from times: they need not be told again.
class ColumnFormulas {
  public:
    /// A column that others may follow from.
    void add(std::size_t name, std::vector<double> values) { columns_.push_back({name, std::move(values)}); }
    /// A formula from which every value comes back bit by bit, but for payloads of NaNs.
    [[nodiscard]] std::optional<Formula> find(std::span<double const> values) const;

  private:
    struct Column {
        std::size_t name = 0;
        std::vector<double> values;
    };
    std::vector<Column> columns_;
};

}  // namespace pimdse::dse::report
