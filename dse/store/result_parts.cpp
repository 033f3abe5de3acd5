#include "dse/store/result_parts.hpp"

#include "dse/store/file_table.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

namespace pimdse::dse::store {
namespace {

constexpr std::string_view name_begins = "part-", name_ends = ".h5";
constexpr std::size_t digits_of_digest = 12;

/// Whether a name is that of a part: such a name cannot lead out of the directory or denote a file of another origin.
bool is_part_name(std::string_view name) {
    if (!name.starts_with(name_begins) || !name.ends_with(name_ends) ||
        name.size() <= name_begins.size() + name_ends.size())
        return false;
    auto const middle = name.substr(name_begins.size(), name.size() - name_begins.size() - name_ends.size());
    return middle.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

template <class Parts>
void parts_table(tables::FileTable<Parts> table, Parts& parts) {
    table.meaning(
        "result files with the rows of this one, in the directory that has its name and .parts; in the order of their "
        "points");
    table.column("file", parts, &Part::file);
    table.column("first_point_id", parts, &Part::first_point);
    table.column("rows", parts, &Part::rows);
    table.column("digest", parts, &Part::digest);
}

constexpr std::string_view first_line = "pimdse sealed result, HDF5 from byte 512\n", content_line = "content ";
constexpr std::size_t at_once = std::size_t{8} << 20;

/// CRC-32 of `bytes` bytes after the head.
std::uint32_t sum_of(base::DurableFile const& file, std::uint64_t bytes) {
    std::vector<std::byte> part(std::min<std::uint64_t>(at_once, bytes));
    std::uint32_t sum = 0;
    for (std::uint64_t done = 0; done < bytes;) {
        auto const room = std::span(part).first(std::min<std::uint64_t>(part.size(), bytes - done));
        std::size_t const got = file.read_at(seal_head_bytes + done, room);
        if (got == 0) break;  // the file is being shortened: the checksum will not match
        sum = sim::joined_crc32(sum, sim::crc32(room.first(got)), got);
        done += got;
    }
    return sum;
}

/// What the head states behind a name, up to the end of the line; "" if it states nothing.
std::string_view stated(std::string_view head, std::string_view name) {
    auto const at = head.find(name);
    if (at == std::string_view::npos) return {};
    auto const rest = head.substr(at + name.size());
    return rest.substr(0, rest.find('\n'));
}

std::array<std::byte, seal_head_bytes> seal_head(std::uint64_t bytes, std::uint32_t sum, std::string_view content) {
    auto text = fmt::format("{}bytes {}\ncrc32 {:08x}\n", first_line, bytes, sum);
    if (!content.empty()) text += fmt::format("{}{}\n", content_line, content);
    std::array<std::byte, seal_head_bytes> head{};
    std::memcpy(head.data(), text.data(), std::min(text.size(), head.size()));
    return head;
}

}  // namespace

std::filesystem::path parts_directory(std::filesystem::path const& master) {
    return std::filesystem::path(master) += ".parts";
}

std::string part_name(std::size_t number, std::string const& digest) {
    return fmt::format("{}{:05}-{}{}", name_begins, number, digest.substr(0, digits_of_digest), name_ends);
}

void write_parts(hdf5::Group& root, std::span<Part const> parts) {
    if (!parts.empty()) parts_table<std::span<Part const> const>({root, "parts"}, parts);
}

std::vector<Part> read_parts(hdf5::Group const& root) {
    std::vector<Part> parts;
    if (!root.has("parts")) return parts;
    parts_table<std::vector<Part>>({root, "parts"}, parts);
    for (auto const& part : parts)
        if (!is_part_name(part.file)) root.damaged(fmt::format("'{}' is not the name of a part", part.file));
    return parts;
}

void remove_other_parts(std::filesystem::path const& master, std::span<Part const> kept) {
    std::error_code failed;
    auto const directory = parts_directory(master);
    std::vector<std::filesystem::path> others;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        auto const name = entry->path().filename().string();
        bool const is_kept = std::ranges::any_of(kept, [&](Part const& part) { return part.file == name; });
        if (is_part_name(name) && !is_kept) others.push_back(entry->path());
    }
    for (auto const& other : others) std::filesystem::remove(other, failed);
    if (kept.empty()) std::filesystem::remove(directory, failed);  // fails unless it is empty
}

std::string content_sum(hdf5::Group const& root) {
    sim::Sha256 sum;
    root.add_content(sum);
    return sum.hex();
}

void put_seal_head(std::span<std::byte> file, std::string const& content) {
    sim::expects(file.size() >= seal_head_bytes, "there is room for the head");
    auto const rest = file.subspan(seal_head_bytes);
    auto const head = seal_head(rest.size(), sim::crc32(rest), content);
    std::copy(head.begin(), head.end(), file.begin());
}

Seal check_seal(base::DurableFile const& file) {
    std::array<std::byte, seal_head_bytes> head{};
    std::size_t const got = file.read_at(0, head);
    std::string_view const text(reinterpret_cast<char const*>(head.data()), got);
    if (!text.starts_with(first_line)) return {};
    std::uint64_t const all = file.size();
    std::uint64_t const bytes = all - std::min<std::uint64_t>(all, seal_head_bytes);
    Seal seal{Seal::State::whole, std::string(stated(text, content_line)), ""};
    if (seal_head(bytes, sum_of(file, bytes), seal.content) == head) return seal;
    seal.state = Seal::State::other_bytes;
    std::uint64_t sealed = 0;
    auto const length = stated(text, "bytes ");
    std::from_chars(length.data(), length.data() + length.size(), sealed);
    seal.damage = bytes < sealed
                      ? fmt::format("it ends {} bytes early", sealed - bytes)
                      : "its bytes are not those that were sealed: a disk, a copy or another program changed them";
    return seal;
}

}  // namespace pimdse::dse::store
