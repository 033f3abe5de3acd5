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

    [[nodiscard]] double elements() const {
        double product = 1;
        for (auto const width : shape) product *= static_cast<double>(width);
        return product;
    }
};

/// What the header of a file says; its weights are not read.
struct TensorFile {
    std::vector<TensorEntry> tensors;
    sim::Json metadata = sim::Json::object();  ///< without lists of more than 4096 entries
};

/// The header of a GGUF file of version 2 or 3 (little-endian), with the other parts of a file that is split. Throws
/// InputError with one sentence if it cannot be read, is cut, or states sizes that are not in it; memory is a small
/// multiple of the bytes of the header.
[[nodiscard]] TensorFile read_gguf(std::filesystem::path const& file);
/// The headers of a safetensors file, or of an index with the files of its folder. Of files that are missing only the
/// bytes are known, as `total_size` of the metadata. Throws InputError with one sentence as read_gguf does.
[[nodiscard]] TensorFile read_safetensors(std::filesystem::path const& file);

}  // namespace pimdse::models
