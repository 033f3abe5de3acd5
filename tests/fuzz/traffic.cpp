#include "file.hpp"
#include "input.hpp"
#include "sim/serving/arrivals.hpp"
#include "sim/serving/traffic_reader.hpp"

/// Traces of requests, and columns of lengths in them.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    auto const file = fuzz::file_with(fuzz::text_of(data, size));
    (void)fuzz::attempt([&] { (void)sim::serving::lengths_of_file(file, "output_tokens", 10); });
    return fuzz::attempt([&] {
        for (auto const& request : sim::serving::read_trace(file, {{}, 1000}).requests)
            sim::ensures(request.arrival >= 0.0 && request.input > 0 && request.output > 0, "a request has tokens");
    });
}
