#pragma once

#include "models/contract/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// A choice that is accepted by name but not modelled yet, with a sentence for the message.
struct NotBuilt {
    std::string choice;  ///< as the user writes it; "*" = any value but the default
    std::string sentence;
};

/// A parameter of an architecture. Parameters are identified by position, so evaluation needs no lookup by name.
struct Parameter {
    std::string name;
    Kind kind = Kind::integer;
    std::string unit;  ///< "ns", "B", "tokens"; "" for plain numbers, choices and flags
    Value default_value;
    std::string meaning;
    std::vector<std::string> choices;  ///< Kind::choice: the names, index = Value::as_choice
    /// Kind::choice with texts beyond `choices` (a DRAM mapping): returns "" if the text is acceptable, otherwise the
    /// reason. Accepted texts are appended to `choices` before Inputs are prepared.
    std::function<std::string(std::string const&)> accepts;
    std::vector<std::string> items;  ///< if not empty, a space may contain { permute = [...] } of exactly these
    double lower = 0.0,
           upper = 0.0;     ///< hard limits of a number (in `unit`, or SI); both 0: none. Beyond them: InputError
    bool assumed = false;   ///< the default is an assumption of this project
    bool resource = false;  ///< a larger value is more hardware: area or idle_power rises, all else equal
    std::vector<std::string> aliases;  ///< other names (`prefill` for `input`)
    std::vector<NotBuilt> not_built;
    std::string technology{};  ///< row of technology.toml that is the default under view = deployed; "": of its name
};
using Parameters = std::vector<Parameter>;

/// The parameter of every architecture whose machines can serve a model together: their number.
inline constexpr std::string_view devices_name = "devices";

/// A table of parameters or metrics with the rows that `add` add to it, one after the other.
template <class Table, void (*... add)(Table&)>
[[nodiscard]] Table table_of() {
    Table table;
    (add(table), ...);
    return table;
}

/// The default value of every parameter, in declared order.
[[nodiscard]] std::vector<Value> default_point(Parameters const& parameters);

/// Position of the parameter with this name or alias; -1 if there is none.
[[nodiscard]] int find_parameter(Parameters const& parameters, std::string_view name);

/// "unknown parameter 'bach' of umdam. Did you mean 'batch'?"; `machine` may be "". Other words for devices are known.
[[nodiscard]] std::string unknown_parameter(std::string_view name, Parameters const& parameters,
                                            std::string_view machine = "");

}  // namespace pimdse::models
