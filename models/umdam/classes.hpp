#pragma once

#include "models/umdam/field_order.hpp"
#include "models/umdam/locality.hpp"

#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// What is left of a list of mappings once those that timing cannot tell apart are merged and those PIM cannot use are dropped.
struct Census {
    std::size_t texts = 0;             ///< mappings given
    std::vector<std::string> classes;  ///< the first text of each class
    std::vector<std::string> legal;    ///< of these, those that keep every column in one bank, all banks in lock step
};

/// Counts mappings (token lists) for matrices of these shapes, without simulating any.
[[nodiscard]] Census census(std::vector<std::string> const& texts, Organisation const& organisation, Groups groups,
                            std::vector<StoredShape> const& shapes);

}  // namespace pimdse::models::umdam
