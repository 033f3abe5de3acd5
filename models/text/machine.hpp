#pragma once

#include "models/text/component_slots.hpp"
#include "models/text/part.hpp"
#include "models/text/pass.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::models::text {

inline constexpr std::size_t max_rules = 24;

/// A rule of [run], compiled. An alternative continues the first of its choice.
struct Rule : WrittenRule {
    std::size_t unit = no_component;  ///< position in MachineFile::units; no_component: it only waits
    bool multiplies = false;          ///< matrices, for which its unit needs a rate in the format
    std::size_t wait = 0, kernel = 0, task = 0, at_once = 0, reads = 0, work = 0, sends = 0, moves = 0,
                results = 0;              ///< numbers
    std::size_t position = no_component;  ///< among alternatives(), if passes choose
    std::size_t roof_of = max_rules;      ///< rule `beside` which its operators are computed; max_rules: none. Both are
                                          ///< `together`, and its unit has a rate
    PartKind const* part = nullptr;       ///< by the laws of its unit, if that takes the operator; it runs alone
};

/// Alternatives of which every pass takes the one that needs least time, or energy: the rules from `first` on.
struct RuleChoice {
    std::size_t first = 0, count = 0;
    bool by_energy = false;
};

struct CompiledLimit {
    std::string name, reason;
    Expression condition;
};

/// A machine file compiled: positions instead of names. Independent of constants and points.
class CompiledMachine {
  public:
    /// Throws InputError with every mistake that reading the file could not see.
    explicit CompiledMachine(MachineFile file);

