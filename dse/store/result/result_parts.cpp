#include "dse/store/result/result_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace pimdse::dse::store::result {
namespace {

constexpr std::string_view name_begins = "part-", name_ends = ".h5";
constexpr std::size_t digits_of_digest = 12;

/// Nothing that leads out of the directory, nothing of somebody else.
bool is_part_name(std::string_view name) {
    if (!name.starts_with(name_begins) || !name.ends_with(name_ends) ||
        name.size() <= name_begins.size() + name_ends.size())
        return false;
    auto const middle = name.substr(name_begins.size(), name.size() - name_begins.size() - name_ends.size());
    return middle.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

}  // namespace

std::filesystem::path parts_directory(std::filesystem::path const& master) {
    return std::filesystem::path(master) += ".parts";
}

std::string part_name(std::size_t number, std::string const& digest) {
    return fmt::format("{}{:05}-{}{}", name_begins, number, digest.substr(0, digits_of_digest), name_ends);
}

void write_parts(hdf5::Group& root, std::span<Part const> parts) {
    if (parts.empty()) return;
    std::vector<std::string> files, digests;
    std::vector<std::uint64_t> first, rows;
    for (auto const& part : parts) {
        files.push_back(part.file);
        digests.push_back(part.digest);
        first.push_back(part.first_point);
        rows.push_back(part.rows);
    }
    auto group = root.create_group("parts");
    group.attribute("meaning",
                    "result files with the rows of this one, in the directory that has its name and .parts; in the "
                    "order of their points");
    group.put_texts("file", files);
    group.put("first_point_id", first);
    group.put("rows", rows);
    group.put_texts("digest", digests);
}

std::vector<Part> read_parts(hdf5::Group const& root) {
    if (!root.has("parts")) return {};
    auto const group = root.open_group("parts");
    auto files = group.open_column("file").read_texts();
    auto const first = group.open_column("first_point_id").read<std::uint64_t>();
    auto const rows = group.open_column("rows").read<std::uint64_t>();
    auto digests = group.open_column("digest").read_texts();
    if (first.size() != files.size() || rows.size() != files.size() || digests.size() != files.size())
        root.damaged("/parts has columns of different length");
    std::vector<Part> parts;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!is_part_name(files[i])) root.damaged(fmt::format("'{}' is no name of a part", files[i]));
        parts.push_back({std::move(files[i]), first[i], rows[i], std::move(digests[i])});
    }
    return parts;
}

void remove_other_parts(std::filesystem::path const& master, std::span<Part const> kept) {
    std::error_code failed;
    auto const directory = parts_directory(master);
    std::vector<std::filesystem::path> others;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        auto const name = entry->path().filename().string();
        bool const stays = std::ranges::any_of(kept, [&](Part const& part) { return part.file == name; });
        if (is_part_name(name) && !stays) others.push_back(entry->path());
    }
    for (auto const& other : others) std::filesystem::remove(other, failed);
    if (kept.empty()) std::filesystem::remove(directory, failed);  // only an empty one
}

}  // namespace pimdse::dse::store::result
