#include "input.hpp"
#include "sim/base/quantity_text.hpp"

/// Quantities and units as a person writes them; what is read can be printed and read again.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    return pimdse::fuzz::attempt([&] {
        auto const read = pimdse::sim::parse_quantity(pimdse::fuzz::text_of(data, size));
        (void)pimdse::sim::dimension_name(read.dimension);
        (void)pimdse::sim::parse_quantity(pimdse::sim::print_quantity(read.si, "s", 17));
    });
}
