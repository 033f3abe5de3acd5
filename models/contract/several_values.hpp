#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"

#include <string_view>

namespace pimdse::models {

/// Throws InputError if the text of a value holds several: "64,128", "[64, 128]", "{from = 1, to = 4}", another name
/// ("64,batch=2"), or a number with a decimal comma ("250,5 MHz"). `takes` decides what is suggested.
void refuse_several(Parameter const& parameter, std::string_view text, Takes takes);

}  // namespace pimdse::models
