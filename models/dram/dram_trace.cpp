#include "models/dram/dram_trace.hpp"

#include "sim/base/byte_order_mark.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace pimdse::models {
namespace {

using sim::InputError;
using sim::dram::Tick;

/// Words of a line without its remark.
std::vector<std::string> words_of_line(std::string const& line) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

TraceFormat detected(std::vector<std::string> const& words) {
    if (auto const format = format_of_words(words)) return *format;
    std::string shown;
    for (auto const& word : words) shown += (shown.empty() ? "" : " ") + word;
    throw InputError(fmt::format("'{}' is a request in no known format.{}", sim::clipped(shown), trace_format_help()));
}

class TraceReader {
  public:
    TraceReader(TraceFormat format, sim::dram::Mapping const& mapping) : format_(format), mapping_(mapping) {}

    void read(std::string const& line) {
        auto const words = words_of_line(line);
        if (words.empty()) return;
        if (format_ == TraceFormat::automatic) format_ = detected(words);
        auto const request = read_request(format_, words, mapping_);
        if (request.arrival) note_arrival(*request.arrival);
        transactions_.push_back(request.transaction);
    }

    [[nodiscard]] bool empty() const { return transactions_.empty(); }
    [[nodiscard]] sim::dram::Stream stream(int transaction_bytes) && {
        if (arrivals_.empty()) return sim::dram::Stream::list(transactions_, transaction_bytes);
        return sim::dram::Stream::list(transactions_, transaction_bytes, std::move(arrivals_));
    }

  private:
    void note_arrival(Tick arrival) {
        if (!arrivals_.empty() && arrival < arrivals_.back())
            throw InputError(
                fmt::format("cycle {} comes after cycle {} of the request before (requests stand in the "
                            "order of their cycles). Sort the trace?",
                            arrival, arrivals_.back()));
        arrivals_.push_back(arrival);
    }

    TraceFormat format_;
    sim::dram::Mapping const& mapping_;
    std::vector<sim::dram::Transaction> transactions_;
    std::vector<Tick> arrivals_;
};

}  // namespace

sim::dram::Stream read_dram_trace(std::filesystem::path const& file, TraceFormat format,
                                  sim::dram::Mapping const& mapping, int transaction_bytes) {
    std::ifstream stream(file);
    if (!stream) throw InputError(fmt::format("{}: cannot be read (no such file, or no permission)", file.string()));
    TraceReader reader(format, mapping);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        try {
            reader.read(number == 1 ? std::string(sim::without_byte_order_mark(line)) : line);
        } catch (InputError const& error) {
            throw InputError(fmt::format("{}:{}: {}", file.string(), number, error.what()));
        }
    }
    if (reader.empty()) throw InputError(fmt::format("{}: the trace has no requests", file.string()));
    return std::move(reader).stream(transaction_bytes);
}

}  // namespace pimdse::models
