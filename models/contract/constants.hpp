#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/constant.hpp"
#include "models/contract/constant_rules.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/units.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pimdse::models {

class Technology;

/// The constants of one architecture, models/<architecture>/constants.toml: a table per constant with `value` (number),
/// `unit`, `source`, optionally `assumed` and, for an assumed one, `range` (the lowest and the highest value, in the
/// same unit, with `value` between them), `acts_as` for a plain number, and `formerly`, a former name that files of the
/// user's own may use; and the numbers that this project chose, in a table `allowance.NAME` each, with `value`,
/// `allows_for`, `evidence`, `command` and optionally `formerly`. Throws InputError, with file and line, if any of
/// these is missing.
class Constants {
  public:
    /// `options.constants`: a file of the user's own (empty for none), whose constants replace those with the same
    /// name; it cannot change allowances. Throws InputError, with file and line, for a constant that the architecture
    /// does not have, that has another dimension, or that violates one of the rules. A constant without a rule of its
    /// own must be above 0 if the shipped one is, and not below 0 if the shipped one is 0. Under `constants =
    /// "technology"`, constants that name a row of technology.toml get its value before the user's own file is read.
    /// Values of `options.drawn` come last.
    static Constants load(std::string_view architecture, ModelOptions const& options = {},
                          ConstantRules const& rules = {});
    /// The same for constants that a machine file has: `rows` by name, and `file` for messages. `below`: constants of
    /// its parts, as shipped, where it has no rows of these names.
    static Constants load(std::map<std::string, Constant, std::less<>> rows, std::string file,
                          ModelOptions const& options, ConstantRules const& rules = {}, Constants const& below = {});
    /// The constants of a file that no architecture owns, under the assumptions of `options` as above and without the
    /// user's own file; those of a draw are named `table`.NAME. Those of table "economy" are replaced by
    /// Assumptions::economy before.
    static Constants load(std::filesystem::path const& file, ModelOptions const& options = {},
                          std::string_view table = "");

    /// In SI, of the dimension of `unit` (USD, kg and others that have no type). Throws InputError if it does not exist
    /// or has another one.
    [[nodiscard]] double in_si(std::string_view name, std::string_view unit) const;
    /// A plain number (cycles, ratios, counts). Throws InputError if the constant does not exist or has a dimension.
    [[nodiscard]] double number(std::string_view name) const;
    /// A plain number that is a count, 0 to 10^12. Throws InputError as above, and for any other value.
    [[nodiscard]] std::int64_t whole(std::string_view name) const;
    /// A quantity: `constants.get<sim::Energy>("row_activation")`. Throws InputError if it does not exist or has
    /// another dimension.
    template <class Q>
    [[nodiscard]] Q get(std::string_view name) const;
    /// Sets a member to the constant with this name, which must have the type of the member: a count, a plain number, a
    /// quantity.
    template <class Member>
    void bind(Member& member, std::string_view name) const;
    /// The same for an allowance.
    void bind_allowance(double& member, std::string_view name) const;
    void bind_allowance(std::int64_t& member, std::string_view name) const;

    /// Adds those of another, where this has none of their names.
    void add(Constants const& more);

    /// The file of these constants, or that of the machine that has them.
    [[nodiscard]] std::string const& file() const { return file_; }
    [[nodiscard]] std::map<std::string, Constant, std::less<>> const& all() const { return constants_; }
    [[nodiscard]] std::map<std::string, Allowance, std::less<>> const& allowances() const { return allowances_; }

  private:
    /// Reads everything that is correct in a file and adds a sentence to `mistakes` for the rest.
    static Constants read(std::filesystem::path const& file, std::vector<std::string>& mistakes);
    void apply(ModelOptions const& options, ConstantRules const& rules);
    void take_from(Technology const& technology, std::vector<std::string>& mistakes);
    void take_from(DrawnConstants const& drawn, std::string_view table);
    void take_from(AssumptionTexts const& changed, std::string_view table, std::vector<std::string>& mistakes);
    void replace_by(std::filesystem::path const& own, ConstantRules const& rules, std::vector<std::string>& mistakes);
    [[nodiscard]] double value_of(std::string_view name) const;
    /// Message of a rule that does not hold; empty if it holds.
    [[nodiscard]] std::string broken(ConstantRule const& rule) const;
    [[nodiscard]] std::string accepted(ConstantRule const& rule, std::string_view name) const;
    [[nodiscard]] Constant const& find(std::string_view name) const;
    [[nodiscard]] Constant& find(std::string_view name);
    [[nodiscard]] double checked(std::string_view name, sim::Dimension wanted) const;
    std::map<std::string, Constant, std::less<>> constants_;
    std::map<std::string, Allowance, std::less<>> allowances_;
    std::map<std::string, double, std::less<>> shipped_;  ///< of constants that were replaced
    std::string file_;

    template <int S, int J, int B, int M, int F>
    [[nodiscard]] sim::Quantity<S, J, B, M, F> typed(std::string_view name, sim::Quantity<S, J, B, M, F>) const {
        return {checked(name, sim::dimension_of(sim::Quantity<S, J, B, M, F>{}))};
    }
};

template <class Q>
Q Constants::get(std::string_view name) const {
    return typed(name, Q{});
}

template <class Member>
void Constants::bind(Member& member, std::string_view name) const {
    if constexpr (std::is_same_v<Member, double>)
        member = number(name);
    else if constexpr (std::is_integral_v<Member>)
        member = static_cast<Member>(whole(name));
    else
        member = get<Member>(name);
}

/// A constant or an allowance on its way to a member, which takes it by its own type.
class NamedConstant {
  public:
    NamedConstant(Constants const& constants, std::string_view name, bool is_allowance)
        : constants_(constants), name_(name), is_allowance_(is_allowance) {}

    template <class Member>
    operator Member() const {
        Member member{};
        if constexpr (std::is_same_v<Member, double> || std::is_same_v<Member, std::int64_t>) {
            if (is_allowance_) {
                constants_.bind_allowance(member, name_);
                return member;
            }
        }
        constants_.bind(member, name_);
        return member;
    }

  private:
    Constants const& constants_;
    std::string_view name_;
    bool is_allowance_;
};

/// What a struct derives from whose members read themselves where they are declared:
/// `sim::Energy activation = named("row_activation");`. Constants are read while such a struct is made only.
class FromConstants {
  public:
    FromConstants(Constants const& constants) : constants_(&constants) {}
    FromConstants(FromConstants const&) noexcept {}
    FromConstants& operator=(FromConstants const&) noexcept { return *this; }
    ~FromConstants() = default;

  protected:
    [[nodiscard]] NamedConstant named(std::string_view name) const { return {*constants_, name, false}; }
    [[nodiscard]] NamedConstant allowed(std::string_view name) const { return {*constants_, name, true}; }
    [[nodiscard]] Constants const& source() const { return *constants_; }

  private:
    Constants const* constants_ = nullptr;
};

}  // namespace pimdse::models
