#pragma once

#include "models/expression/expression.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/text/machine_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::text {

/// The names that a text contains, whatever they mean.
[[nodiscard]] std::set<std::string> words_of(std::string_view text);

/// All numbers of a machine: given_names and its constants, and after them the numbers of its components, each an
/// expression of the parameters and of numbers before it. Compiled once.
class NumberTable {
  public:
    /// `parameters` are all parameters of the architecture. Throws InputError with every mistake: an expression that is
    /// not one, has another dimension, or depends on itself.
    NumberTable(MachineFile const& file, Parameters const& parameters);

    /// Position of a number. Precondition: there is one with this name.
    [[nodiscard]] std::size_t at(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] std::span<NamedNumber const> names() const { return names_; }
    /// Number of constants, which are first; their names.
    [[nodiscard]] std::size_t constants() const { return constants_; }

    /// All numbers in SI at a point; `constants` are the first of them. NaN where an expression is undefined.
    [[nodiscard]] std::vector<double> values(Point point, std::span<double const> constants) const;
    /// The same from `all`: those at the point `from`, with given_names of this one.
    void move_to(Point point, Point from, std::vector<double>& all) const;
    /// Those that move_to may change, in ascending order.
    [[nodiscard]] std::vector<std::size_t> moving() const;
    /// A value of the number with its unit: "1.5 GHz".
    [[nodiscard]] std::string shown(std::size_t number, double si) const;
    /// Numbers whose own expressions read the parameter.
    [[nodiscard]] std::vector<std::size_t> readers_of(std::size_t parameter) const;
    /// The number's expression. Precondition: it is not a constant.
    [[nodiscard]] Expression const& expression(std::size_t number) const { return expressions_[number - constants_]; }
    /// The number as written. Precondition: it is not a constant.
    [[nodiscard]] WrittenNumber const& written(std::size_t number) const { return written_[number - constants_]; }
    /// The values that it may have. Precondition: it is not a constant.
    [[nodiscard]] NumberRange range(std::size_t number) const { return ranges_[number - constants_]; }
    /// Whether it is another text than 0, which says that there is nothing. Precondition: it is not a constant.
    [[nodiscard]] bool is_stated(std::size_t number) const { return written(number).text != "0"; }

  private:
    std::vector<NamedNumber> names_;
    std::map<std::string, std::size_t, std::less<>> positions_;
    std::size_t constants_ = 0;
    std::vector<Expression> expressions_;
    /// An expression whose number depends on the point, and on what: a bit for each parameter (the last one for all
    /// that follow), and one for given_names.
    struct Varying {
        std::size_t expression = 0;
        std::uint64_t reads = 0;
    };
    std::vector<Varying> varying_;
    std::vector<WrittenNumber> written_;
    std::vector<NumberRange> ranges_;
};

}  // namespace pimdse::models::text
