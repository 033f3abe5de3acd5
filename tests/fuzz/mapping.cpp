#include "sim/dram/mapping.hpp"
#include "input.hpp"
#include "models/dram/dram_standard.hpp"

/// DRAM mappings as tokens or names; one that is accepted maps an address and back.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    static auto const organisation = models::load_dram_standard("L5J").organisation;
    return fuzz::attempt([&] {
        auto const mapping = sim::dram::parse_mapping(fuzz::text_of(data, size), organisation);
        std::uint64_t const burst = static_cast<std::uint64_t>(organisation.burst_bytes);
        std::uint64_t const address =
            (0x123456789abULL & ((std::uint64_t{1} << mapping.address_bits()) - 1)) / burst * burst;
        sim::ensures(mapping.address(mapping.coordinates(address)) / burst == address / burst,
                     "a mapping is its inverse's inverse");
    });
}
