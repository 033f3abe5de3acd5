#include "file.hpp"
#include "input.hpp"
#include "models/dram/dram_trace.hpp"

/// Request traces of LD and ST lines.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    return fuzz::attempt(
        [&] { (void)models::read_dram_trace(fuzz::file_with(fuzz::text_of(data, size)), 64).highest_address(); });
}
