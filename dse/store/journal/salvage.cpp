#include "dse/store/journal/salvage.hpp"

#include "dse/store/journal/format.hpp"
#include "dse/store/journal/head.hpp"
#include "dse/store/journal/scanner.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace pimdse::dse::store::journal {
namespace {

constexpr std::size_t batch_bytes = std::size_t{16} << 20;

/// A second, free name for the file.
std::filesystem::path set_aside(std::filesystem::path const& path) {
    for (int number = 1;; ++number) {
        auto name = path;
        name += number == 1 ? std::string(".damaged") : fmt::format(".damaged-{}", number);
        if (::link(path.c_str(), name.c_str()) == 0) return name;
        if (errno != EEXIST) throw StorageError::from_errno(name, "write", errno);
    }
}

std::uint64_t copy_records(DurableFile const& from, std::uint64_t begin, DurableFile const& to,
                           JournalHeader const& header) {
    task::Bytes bytes = format::header_bytes(header);
    std::uint64_t number = 0;
    format::Scanner scanner(from, {begin});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) {
        auto const kind = static_cast<format::RecordKind>(payload.front());
        format::put_record(bytes, ++number, kind,
                           [&](task::Bytes& into) { into.insert(into.end(), payload.begin() + 1, payload.end()); });
        if (bytes.size() < batch_bytes) return;
        to.write(bytes);
        bytes.clear();
    });
    to.write(bytes);
    return number;
}

}  // namespace

Salvaged salvage(DurableFile const& damaged, std::uint64_t begin, JournalHeader const& header) {
    Replacement copy(damaged.path());
    std::uint64_t const records = copy_records(damaged, begin, copy.file(), header);
    copy.file().sync();
    // The damaged file has both names before the copy takes the first over: at no instant is either missing.
    auto const aside = set_aside(damaged.path());
    std::uint64_t const end = copy.file().size();
    return {copy.take_name(), end, records, aside};
}

}  // namespace pimdse::dse::store::journal
