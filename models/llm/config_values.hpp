#pragma once

#include "models/llm/config_reader.hpp"
#include "models/llm/family.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// The values of the usual keys in the file of a family: what the file says under one of the names that the family has
/// for a key; where it is null or absent, what the family says. Such values, and those of [shape], may be expressions:
/// keys and numbers with * / + - and parentheses, `if(A, B, C)` (B unless A is 0), `not KEY`, `count KEY`
/// (entries of a list), and FIELD=TEXT where a KEY may stand, which holds if the field is that text or a list with it.
class ConfigValues {
  public:
    /// `around`: the object around the one of the model, or the same one; keys that stand only there count.
    ConfigValues(ConfigReader& file, ConfigReader& around, ConfigFamily const& family)
        : file_(file), around_(around), family_(family) {}

    /// A whole number of `least` to `most`; on a mistake, adds a sentence and returns `least`. A list of equal numbers
    /// counts as one.
    [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t least, std::int64_t most);
    [[nodiscard]] bool flag(std::string_view key);
    /// A number for each layer, if the file has a list; empty otherwise. `number` has the largest of them.
    [[nodiscard]] std::vector<std::int64_t> by_layer(std::string_view key, std::int64_t least, std::int64_t most);
    /// A list of texts that the family has for a key; empty if it has none.
    [[nodiscard]] std::vector<std::string> texts_of_family(std::string_view key) const;
    /// The number of an entry of a family, which may be an expression.
    [[nodiscard]] std::int64_t value_of(sim::Json const& value);
    /// The same; an entry that is a key must have one of `least` to `most`, or it is a mistake.
    [[nodiscard]] std::int64_t value_of(sim::Json const& value, std::int64_t least, std::int64_t most);
    /// The key or text that an entry is, where it is an `if` the one that counts; empty if it is a number.
    [[nodiscard]] std::string key_of(sim::Json const& value);
    /// Values of [shape], 0 if there is none; also of a key within bounds.
    [[nodiscard]] std::int64_t of_shape(std::string_view name);
    [[nodiscard]] std::int64_t of_shape(std::string_view name, std::int64_t least, std::int64_t most);
    [[nodiscard]] bool is_shape(std::string_view name);
    [[nodiscard]] std::string shape_text(std::string_view name);
    /// What the file has for a key, under the name that counts; nullptr if it is absent or null.
    [[nodiscard]] sim::Json const* given(std::string_view key);
    /// The name under which a file has a key, or else the best one.
    [[nodiscard]] std::string name_of(std::string_view key);
    /// The names that files have for a key, the best one first; "a.b" is b in the object a.
    [[nodiscard]] std::vector<std::string> names_of(std::string_view key) const;
    /// "head_dim = 256" for every number that the family gave and that follows from no other one.
    [[nodiscard]] std::vector<std::string> const& by_family() const { return by_family_; }
    [[nodiscard]] ConfigFamily const& family() const { return family_; }
    [[nodiscard]] ConfigReader& file() { return file_; }

  private:
    struct Found {
        std::string name;
        sim::Json const* value = nullptr;
    };
    [[nodiscard]] Found find(std::string_view key);
    [[nodiscard]] std::int64_t of_family(std::string_view key, Found const& found);
    [[nodiscard]] std::string branch_of(std::string_view text);
    /// A number of the file that is not whole; none otherwise. It counts where it multiplies a whole one.
    [[nodiscard]] std::optional<double> fraction(std::string_view key);
    [[nodiscard]] std::int64_t evaluated(std::string_view text);
    [[nodiscard]] std::int64_t term(std::string_view text);

    ConfigReader& file_;
    ConfigReader& around_;
    ConfigFamily const& family_;
    std::map<std::string, std::int64_t, std::less<>> known_;
    std::vector<std::string> by_family_;
};

}  // namespace pimdse::models
