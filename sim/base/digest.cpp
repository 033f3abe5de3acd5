#include "sim/base/digest.hpp"

#include "sim/base/check.hpp"
#include "sim/base/wire.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <openssl/evp.h>
#include <zlib.h>
#include <array>

namespace pimdse::sim {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    sim::ensures(context_ != nullptr && EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) == 1,
                 "SHA-256 is available");
    waiting_.reserve(limit + 64);
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

Sha256& Sha256::add(std::span<std::byte const> bytes) {
    if (bytes.size() >= limit) {
        flush();
        sim::ensures(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1, "SHA-256 accepts bytes");
        return *this;
    }
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    return flushed_if_full();
}

Sha256& Sha256::add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    return add(std::as_bytes(std::span(text)));
}

Sha256& Sha256::add(std::uint64_t number) {
    wire::put(waiting_, number);
    return flushed_if_full();
}

std::string Sha256::hex() {
    flush();
    std::array<unsigned char, 32> sum{};
    sim::ensures(EVP_DigestFinal_ex(context_, sum.data(), nullptr) == 1, "SHA-256 finishes");
    std::string text;
    for (unsigned char const byte : sum) text += fmt::format("{:02x}", byte);
    return text;
}

void Sha256::flush() {
    sim::ensures(EVP_DigestUpdate(context_, waiting_.data(), waiting_.size()) == 1, "SHA-256 accepts bytes");
    waiting_.clear();
}

Sha256& Sha256::flushed_if_full() {
    if (waiting_.size() >= limit) flush();
    return *this;
}

std::string sha256(std::string_view text) { return Sha256().add(std::as_bytes(std::span(text))).hex(); }

std::uint32_t crc32(std::span<std::byte const> bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t length) {
    return static_cast<std::uint32_t>(::crc32_combine(first, second, static_cast<z_off_t>(length)));
}

}  // namespace pimdse::sim
