#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/parameter_table.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// Parameters with the same meaning in every architecture that serves language models. Their defaults depend on the
/// view of a space.
namespace pimdse::models {

inline constexpr std::string_view attained_share_name = "attained_share";
inline constexpr std::string_view layer_overhead_name = "layer_overhead";
/// Default of attained_share for architectures with measured products: the measured share of the device and format.
inline constexpr double as_measured = 0.0;

/// Share of the peak arithmetic rate that programs attain, 0..1; `default_value` applies under view own. `note` states
/// what it applies to in this architecture. With as_measured as default, 0 is accepted and stands for the measured
/// share of the device.
[[nodiscard]] Parameter attained_share(double default_value, std::string_view note);

/// Who starts the layers of a pass: a program on the host, the device, which reads a stream of commands, or nobody,
/// because units follow a stored schedule.
enum class LaunchedBy : std::uint8_t { host, stream, dataflow };
inline constexpr std::array<std::string_view, 3> launch_names{"host", "stream", "dataflow"};

/// Time to launch one layer of a pass [s]; `default_si` applies under view own, the row of technology.toml for `launch`
/// under view deployed.
[[nodiscard]] Parameter layer_overhead(double default_si, LaunchedBy launch, std::string_view note);

/// Sets the defaults of these parameters if the architecture has them: under view hardware 1 and 0; under view deployed
/// those of technology.toml, except for an attained_share that is as_measured. Values in `assumptions.common` have
/// priority over both. Under both views a request is one autoregressive sequence with its LM head counted. Throws
/// InputError.
void set_common_defaults(Parameters& parameters, Assumptions const& assumptions);

/// A sentence without a full stop if the view changes nothing of a machine with these parameters; "" otherwise.
[[nodiscard]] std::string unreached_by_view(std::string_view machine, Parameters const& parameters,
                                            Assumptions const& assumptions);

}  // namespace pimdse::models
