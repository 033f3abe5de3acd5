#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <string_view>

namespace pimdse::models {

/// Where a value stands, for what is suggested in place of several: in a space file or --set of one, which take lists
/// too; in a request for one point; in a request for points.
enum class Takes : std::uint8_t { list_entry, one_value, point_of_many };

/// Throws InputError if the text of a value holds several: "64,128", "[64, 128]", "{from = 1, to = 4}", another name
/// ("64,batch=2"), or a number with a decimal comma ("250,5 MHz"). `takes` decides what is suggested.
void refuse_several(Parameter const& parameter, std::string_view text, Takes takes);

}  // namespace pimdse::models
