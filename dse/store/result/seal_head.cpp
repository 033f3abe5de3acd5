#include "dse/store/result/seal_head.hpp"

#include "dse/store/checksum.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

namespace pimdse::dse::store::result {
namespace {

constexpr std::string_view first_line = "pimdse sealed result, HDF5 from byte 512\n";
constexpr std::size_t at_once = std::size_t{8} << 20;

/// Of all bytes from the end of the head on.
std::uint32_t sum_of(DurableFile const& file, std::uint64_t bytes) {
    std::vector<std::byte> part(std::min<std::uint64_t>(at_once, bytes));
    std::uint32_t sum = 0;
    for (std::uint64_t done = 0; done < bytes;) {
        auto const room = std::span(part).first(std::min<std::uint64_t>(part.size(), bytes - done));
        std::size_t const got = file.read_at(seal_head_bytes + done, room);
        if (got == 0) break;  // somebody cuts it meanwhile: the sum says so
        sum = joined_crc32(sum, crc32(room.first(got)), got);
        done += got;
    }
    return sum;
}

/// The number behind `name`, as the head says; 0 if it is not there.
std::uint64_t stated_bytes(std::string_view head) {
    std::string_view const name = "bytes ";
    auto const at = head.find(name);
    std::uint64_t number = 0;
    if (at != std::string_view::npos)
        std::from_chars(head.data() + at + name.size(), head.data() + head.size(), number);
    return number;
}

std::array<std::byte, seal_head_bytes> seal_head(std::uint64_t bytes, std::uint32_t sum) {
    auto const text = fmt::format("{}bytes {}\ncrc32 {:08x}\n", first_line, bytes, sum);
    std::array<std::byte, seal_head_bytes> head{};
    std::memcpy(head.data(), text.data(), text.size());
    return head;
}

}  // namespace

void put_seal_head(std::span<std::byte> file) {
    sim::expects(file.size() >= seal_head_bytes, "there is room for the head");
    auto const rest = file.subspan(seal_head_bytes);
    auto const head = seal_head(rest.size(), crc32(rest));
    std::copy(head.begin(), head.end(), file.begin());
}

Seal check_seal(DurableFile const& file) {
    std::array<std::byte, seal_head_bytes> head{};
    std::size_t const got = file.read_at(0, head);
    std::string_view const text(reinterpret_cast<char const*>(head.data()), got);
    if (!text.starts_with(first_line)) return Seal::none;
    std::uint64_t const all = file.size();
    std::uint64_t const bytes = all - std::min<std::uint64_t>(all, seal_head_bytes);
    auto const refuse = [&](std::string const& why) {
        throw StorageError(file.path(), fmt::format("{} is damaged ({}). Is there a copy, or its journal?",
                                                    file.path().string(), why));
    };
    if (auto const stated = stated_bytes(text); bytes < stated)
        refuse(fmt::format("it ends {} bytes early", stated - bytes));
    if (seal_head(bytes, sum_of(file, bytes)) != head)
        refuse("its bytes are not those that were sealed: a disk, a copy or another program changed them");
    return Seal::whole;
}

}  // namespace pimdse::dse::store::result
