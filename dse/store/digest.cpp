#include "dse/store/digest.hpp"

#include "dse/task/wire.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace pimdse::dse {

struct Sha256::State {
    State() : context(EVP_MD_CTX_new()) {
        sim::ensures(context != nullptr && EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1, "SHA-256 is there");
        waiting.reserve(limit + 64);
    }
    ~State() { EVP_MD_CTX_free(context); }
    State(State const&) = delete;
    State& operator=(State const&) = delete;

    void flush() {
        sim::ensures(EVP_DigestUpdate(context, waiting.data(), waiting.size()) == 1, "SHA-256 takes bytes");
        waiting.clear();
    }
    void flush_if_full() {
        if (waiting.size() >= limit) flush();
    }

    static constexpr std::size_t limit = 65536;
    EVP_MD_CTX* context;
    std::vector<std::byte> waiting;  ///< many small pieces cost more in calls than in bytes
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::add(std::span<std::byte const> bytes) {
    if (bytes.size() >= State::limit) {
        state_->flush();
        sim::ensures(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1, "SHA-256 takes bytes");
        return *this;
    }
    state_->waiting.insert(state_->waiting.end(), bytes.begin(), bytes.end());
    state_->flush_if_full();
    return *this;
}

Sha256& Sha256::add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    return add(std::as_bytes(std::span(text)));
}

Sha256& Sha256::add(std::uint64_t number) {
    wire::put(state_->waiting, number);
    state_->flush_if_full();
    return *this;
}

Sha256& Sha256::add(double number) {
    if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
    return add(std::bit_cast<std::uint64_t>(number));
}

std::string Sha256::hex() {
    state_->flush();
    std::array<unsigned char, 32> sum{};
    sim::ensures(EVP_DigestFinal_ex(state_->context, sum.data(), nullptr) == 1, "SHA-256 ends");
    std::string text;
    for (unsigned char const byte : sum) text += fmt::format("{:02x}", byte);
    return text;
}

std::string sha256(std::string_view text) { return Sha256().add(std::as_bytes(std::span(text))).hex(); }

namespace {

/// The words of a row; texts of an infeasible one follow them.
void put_words(ResultStore const& store, ResultStore::Row row, std::vector<std::uint64_t>& into) {
    Task const task = store.task(row);
    Status const status = store.status(row);
    into.insert(into.end(),
                {index_of(task.point), static_cast<std::uint64_t>(task.fidelity), static_cast<std::uint64_t>(status)});
    if (status != Status::ok) return;
    for (std::size_t metric = 0; metric < store.metrics(); ++metric) {
        auto const e = store.estimate(row, metric);  // a store has one NaN only
        into.insert(into.end(), {std::bit_cast<std::uint64_t>(e.value), std::bit_cast<std::uint64_t>(e.low),
                                 std::bit_cast<std::uint64_t>(e.high), std::uint64_t{number_of(e.kinds)}});
    }
}

}  // namespace

std::string digest(std::string_view canonical_text, ResultStore const& store) {
    constexpr std::size_t words_at_once = 65536;
    Sha256 sum;
    sum.add(canonical_text).add(static_cast<std::uint64_t>(store.metrics()));
    std::vector<std::uint64_t> words;
    auto const flush = [&] {
        static_assert(std::endian::native == std::endian::little);
        sum.add(std::as_bytes(std::span(words)));
        words.clear();
    };
    for (auto const row : store.sorted()) {
        put_words(store, row, words);
        bool const has_texts = store.status(row) == Status::infeasible;
        if (has_texts || words.size() >= words_at_once) flush();
        if (has_texts) sum.add(store.rule(row)).add(store.reason(row));
    }
    flush();
    return sum.hex();
}

}  // namespace pimdse::dse