    [[nodiscard]] MachineFile const& file() const { return file_; }
    [[nodiscard]] Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] NumberTable const& numbers() const { return numbers_; }
    [[nodiscard]] std::vector<MemorySlots> const& memories() const { return memories_; }
    [[nodiscard]] std::vector<UnitSlots> const& units() const { return units_; }
    [[nodiscard]] std::vector<CompiledLimit> const& limits() const { return limits_; }
    /// Conditions on constants alone; their reasons say why they must hold.
    [[nodiscard]] std::vector<CompiledLimit> const& rules_of_constants() const { return rules_of_constants_; }
    struct Power {
        std::size_t idle = 0, limit = 0, voltage_floor = 0, lowest_clock = 0;
        bool is_stated = false;
    };
    [[nodiscard]] Power const& power() const { return power_; }
    struct Cost {
        std::size_t node = 0, dies = 0, product = 0;
        std::vector<std::size_t> areas{};            ///< of [area]
        std::optional<std::size_t> area_in_banks{};  ///< one of them
    };
    [[nodiscard]] Cost const& cost() const { return cost_; }
    /// The first link, if there is one. `energy`: number, J/B over one link; nothing: that of the kind of link that it
    /// is like. The others are numbers, too.
    struct Link {
        bool is_used = false;  ///< a rule sends bytes over it
        std::size_t devices = 0, bandwidth = 0, latency = 0, start = 0, fill = 0, standby = 0, cost = 0, carbon = 0;
        std::optional<std::size_t> energy{};
    };
    [[nodiscard]] Link const& link() const { return link_; }
    /// Whether anything says what the machine draws: an energy, a power, or the timing set of a memory. Otherwise no
    /// metric of power or energy has a value.
    [[nodiscard]] bool states_power() const { return power_.is_stated; }
    /// Whether a component is simulated cycle by cycle.
    [[nodiscard]] bool has_cycle_level() const;
    /// Whether it has parts with laws in C++; whether one of them has memories for `batch` sequences.
    [[nodiscard]] bool has_parts() const {
        return std::ranges::any_of(units_, [](UnitSlots const& unit) { return unit.part != nullptr; });
    }
    [[nodiscard]] bool is_built_for_batch() const;
    /// Metrics that kinds of its parts have, in the order of its components: of a part that takes all passes, or the
    /// first of its kind that takes operators.
    [[nodiscard]] MetricList const& metrics_of_parts() const { return metrics_of_parts_; }
    [[nodiscard]] bool has_own_metrics(std::size_t unit) const {
        auto const* kind = units_[unit].part;
        auto const takes = [&](std::size_t rule) { return rule != max_rules && rules_[rule].unit == unit; };
        if (kind == nullptr || kind->takes_passes()) return kind != nullptr && std::ranges::all_of(whole_, takes);
        return &*std::ranges::find(units_, kind, &UnitSlots::part) == &units_[unit];
    }
    [[nodiscard]] std::size_t slower() const { return slower_; }
    [[nodiscard]] std::size_t spread() const { return spread_; }
    [[nodiscard]] std::size_t long_steps() const { return long_steps_; }  ///< number: whether they follow the memory
    [[nodiscard]] std::size_t logit() const { return logit_; }            ///< number: bytes of a logit
    /// Numbers: bits of a weight, 0 for those of its format; bytes of its part of a scale.
    [[nodiscard]] std::size_t weight_bits() const { return weight_bits_; }
    [[nodiscard]] std::size_t weight_scale() const { return weight_scale_; }

    // [run]: which component does which operator of a pass, which work beside each other, which memories hold what.
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
        if (first >= rules_.size()) return {};  // as a file is read that lacks one
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
    /// The rule that gives whole passes of a phase to a part; max_rules: none.
    [[nodiscard]] std::size_t whole(Phase phase) const { return whole_[static_cast<std::size_t>(phase)]; }
    /// The unit that takes all passes of both phases as a whole; no_component: none does.
    [[nodiscard]] std::size_t whole_unit() const {
        auto const unit_of = [&](std::size_t rule) { return rule == max_rules ? no_component : rules_[rule].unit; };
        auto const first = unit_of(whole_.front());
        return first == unit_of(whole_.back()) ? first : no_component;
    }
    /// Whether one part is the machine: it takes all passes, and the file has neither further units nor memories, but
    /// such as hold nothing and say what the bytes of the part cost.
    [[nodiscard]] bool is_one_part() const {
        auto const is_none = [](std::size_t memory) { return memory == no_component; };
        return whole_unit() != no_component && units_.size() == 1 &&
               std::ranges::all_of(std::array{weights_, cache_, activations_, stage_, repeated_, tier_}, is_none);
    }
    /// What a point must choose for passes through a model to be asked for: nothing if they always are.
    [[nodiscard]] std::optional<Need> needed_for_models() const;
    /// Whether parts take all passes as a whole.
    [[nodiscard]] bool parts_take_all() const {
        return std::ranges::all_of(whole_, [](std::size_t rule) { return rule != max_rules; });
    }

  private:
    void bind_components(std::vector<std::string>& mistakes);
    void bind_parts(std::vector<std::string>& mistakes);
    void bind_rules(std::vector<std::string>& mistakes);
    void bind_beside(std::vector<std::string>& mistakes);
    void check_tiles(std::vector<std::string>& mistakes) const;
    void check_idle_keys(std::vector<std::string>& mistakes) const;
    void check_query_tiles(std::vector<std::string>& mistakes) const;
    void bind_groups();
    void bind_limits(std::vector<std::string>& mistakes);
    [[nodiscard]] bool says_something_of_power() const;
    void check_names_in_texts(std::vector<std::string>& mistakes) const;

    MachineFile file_;
    Parameters parameters_;
    NumberTable numbers_;
    std::vector<MemorySlots> memories_;
    std::vector<UnitSlots> units_;
    std::vector<Rule> rules_;
    std::vector<RuleChoice> choices_;
    std::size_t alternatives_ = 0;
    std::array<std::array<std::size_t, operator_names.size()>, phase_names.size()> rule_of_{};
    std::array<std::size_t, no_component> groups_{};
    std::size_t weights_ = no_component, cache_ = no_component, activations_ = no_component, stage_ = no_component,
                repeated_ = no_component, tier_ = no_component;
    std::array<std::size_t, phase_names.size()> whole_{max_rules, max_rules};
    MetricList metrics_of_parts_;
    std::vector<CompiledLimit> limits_, rules_of_constants_;
    Power power_;
    Cost cost_;
    Link link_;
    std::size_t slower_ = 0, spread_ = 0, long_steps_ = 0, logit_ = 0, weight_bits_ = 0, weight_scale_ = 0;
};

}  // namespace pimdse::models::text
