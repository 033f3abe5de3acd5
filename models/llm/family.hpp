#pragma once

#include "sim/base/json.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// What the configuration class of one `model_type` means, as models/llm/families/NAME.toml states it. Keys are those
/// of llama, the usual ones. Values are numbers, flags or expressions of keys ("4 * hidden_size"; config_values.hpp).
/// Include this header only in .cpp files, because of the JSON values.
struct ConfigFamily {
    using Texts = std::map<std::string, std::string, std::less<>>;
    using Values = std::map<std::string, sim::Json, std::less<>>;

    std::string name;
    std::string source;          ///< of the defaults: a library with its version
    std::string other_type;      ///< what files of its class have as model_type if not its name; "": nothing else
    Values defaults;             ///< of keys that are absent
    Values nulls;                ///< of keys that are null
    Values names;                ///< the keys that files have for a usual one: a list of texts, best first
    Values shape;                ///< what no key of a file states
    std::vector<Values> layers;  ///< what differs in some layers (config_kinds.cpp), in this order
    Texts refused;               ///< keys that may not be on, "KEY=TEXT", "KEY>NUMBER", and why
    Texts noted;                 ///< keys of parts that are not counted, and a sentence for the reader of a result
    Texts ignored;               ///< keys that change no shape although their names speak of shapes, and why
    Texts types;                 ///< the names that files have for types of layers, and the usual ones
    Texts modules;               ///< names of modules, for formats of weights

    /// A value of [shape]; null if the family has none.
    [[nodiscard]] sim::Json of_shape(std::string_view key) const;
    /// The name of a module behind that of its layer; "" if the family has none.
    [[nodiscard]] std::string module(std::string_view part) const;
};

/// The names of all families, sorted.
[[nodiscard]] std::vector<std::string> family_names();

/// A family, with all that it takes from the ones that it is like; nullptr if there is none of this name. A file is
/// read once. Throws InputError if it is not right. Thread-safe.
[[nodiscard]] std::shared_ptr<ConfigFamily const> find_family(std::string const& name);

}  // namespace pimdse::models
