// Runs a libFuzzer target without libFuzzer: every file of a corpus folder, then mutations of them, for a while.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>
#include <csignal>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

/// One input may take this long; a hang is a finding.
constexpr unsigned longest_seconds = 20;
constexpr std::size_t largest = 1 << 20;

Bytes const* under_way = nullptr;
char const* kept = "fuzz_failure.bin";

/// Whatever ends the process leaves the input behind.
extern "C" void keep_input(int signal) {
    if (under_way != nullptr) {
        std::ofstream(kept, std::ios::binary)
            .write(reinterpret_cast<char const*>(under_way->data()), static_cast<std::streamsize>(under_way->size()));
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void watch_for_ends() {
    for (int const signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM}) std::signal(signal, keep_input);
}

void run(Bytes const& input) {
    under_way = &input;
    ::alarm(longest_seconds);
    (void)LLVMFuzzerTestOneInput(input.data(), input.size());
    ::alarm(0);
    under_way = nullptr;
}

std::vector<Bytes> read_corpus(std::filesystem::path const& folder) {
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<Bytes> inputs;
    for (auto const& file : files) {
        std::ifstream stream(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    return inputs;
}

/// Deterministic changes of the kinds that find most: bits, bytes, pieces doubled, dropped or taken from another input.
class Mutator {
  public:
    Mutator(std::vector<Bytes> const& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

    Bytes next() {
        Bytes input = any();
        for (std::size_t i = 0, steps = 1 + below(4); i < steps; ++i) change(input);
        if (input.size() > largest) input.resize(largest);
        return input;
    }

  private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }
    Bytes const& any() { return corpus_[below(corpus_.size())]; }

    void change(Bytes& input) {
        switch (below(7)) {
            case 0:
                if (!input.empty()) input[below(input.size())] ^= static_cast<std::uint8_t>(1U << below(8));
                break;
            case 1:
                if (!input.empty()) input[below(input.size())] = letter();
                break;
            case 2:
                input.insert(input.begin() + offset(input), letter());
                break;
            case 3:
                drop(input);
                break;
            case 4:
                splice(input, input);
                break;
            case 5:
                splice(input, any());
                break;
            default:
                put_number(input);
        }
    }

    std::uint8_t letter() {
        static constexpr std::string_view telling = "0123456789eE+-.,:;=<>[](){}\"'# \n\t_%/*xXnaif";
        return below(4) == 0 ? static_cast<std::uint8_t>(below(256))
                             : static_cast<std::uint8_t>(telling[below(telling.size())]);
    }

    std::ptrdiff_t offset(Bytes const& input) { return static_cast<std::ptrdiff_t>(below(input.size() + 1)); }

    void drop(Bytes& input) {
        auto const from = offset(input);
        auto const length = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(input.size()) - from,
                                                     static_cast<std::ptrdiff_t>(below(32)));
        input.erase(input.begin() + from, input.begin() + from + length);
    }

    /// A piece of another input (or of this one) put in, sometimes many times.
    void splice(Bytes& input, Bytes other) {
        auto const from = offset(other);
        auto const length = std::min<std::size_t>(other.size() - static_cast<std::size_t>(from), 1 + below(64));
        std::size_t const times = below(16) == 0 ? 1 + below(1000) : 1;
        Bytes piece;
        for (std::size_t i = 0; i < times; ++i)
            piece.insert(piece.end(), other.begin() + from, other.begin() + from + static_cast<std::ptrdiff_t>(length));
        input.insert(input.begin() + offset(input), piece.begin(), piece.end());
    }

    /// A number that breaks things where a number was.
    void put_number(Bytes& input) {
        static constexpr std::string_view numbers[] = {"0",
                                                       "-1",
                                                       "1e308",
                                                       "-1e308",
                                                       "inf",
                                                       "nan",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "18446744073709551616",
                                                       "4294967296",
                                                       "2147483648",
                                                       "1e18",
                                                       "0.5",
                                                       "1e-320",
                                                       "99999999999999999999"};
        auto const is_digit = [](std::uint8_t c) { return c >= '0' && c <= '9'; };
        auto const begin = std::find_if(input.begin() + offset(input), input.end(), is_digit);
        auto const at = begin - input.begin();
        input.erase(begin, std::find_if_not(begin, input.end(), is_digit));
        auto const number = numbers[below(std::size(numbers))];
        input.insert(input.begin() + at, number.begin(), number.end());
    }

    std::vector<Bytes> const& corpus_;
    std::mt19937_64 random_;
};

}  // namespace

/// usage: TARGET CORPUS SECONDS [SEED]. Exit code 0 unless the process ends by a signal; a failing input is kept in
/// fuzz_failure.bin.
int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: " << argv[0] << " CORPUS SECONDS [SEED]\n";
        return 2;
    }
    watch_for_ends();
    auto const corpus = read_corpus(argv[1]);
    double const seconds = std::strtod(argv[2], nullptr);
    std::uint64_t const seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    auto const start = std::chrono::steady_clock::now();
    for (auto const& input : corpus) run(input);
    std::uint64_t mutations = 0;
    Mutator mutator(corpus, seed);
    auto const elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (; !corpus.empty() && elapsed() < seconds; ++mutations) run(mutator.next());
    std::cout << corpus.size() << " files and " << mutations << " mutations of them, seed " << seed << ", in "
              << elapsed() << " s\n";
    return corpus.empty() ? 1 : 0;
}
