#pragma once

#include "sim/base/check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::fuzz {

/// What a fuzzer hands over, as text.
[[nodiscard]] inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
    return size == 0 ? std::string_view{} : std::string_view(reinterpret_cast<char const*>(data), size);
}

/// Reads an input; being refused in a sentence is a result, and anything else that is thrown ends the process.
template <class Read>
int attempt(Read const& read) noexcept {
    try {
        read();
    } catch (sim::InputError const&) {
        return 0;  // refused in a sentence
    }
    return 0;
}

}  // namespace pimdse::fuzz
