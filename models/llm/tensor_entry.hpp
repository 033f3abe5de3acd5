#pragma once

#include "models/llm/workload.hpp"
#include "sim/base/json.hpp"

#include <cstdint>
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

}  // namespace pimdse::models
