#include "sim/base/csv_rows.hpp"
#include "sim/base/words.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

/// Time to read a million requests. `line_by_line` is the reader of 0.2.0: a text for each cell of each line.
namespace {

using namespace pimdse::sim;

constexpr int requests = 1'000'000;

/// A file that is removed at the end of the program.
class WrittenTrace {
  public:
    template <class Line>
    WrittenTrace(std::string const& name, std::string const& head, Line const& line)
        : path_(std::filesystem::temp_directory_path() / fmt::format("pimdse_bench_{}_{}", getpid(), name)) {
        std::ofstream out(path_);
        out << head;
        for (int i = 0; i < requests; ++i) out << line(i);
    }
    WrittenTrace(WrittenTrace const&) = delete;
    WrittenTrace& operator=(WrittenTrace const&) = delete;
    ~WrittenTrace() { std::filesystem::remove(path_); }
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

std::filesystem::path const& ours() {
    static WrittenTrace const trace("ours.csv", "arrival_s,input_tokens,output_tokens\n", [](int i) {
        return fmt::format("{}.{:06},{},{}\n", i / 50, i % 50 * 20'000 + i % 7, 1 + i * 31 % 4000, 1 + i * 17 % 500);
    });
    return trace.path();
}
std::filesystem::path const& azure() {
    static WrittenTrace const trace("azure.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n", [](int i) {
        return fmt::format("2024-05-10 {:02}:{:02}:{:02}.{:06}+00:00,{},{}\n", i / 180'000, i / 3000 % 60, i / 50 % 60,
                           i % 50 * 20'000 + i % 7, 1 + i * 31 % 4000, 1 + i * 17 % 500);
    });
    return trace.path();
}
std::filesystem::path const& mooncake() {
    static WrittenTrace const trace("mooncake.jsonl", "", [](int i) {
        return fmt::format(
            R"({{"timestamp": {}, "input_length": {}, "output_length": {}, "hash_ids": [{}, {}, {}, {}]}})"
            "\n",
            i * 20L, 1537 + i * 31 % 2048, 1 + i * 17 % 500, i % 99, 3 * i, 3 * i + 1, 3 * i + 2);
    });
    return trace.path();
}

double number_in(std::string_view text) {
    double value = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void line_by_line(benchmark::State& state) {
    for (auto _ : state) {
        std::ifstream file(ours());
        std::vector<serving::ServiceRequest> list;
        std::string line;
        std::getline(file, line);
        while (std::getline(file, line)) {
            std::vector<std::string> found;
            for (auto const& cell : csv_cells(line)) found.emplace_back(trimmed(cell));
            list.push_back({number_in(found[0]), static_cast<std::int64_t>(number_in(found[1])),
                            static_cast<std::int64_t>(number_in(found[2]))});
        }
        benchmark::DoNotOptimize(list);
    }
}

void read(benchmark::State& state, std::filesystem::path const& file) {
    for (auto _ : state) benchmark::DoNotOptimize(serving::read_trace(file));
}
void read_ours(benchmark::State& state) { read(state, ours()); }
void read_azure(benchmark::State& state) { read(state, azure()); }
void read_mooncake(benchmark::State& state) { read(state, mooncake()); }

BENCHMARK(line_by_line)->Unit(benchmark::kMillisecond);
BENCHMARK(read_ours)->Unit(benchmark::kMillisecond);
BENCHMARK(read_azure)->Unit(benchmark::kMillisecond);
BENCHMARK(read_mooncake)->Unit(benchmark::kMillisecond);

}  // namespace
