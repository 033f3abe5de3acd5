#include "file.hpp"
#include "input.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/dram/dram_trace.hpp"
#include "sim/dram/mapping.hpp"

/// Request traces in every format.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    static auto const mapping = sim::dram::parse_mapping("umdam", models::load_dram_standard("L5J").organisation);
    return fuzz::attempt([&] {
        auto const file = fuzz::file_with(fuzz::text_of(data, size));
        (void)models::read_dram_trace(file, models::TraceFormat::automatic, mapping, 32).highest_address();
    });
}
