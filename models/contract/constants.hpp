#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/constant_rules.hpp"
#include "sim/base/units.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pimdse::models {

/// A number about the world with its unit and where it comes from.
struct Constant {
    double si = 0.0;
    std::string unit;  ///< as written
    std::string source;
    bool assumed = false;
    /// What an assumed constant may as well be, in SI; both 0 where nobody says.
    double range_lower = 0.0, range_upper = 0.0;
    std::string file;
    std::uint32_t line = 0;    ///< of its file
    std::string technology{};  ///< the row of technology.toml that stands for it where machines are compared; "" = none
    double technology_scale = 1.0;  ///< how often that row makes this constant: 0.5 FLOP of a multiply-accumulate
};

class Technology;

/// A plain number of ours that no source gives: a margin, a length that was enough, a shape of a fit.
struct Allowance {
    double value = 0.0;
    std::string allows_for;
    std::string evidence;  ///< what was looked at, and what it showed
    std::string command;   ///< which looks again
    std::uint32_t line = 0;
};

/// The constants of one architecture: `models/<architecture>/constants.toml`, a table per constant with `value`
/// (number), `unit`, `source`, optionally `assumed` and, of an assumed one, `range` (the lowest and the highest value,
/// in the same unit, with `value` between them); and in a table `allowance.NAME` each, with `value`, `allows_for`,
/// `evidence` and `command`, the numbers we chose. Throws InputError, with file and line, for one that lacks any.
class Constants {
  public:
    /// `options.constants`: a file of the user's own, empty for none, whose constants stand for those of the same name;
    /// it changes no allowance. Throws InputError, with file and line, for one that the architecture has not, that
    /// measures something else, or with which one of the rules does not hold. Where no rule is about a constant alone
    /// it is above 0 if the shipped one is, and not below 0 if that is 0. Under `constants = "technology"` rows that
    /// name one of technology.toml have its value, before `own` is read.
    static Constants load(std::string_view architecture, ModelOptions const& options = {},
                          ConstantRules const& rules = {});
    static Constants load(std::filesystem::path const& file);

    /// The plain number (cycles, ratios, counts). Throws InputError if the file has none of this name or it has a
    /// dimension.
    [[nodiscard]] double number(std::string_view name) const;
    /// A plain number that counts something, 0 to 10^12. Throws InputError as above, and for anything else.
    [[nodiscard]] std::int64_t whole(std::string_view name) const;
    /// Typed: `constants.get<sim::Energy>("row_activation")`. Throws InputError if absent or of another dimension.
    template <class Q>
    [[nodiscard]] Q get(std::string_view name) const;
    /// Sets a member to the constant of this name, which must be what the member is: a count, a plain number, a
    /// quantity.
    template <class Member>
    void bind(Member& member, std::string_view name) const;
    /// The same for a row of [allowance.*].
    void bind_allowance(double& member, std::string_view name) const;
    void bind_allowance(std::int64_t& member, std::string_view name) const;

    [[nodiscard]] std::map<std::string, Constant, std::less<>> const& all() const { return constants_; }
    [[nodiscard]] std::map<std::string, Allowance, std::less<>> const& allowances() const { return allowances_; }

  private:
    /// What can be read of a file; what cannot is among the mistakes.
    static Constants read(std::filesystem::path const& file, std::vector<std::string>& mistakes);
    void take_from(Technology const& technology, std::vector<std::string>& mistakes);
    void replace_by(std::filesystem::path const& own, ConstantRules const& rules, std::vector<std::string>& mistakes);
    [[nodiscard]] double value_of(std::string_view name) const;
    /// What a rule that does not hold says; empty where it holds.
    [[nodiscard]] std::string broken(ConstantRule const& rule) const;
    [[nodiscard]] std::string accepted(ConstantRule const& rule, std::string_view name) const;
    [[nodiscard]] Constant const& find(std::string_view name) const;
    [[nodiscard]] double checked(std::string_view name, signed char s, signed char j, signed char b, signed char m,
                                 signed char f) const;
    std::map<std::string, Constant, std::less<>> constants_;
    std::map<std::string, Allowance, std::less<>> allowances_;
    std::map<std::string, double, std::less<>> shipped_;  ///< of constants that were replaced
    std::string file_;

    template <int S, int J, int B, int M, int F>
    [[nodiscard]] sim::Quantity<S, J, B, M, F> typed(std::string_view name, sim::Quantity<S, J, B, M, F>) const {
        return {checked(name, S, J, B, M, F)};
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

}  // namespace pimdse::models
