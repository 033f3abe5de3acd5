#include "sim/dram/stream.hpp"
#include "input.hpp"

#include <algorithm>
#include <array>

/// Formulas of request streams; the first and last requests of one that is accepted, and what it knows of itself.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    return fuzz::attempt([&] {
        auto const stream = sim::dram::parse_stream(fuzz::text_of(data, size), 64);
        if (stream.size() == 0) return;
        std::array<sim::dram::Transaction, 64> requests;
        auto const count = std::min<std::uint64_t>(stream.size(), requests.size());
        for (std::uint64_t const first : {std::uint64_t{0}, stream.size() - count})
            stream.fill(first, std::span(requests).first(count));
        (void)stream.highest_address();
        (void)stream.step();
        (void)stream.runs();
    });
}
