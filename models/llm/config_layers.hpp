#pragma once

#include "models/llm/config_values.hpp"
#include "models/llm/workload.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// The kinds of layers one by one: which have a window, and which have experts. Precondition:
/// read_shape.
[[nodiscard]] std::vector<LayerKind> read_layers(ConfigValues& values, LanguageModel& model);

/// The type of each layer, as `layer_types` and its other names say.
class LayerTypes {
  public:
    /// Adds a mistake for a list that is not as long as there are layers, or names types that the family does not have.
    /// A file without a number of layers has as many as types. Where states = "block", a layer of type "hybrid" is a
    /// layer "block" of attention and a network, and behind it a layer "hybrid" with a state only.
    LayerTypes(ConfigValues& values, LanguageModel& model);

    [[nodiscard]] bool given() const { return !types_.empty(); }
    /// Whether layer i, from 0, has one of these types. Precondition: given.
    [[nodiscard]] bool is(std::int64_t layer, std::initializer_list<std::string_view> types) const;

  private:
    void set_blocks_apart(LanguageModel& model);

    std::vector<std::string> types_;
};

/// Gives windows to the layers that have one, by `layer_types` or the rule of the family.
void set_windows(ConfigValues& values, LayerTypes const& types, std::vector<LayerKind>& layers);

}  // namespace pimdse::models
