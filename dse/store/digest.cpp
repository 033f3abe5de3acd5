#include "dse/store/digest.hpp"

#include "dse/task/wire.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace pimdse::dse::store {

namespace {

/// SHA-256, fed piece by piece.
class Sha256 {
  public:
    Sha256() : context_(EVP_MD_CTX_new()) {
        sim::ensures(context_ != nullptr && EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) == 1,
                     "SHA-256 is there");
        waiting_.reserve(limit + 64);
    }
    ~Sha256() { EVP_MD_CTX_free(context_); }
    Sha256(Sha256 const&) = delete;
    Sha256& operator=(Sha256 const&) = delete;

    Sha256& add(std::span<std::byte const> bytes) {
        if (bytes.size() >= limit) {
            flush();
            sim::ensures(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1, "SHA-256 takes bytes");
            return *this;
        }
        waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
        return flushed_if_full();
    }
    /// Length first, so that neighbouring texts cannot be shifted into each other.
    Sha256& add(std::string_view text) {
        add(static_cast<std::uint64_t>(text.size()));
        return add(std::as_bytes(std::span(text)));
    }
    Sha256& add(std::uint64_t number) {
        task::wire::put(waiting_, number);
        return flushed_if_full();
    }
    /// The bit pattern; every NaN is the same one.
    Sha256& add(double number) {
        if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
        return add(std::bit_cast<std::uint64_t>(number));
    }
    /// 64 lower-case digits; ends the sum.
    [[nodiscard]] std::string hex() {
        flush();
        std::array<unsigned char, 32> sum{};
        sim::ensures(EVP_DigestFinal_ex(context_, sum.data(), nullptr) == 1, "SHA-256 ends");
        std::string text;
        for (unsigned char const byte : sum) text += fmt::format("{:02x}", byte);
        return text;
    }

  private:
    void flush() {
        sim::ensures(EVP_DigestUpdate(context_, waiting_.data(), waiting_.size()) == 1, "SHA-256 takes bytes");
        waiting_.clear();
    }
    Sha256& flushed_if_full() {
        if (waiting_.size() >= limit) flush();
        return *this;
    }

    static constexpr std::size_t limit = 65536;
    EVP_MD_CTX* context_;
    std::vector<std::byte> waiting_;  ///< many small pieces cost more in calls than in bytes
};

}  // namespace

std::string sha256(std::string_view text) { return Sha256().add(std::as_bytes(std::span(text))).hex(); }

namespace {

/// The words of a row; texts of an infeasible one follow them.
void put_words(answers::ResultStore const& store, answers::ResultStore::Row row, std::vector<std::uint64_t>& into) {
    task::Task const task = store.task(row);
    answers::Status const status = store.status(row);
    into.insert(into.end(),
                {index_of(task.point), static_cast<std::uint64_t>(task.fidelity), static_cast<std::uint64_t>(status)});
    if (status != answers::Status::ok) return;
    for (std::size_t metric = 0; metric < store.metrics(); ++metric) {
        auto const e = store.estimate(row, metric);  // a store has one NaN only
        into.insert(into.end(), {std::bit_cast<std::uint64_t>(e.value), std::bit_cast<std::uint64_t>(e.low),
                                 std::bit_cast<std::uint64_t>(e.high), std::uint64_t{number_of(e.kinds)}});
    }
}

}  // namespace

std::string digest(std::string_view identity, answers::ResultStore const& store) {
    constexpr std::size_t words_at_once = 65536;
    Sha256 sum;
    sum.add(identity).add(static_cast<std::uint64_t>(store.metrics()));
    std::vector<std::uint64_t> words;
    auto const flush = [&] {
        static_assert(std::endian::native == std::endian::little);
        sum.add(std::as_bytes(std::span(words)));
        words.clear();
    };
    for (auto const row : store.sorted()) {
        put_words(store, row, words);
        bool const has_texts = store.status(row) == answers::Status::infeasible;
        if (has_texts || words.size() >= words_at_once) flush();
        if (has_texts) sum.add(store.rule(row)).add(store.reason(row));
    }
    flush();
    return sum.hex();
}

}  // namespace pimdse::dse::store
