#pragma once

#include "dse/space/space.hpp"
#include "models/contract/architecture.hpp"

#include <toml++/impl/forward_declarations.h>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// Reads the values that a space file gives a parameter: a value, a list, { from, to, step | times } or { permute =
/// [...] }. Accepted texts are appended to the parameter's choices. On mistakes, adds sentences that begin with `where`
/// to `mistakes` and returns nullopt.
[[nodiscard]] std::optional<Axis> read_axis(models::Parameter& parameter, toml::node const& node,
                                            std::string const& where, std::vector<std::string>& mistakes);

/// Reads { classes = "FAMILY", key = "text" or ["text", ...] } as a request whose parameter is not set yet; nullopt if
/// the node is something else. Throws InputError.
[[nodiscard]] std::optional<models::ClassRequest> read_class_request(toml::node const& node);

/// A sentence if the node is a range whose last value, taken from the axis, differs from its 'to'; else "".
[[nodiscard]] std::string unmet_end(models::Parameter const& parameter, toml::node const& node, Axis const& axis);

}  // namespace pimdse::dse::space
