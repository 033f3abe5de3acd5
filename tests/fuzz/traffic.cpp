#include "file.hpp"
#include "input.hpp"
#include "sim/serving/arrivals.hpp"
#include "sim/serving/past.hpp"
#include "sim/serving/traffic_reader.hpp"

/// Traces of requests, whose turns are whole prompts or what they add, and columns of lengths in them.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    auto const file = fuzz::file_with(fuzz::text_of(data, size));
    (void)fuzz::attempt([&] { (void)sim::serving::lengths_of_file(file, "output_tokens", 10); });
    return fuzz::attempt([&] {
        auto trace = sim::serving::read_trace(file, {{}, 1000});
        for (auto const& request : trace.requests)
            sim::ensures(request.arrival >= 0.0 && request.input > 0 && request.output > 0, "a request has tokens");
        if (!trace.past.blocks.empty() && trace.past.block_tokens == 0) return;
        for (bool const added : {false, true}) {
            sim::serving::ServiceLoad load;
            load.requests = trace.requests;
            trace.past.added = added;
            auto const turns = sim::serving::set_past(load, trace.past);
            sim::ensures(turns.no_longer <= turns.all && turns.all <= static_cast<std::int64_t>(load.requests.size()),
                         "turns are requests");
            for (std::size_t i = 0; i < load.requests.size(); ++i)
                sim::ensures(load.requests[i].input >= trace.requests[i].input, "a turn has at least what it adds");
        }
    });
}
