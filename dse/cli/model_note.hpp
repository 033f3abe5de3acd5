#pragma once

#include "models/contract/parameter.hpp"

#include <string>

namespace pimdse::dse::cli {

/// Lines on the model of a point, if it is a file of the user: how the file stores weights and what the machine does,
/// what the file did not say, and what is not counted; "" for a model that is shipped.
[[nodiscard]] std::string model_note(models::Parameters const& parameters, models::Point point);

}  // namespace pimdse::dse::cli
