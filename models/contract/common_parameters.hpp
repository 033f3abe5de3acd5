#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/parameter_table.hpp"

#include <string_view>

/// Parameters that mean the same in every architecture that serves models. Their defaults follow the view of a space.
namespace pimdse::models {

inline constexpr std::string_view attained_share_name = "attained_share";
inline constexpr std::string_view layer_overhead_name = "layer_overhead";
/// The default of attained_share where products were measured: the share of the device and format.
inline constexpr double as_measured = 0.0;

/// Share of peak arithmetic that programs attain, 0..1; `default_value`: under view own. `note`: what it applies to
/// here. With as_measured as default, 0 is accepted and stands for the measured share of the device.
[[nodiscard]] Parameter attained_share(double default_value, std::string_view note);

/// Time that the host takes to launch a layer of one pass [s]; `fallback_si`: under view own.
[[nodiscard]] Parameter layer_overhead(double fallback_si, std::string_view note);

/// Sets the defaults of these parameters where the architecture has them: 1 and 0 under view hardware; under view
/// deployed those of technology.toml, but for an attained_share that is as_measured; what `assumptions.common` says
/// before either. Under both views a request is one autoregressive sequence and its LM head counts. Throws InputError.
void set_common_defaults(Parameters& parameters, Assumptions const& assumptions);

}  // namespace pimdse::models
