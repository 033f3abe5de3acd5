#pragma once

#include "models/text/pass.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pimdse::models::text {

inline constexpr std::size_t max_memories = 4, max_units = 6, max_rules = 24;
inline constexpr std::size_t no_component = max_units + max_memories;

/// A rule of [run], compiled.
struct Rule {
    std::string pattern, name;
    std::size_t unit = no_component;  ///< position in MachineFile::units; no_component: it only waits
    bool together = false, per_token = false, is_free = false, masked = false;
    bool multiplies = false;  ///< matrices, for which its unit needs a rate in the format
    std::size_t wait = 0, kernel = 0, task = 0, at_once = 0, reads = 0, work = 0, sends = 0, moves = 0,
                results = 0;                 ///< numbers
    bool continues = false;                  ///< it belongs to the rule before it, for the same operators
    std::size_t alternative = no_component;  ///< position among alternatives(), if passes choose
    std::size_t beside = max_rules;  ///< rule whose operators are computed at the same time; max_rules: none. Both are
                                     ///< `together`, and its unit has a rate
};

/// Alternatives of which every pass takes the one that needs least time, or energy: the rules from `first` on.
struct RuleChoice {
    std::size_t first = 0, count = 0;
    bool by_energy = false;
};

/// Which component does which operator of a pass, which components work beside each other, and which memories hold
/// what. Read from [run] of a machine file (CompiledMachine), or written down by a machine in C++.
class RunRules {
  public:
    [[nodiscard]] std::vector<Rule> const& rules() const { return rules_; }
    [[nodiscard]] std::vector<RuleChoice> const& choices() const { return choices_; }
    /// Number of rules that are alternatives.
    [[nodiscard]] std::size_t alternatives() const { return alternatives_; }
    /// The rule of an operator; every operator has one.
    [[nodiscard]] std::size_t rule_of(Phase phase, Operator op) const {
        return rule_of_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(op)];
    }
    /// It and those that continue it: what other components do after it, or instead of it.
    [[nodiscard]] std::span<Rule const> rules_of(Phase phase, Operator op) const {
        auto const first = rule_of(phase, op);
        auto end = first + 1;
        while (end < rules_.size() && rules_[end].continues) ++end;
        return std::span(rules_).subspan(first, end - first);
    }
    /// Whether a rule tells prompts and tokens apart.
    [[nodiscard]] bool phases_differ() const { return rule_of_.front() != rule_of_.back(); }
    /// Group of components that work beside each other: memories first, then units at max_memories.
    [[nodiscard]] std::size_t group_of(std::size_t component) const { return groups_[component]; }
    /// Memories that hold weights, keys and values, and activations; no_component: none, which costs nothing.
    [[nodiscard]] std::size_t weights_in() const { return weights_; }
    [[nodiscard]] std::size_t cache_in() const { return cache_; }
    [[nodiscard]] std::size_t activations_in() const { return activations_; }
    /// Memory to which keys and values go that the memory of the cache evicts; no_component: none.
    [[nodiscard]] std::size_t tier() const { return tier_; }
    /// Memory in which inputs wait that are read more than once; no_component: none.
    [[nodiscard]] std::size_t stage() const { return stage_; }
    /// Memory from which what was read before is read again if it fits; no_component: none.
    [[nodiscard]] std::size_t repeated() const { return repeated_; }

  protected:
    RunRules() = default;  ///< all components work beside each other
    std::vector<Rule> rules_;
    std::vector<RuleChoice> choices_;
    std::size_t alternatives_ = 0;
    std::array<std::array<std::size_t, operator_names.size()>, phase_names.size()> rule_of_{};
    std::array<std::size_t, no_component> groups_{};
    std::size_t weights_ = no_component, cache_ = no_component, activations_ = no_component, stage_ = no_component,
                repeated_ = no_component, tier_ = no_component;
};

}  // namespace pimdse::models::text
