#pragma once

#include "models/contract/architecture.hpp"

#include <string>
#include <vector>

namespace pimdse::models {

/// A parameter whose values are worth asking where nobody names any: what an owner of the machine would choose.
struct AskedAxis {
    std::string parameter;
    std::vector<std::string> values;  ///< as in a space file, texts in quotes
    std::string why;
    /// "[64, 256]", or "64" for a single value.
    [[nodiscard]] std::string toml() const;
};

/// The table [explore] of the machine's file, or of the nearest base that has one; of a machine in C++ the file
/// models/NAME/explore.toml. Empty if there is none: the machine is asked at its defaults. Throws InputError, with file
/// and line, for a table that is not one of lists, for a parameter that the machine does not have, and for a value that
/// it does not take.
[[nodiscard]] std::vector<AskedAxis> asked_axes(Architecture const& architecture);

}  // namespace pimdse::models
