#pragma once

#include "models/llm/config_reader.hpp"
#include "models/llm/family.hpp"
#include "models/llm/python_pattern.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// What a library means by the name of a module in a list.
enum class Names : std::uint8_t {
    exact,     ///< this module; with "re:" before it, all whose beginning matches
    parents,   ///< this module and all in it, wherever it is; or all whose beginning matches
    wildcards  ///< as a shell has them, or as parents
};

/// Modules that a list names, and what they are stored as.
class ModuleRule {
  public:
    /// `name`: as a file has it, under a field of this name. Adds a mistake for an expression that is not understood.
    ModuleRule(ConfigReader& file, std::string_view field, std::string name, Names meaning, NumberFormat format);

    /// Whether a module is meant: "model.layers.3.mlp.down_proj", by its own name and those in a wrapper.
    [[nodiscard]] bool means(std::string_view module) const;
    /// The layer that the name states, from 0; nothing if it may be any.
    [[nodiscard]] std::optional<std::int64_t> layer() const { return layer_; }
    /// Whether it may mean a module in a layer, and not the same in another layer with as many digits.
    [[nodiscard]] bool tells_layers_apart() const {
        return pattern_ ? pattern_->tells_digits_apart() : name_.find_first_of("0123456789") != name_.npos;
    }
    /// Whether it names one expert of several.
    [[nodiscard]] bool of_one_expert() const { return of_one_expert_; }
    [[nodiscard]] NumberFormat const& format() const { return format_; }

  private:
    [[nodiscard]] bool means_exactly(std::string_view module) const;

    std::string name_;
    Names meaning_;
    NumberFormat format_;
    std::optional<PythonPattern> pattern_;
    std::optional<std::int64_t> layer_;
    bool of_one_expert_ = false;
};

/// What a method converts.
struct FormatRules {
    std::string method;
    NumberFormat usual;             ///< of matrices that no rule names
    std::vector<ModuleRule> rules;  ///< the first that names a module counts
    /// What else is converted as `usual` unless a rule names it.
    bool head = false, embedding = false, router = false;
    NumberFormat cache;  ///< of keys and values
};

/// Gives every layer of a model its format; `layers` are its kinds one by one.
void set_formats(ConfigReader& file, ConfigFamily const& family, FormatRules const& rules, LanguageModel& model,
                 std::vector<LayerKind>& layers);

}  // namespace pimdse::models
