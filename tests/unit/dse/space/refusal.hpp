#pragma once

#include "models/expression/expression_parser.hpp"
#include "sim/base/check.hpp"

#include <string>

namespace pimdse::dse::space {

/// What is said of a condition; nothing if it is read.
inline std::string refusal_of(std::string const& text, models::Vocabulary const& vocabulary) {
    try {
        (void)models::parse_condition(text, vocabulary);
    } catch (sim::InputError const& error) {
        return error.what();
    }
    return "";
}

}  // namespace pimdse::dse::space
