#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/parameter.hpp"

#include <memory>
#include <string>

namespace pimdse::models {

struct Architecture;  // architecture.hpp

/// A file that a machine was read from, with its content at that time.
struct SourceFile {
    std::string path;  ///< absolute, without "." and ".."
    std::string text;
    bool operator==(SourceFile const&) const = default;
};

/// Everything that is the same for all points. `parameters` is the table of the architecture with all accepted texts
/// appended to its choices; `prepared` is what the architecture made from it (constants, model descriptions, timing
/// sets, memo).
struct Inputs {
    Parameters parameters;
    std::shared_ptr<void const> prepared;
    ModelOptions options{};  ///< the file with the user's own constants and the assumptions that `prepared` is based on
    std::shared_ptr<void const> group{};  ///< what Architecture::prepare_group made

    template <class T>
    [[nodiscard]] T const& as() const {
        return *static_cast<T const*>(prepared.get());
    }
};

}  // namespace pimdse::models
