#pragma once

#include "sim/base/quantity_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace pimdse::dse::space {

/// What a part of an expression stands for while it is compiled.
struct Meaning {
    enum class Type : std::uint8_t { number, truth, choice, text } type = Type::number;
    sim::Dimension dimension{};
    std::size_t parameter = 0;  ///< Type::choice
    std::string word;           ///< Type::text: it must name a choice
    bool zero = false;          ///< a literal 0 compares with every dimension

    static Meaning truth() { return {Type::truth, {}, 0, "", false}; }
    static Meaning number(sim::Dimension dimension, bool zero = false) {
        return {Type::number, dimension, 0, "", zero};
    }
    static Meaning choice(std::size_t parameter) { return {Type::choice, {}, parameter, "", false}; }
    static Meaning text(std::string word) { return {Type::text, {}, 0, std::move(word), false}; }
};

}  // namespace pimdse::dse::space
