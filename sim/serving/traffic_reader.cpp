#include "sim/serving/traffic_reader.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>

namespace pimdse::sim::serving {

std::int64_t tokens_in(CsvRows const& rows, std::string const& cell, std::size_t column) {
    auto const whole = exact_whole(rows.number(cell, column));
    if (!whole || *whole < 1 || *whole > max_tokens)
        rows.refuse(
            fmt::format("{} = {} is not a whole number from 1 to {}", rows.name_of(column), clipped(cell), max_tokens));
    return *whole;
}

TrafficReader::TrafficReader(std::filesystem::path const& file)
    : rows_(file, {"arrival_s", "input_tokens", "output_tokens"}) {}

std::optional<ServiceRequest> TrafficReader::next() {
    auto const cells = rows_.next();
    if (!cells) return std::nullopt;
    double const arrival = rows_.number((*cells)[0], 0);
    if (arrival < 0.0) rows_.refuse(fmt::format("arrival_s = {} is negative (a trace begins at 0)", arrival));
    if (arrival < last_)
        rows_.refuse(
            fmt::format("arrival_s = {} comes after {} of the request before (requests must be in the order "
                        "of arrival). Sort the trace?",
                        arrival, last_));
    last_ = arrival;
    return ServiceRequest{arrival, tokens_in(rows_, (*cells)[1], 1), tokens_in(rows_, (*cells)[2], 2)};
}

std::vector<ServiceRequest> read_traffic(std::filesystem::path const& file, std::size_t most) {
    TrafficReader reader(file);
    std::vector<ServiceRequest> requests;
    while (requests.size() < most) {
        auto const request = reader.next();
        if (!request) break;
        requests.push_back(*request);
    }
    if (requests.empty()) throw InputError(fmt::format("{}: the trace has no requests", file.string()));
    return requests;
}

}  // namespace pimdse::sim::serving
