#pragma once

#include "models/contract/parameter_text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pimdse::dse::store::result {

/// The texts of a choice or an ordering, each made once. A choice may be an ordering and the other way round: the value
/// says which it is.
class ChoiceTexts {
  public:
    explicit ChoiceTexts(models::Parameter const& parameter) : parameter_(parameter) {}
    [[nodiscard]] std::string_view of(models::Value const& value) {
        if (value.kind() == models::Kind::choice) return parameter_.choices.at(value.as_choice());
        auto const [known, is_new] = orderings_.try_emplace(value.as_permutation());
        if (is_new) known->second = models::print_value(parameter_, value);
        return known->second;
    }

  private:
    models::Parameter const& parameter_;
    std::unordered_map<std::uint64_t, std::string> orderings_;
};

}  // namespace pimdse::dse::store::result
