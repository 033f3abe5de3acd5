#pragma once

#include "models/contract/architecture.hpp"
#include "models/dplena/parameters.hpp"
#include "models/text/architecture_file.hpp"

namespace pimdse::models::dplena {

/// Inputs of the architecture: the sampler, and the machine file npu.toml by which requests are served.
struct NpuInputs : Prepared {
    NpuInputs(Parameters const& parameters, ModelOptions const& options);
    text::AnsweringFile file;
};

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

}  // namespace pimdse::models::dplena
