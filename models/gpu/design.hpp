#pragma once

#include "models/llm/generation.hpp"
#include "models/llm/speculation.hpp"
#include "models/llm/workload.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::models::gpu {

/// Devices in constants.toml; the names of their rows begin with the device and an underscore.
inline constexpr std::array<std::string_view, 5> device_names{"a100", "h100", "rtx_a6000", "rtx_4090", "rtx_pro_6000"};

/// Format of products.
enum class Precision : std::uint8_t { fp16, int8, fp8 };
inline constexpr std::array<std::string_view, 3> precision_names{"fp16", "int8", "fp8"};
/// Format of keys and values.
enum class CacheFormat : std::uint8_t { fp16, bits8 };
enum class Generation : std::uint8_t { autoregressive, diffusion };

/// A point with its parameters read by position; numbers in SI.
struct Design {
    std::size_t device = 0;
    LanguageModel const* model = nullptr;
    std::int64_t input = 0, output = 0, batch = 1;
    Precision precision = Precision::fp16;
    bool follows_file = false;  ///< weights are in the format of the model's file, if it names one
    CacheFormat kv_cache = CacheFormat::fp16;
    double power_limit = 0.0;     ///< W of one device; 0: limit of the data sheet
    double attained_share = 0.0;  ///< of the peak arithmetic rate; 0: the measured share of the device
    double layer_overhead = 0.0;  ///< s
    Generation generation = Generation::autoregressive;
    std::int64_t steps = 1, block_length = 1;
    PassCache cache = PassCache::dual;
    Speculation speculation;

    /// Whether weights are in a format of a file, and expanded before products.
    [[nodiscard]] bool stored_as_file() const { return follows_file && !model->weight_format.method.empty(); }
    [[nodiscard]] double sequences() const { return static_cast<double>(batch); }
    [[nodiscard]] std::int64_t longest_context() const { return input + output; }
};

}  // namespace pimdse::models::gpu
