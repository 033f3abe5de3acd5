#include "dse/journal_salvage.hpp"

#include "dse/journal_format.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace pimdse::dse {
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

std::uint64_t copy_records(DurableFile const& from, DurableFile const& to, JournalHeader const& header) {
    auto const head = journal_format::read_head(from);
    Bytes bytes = journal_format::header_bytes(header);
    std::uint64_t number = 0;
    journal_format::Scanner scanner(from, {head->end, 0});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) {
        auto const kind = static_cast<journal_format::RecordKind>(payload.front());
        journal_format::put_record(bytes, ++number, kind,
                                   [&](Bytes& into) { into.insert(into.end(), payload.begin() + 1, payload.end()); });
        if (bytes.size() < batch_bytes) return;
        to.write(bytes);
        bytes.clear();
    });
    to.write(bytes);
    to.sync();
    return number;
}

}  // namespace

Salvaged salvage(DurableFile const& damaged, JournalHeader const& header) {
    auto const& path = damaged.path();
    auto name = path;
    name += ".salvaged";
    ::unlink(name.c_str());
    DurableFile copy(name, DurableFile::Mode::create_new);
    copy.lock(std::chrono::milliseconds(0));
    std::uint64_t const records = copy_records(damaged, copy, header);
    // The damaged file has both names before the copy takes the first over: at no instant is either missing.
    auto const aside = set_aside(path);
    if (::rename(name.c_str(), path.c_str()) != 0) throw StorageError::from_errno(path, "write", errno);
    sync_directory_of(path);
    copy.renamed(path);
    std::uint64_t const end = copy.size();
    return {std::move(copy), end, records, aside};
}

}  // namespace pimdse::dse
