#include "file.hpp"
#include "input.hpp"
#include "models/dram/dram_check.hpp"

/// Tables of DRAM reference runs: every row is read as `dram check` reads it; none is run.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    return fuzz::attempt([&] {
        for (auto const& row : models::read_reference_rows(fuzz::file_with(fuzz::text_of(data, size)))) {
            (void)models::selected(row, "L5J and n_requests<=20000");
            if (models::is_modelled(row)) (void)models::reference_case(row);
        }
    });
}
