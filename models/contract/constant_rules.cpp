#include "models/contract/constant_rules.hpp"

#include "sim/base/counting.hpp"

#include <fmt/format.h>

namespace pimdse::models {
namespace {

using Accepts = std::function<bool(double)>;

/// A rule for each name. `relation` has a {} for the name.
ConstantRules each(ConstantNames const& names, std::string const& relation, std::string const& why, bool allows_zero,
                   Accepts const& accepts) {
    ConstantRules rules;
    for (auto const& name : names) {
        auto const holds = [name, accepts](ConstantValues const& value) { return accepts(value(name)); };
        rules.push_back({fmt::format(fmt::runtime(relation), name), {name}, why, holds, allows_zero});
    }
    return rules;
}

}  // namespace

ConstantRules shares(ConstantNames const& names, std::string const& why) {
    return each(names, "0 <= {} <= 1", why, true, [](double v) { return v >= 0.0 && v <= 1.0; });
}

ConstantRules efficiencies(ConstantNames const& names, std::string const& why) {
    return each(names, "0 < {} <= 1", why, false, [](double v) { return v > 0.0 && v <= 1.0; });
}

ConstantRules whole_numbers(ConstantNames const& names, double lower, double upper, std::string const& why) {
    return each(names, fmt::format("{{}} is a whole number from {:g} to {:g}", lower, upper), why, lower == 0.0,
                [lower, upper](double v) { return v >= lower && v <= upper && sim::exact_whole(v).has_value(); });
}

ConstantRules within(ConstantNames const& names, double lower, double upper, std::string const& why) {
    return each(names, fmt::format("{:g} <= {{}} <= {:g}", lower, upper), why, lower == 0.0,
                [lower, upper](double v) { return v >= lower && v <= upper; });
}

ConstantRules ascending(ConstantNames const& names, std::string const& why) {
    ConstantRules rules;
    for (std::size_t i = 1; i < names.size(); ++i) {
        auto const &less = names[i - 1], &more = names[i];
        rules.push_back({fmt::format("{} <= {}", less, more), {less, more}, why, [less, more](auto const& value) {
                             return value(less) <= value(more);
                         }});
    }
    return rules;
}

ConstantRules together(std::vector<ConstantRules> const& parts) {
    ConstantRules all;
    for (auto const& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace pimdse::models
