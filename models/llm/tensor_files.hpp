#pragma once

#include "models/llm/workload.hpp"
#include "sim/base/json.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::models {

/// A tensor as the header of a file describes it.
struct TensorEntry {
    std::string name;
    std::vector<std::int64_t> shape;  ///< slowest dimension first: outputs, inputs; experts before them
    std::string type;                 ///< "Q4_K", "BF16"
    NumberFormat format;              ///< of an element
    double bytes = 0.0;               ///< in the file

    [[nodiscard]] double elements() const;
};

/// What the header of a file says; its weights are not read.
struct TensorFile {
    std::vector<TensorEntry> tensors;
    sim::Json metadata = sim::Json::object();  ///< without lists of more than 4096 entries
};

// Each of these throws InputError with one sentence if a file cannot be read, is cut, or states sizes that are not in
// it. Memory is a small multiple of the bytes of the header.

/// GGUF, versions 2 and 3 (little-endian), with the other parts of a file that is split.
[[nodiscard]] TensorFile read_gguf(std::filesystem::path const& file);
/// safetensors: one file, or an index with the files of its folder. Of files that are missing only the bytes count.
[[nodiscard]] TensorFile read_safetensors(std::filesystem::path const& file);

}  // namespace pimdse::models
