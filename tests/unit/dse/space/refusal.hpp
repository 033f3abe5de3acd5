#pragma once

#include "models/expression/expression_parser.hpp"
#include "tests/unit/refused.hpp"

#include <string>

namespace pimdse::dse::space {

/// What is said of a condition; nothing if it is read.
inline std::string refusal_of(std::string const& text, models::Vocabulary const& vocabulary) {
    return refusal_by([&] { (void)models::parse_condition(text, vocabulary); });
}

}  // namespace pimdse::dse::space
