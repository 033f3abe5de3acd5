#include "input.hpp"
#include "sim/noc/reference_rows.hpp"

#include <sstream>
#include <string>

/// Tables of network reference runs; none is run.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    return fuzz::attempt([&] {
        std::istringstream csv{std::string(fuzz::text_of(data, size))};
        (void)sim::noc::read_reference_rows(csv, "rows.csv");
    });
}
