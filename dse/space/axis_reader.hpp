#pragma once

#include "dse/space/space.hpp"

#include <toml++/toml.h>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// Reads what a space says of one parameter: a value, a list, { from, to, step | times } or { permute = [...] }.
/// Accepted texts are appended to the parameter's choices. On mistakes adds sentences that begin with `where` and
/// returns nothing.
[[nodiscard]] std::optional<Axis> read_axis(models::Parameter& parameter, toml::node const& node,
                                            std::string const& where, std::vector<std::string>& mistakes);

/// { classes = "FAMILY", key = "text" or ["text", ...] } as a request without its parameter; nothing if the node is
/// something else. Throws InputError.
[[nodiscard]] std::optional<models::ClassRequest> read_class_request(toml::node const& node);

/// A sentence where the node is a range whose values, which the axis has, do not meet its end; else nothing.
[[nodiscard]] std::string unmet_end(models::Parameter const& parameter, toml::node const& node, Axis const& axis);

}  // namespace pimdse::dse::space
