#include "dse/store/own_files.hpp"

#include "dse/store/digest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace pimdse::dse::store {
namespace {

namespace fs = std::filesystem;

/// As a JSON text has it, with its quotes.
std::string quoted(std::string const& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void replace_all(std::string& text, std::string const& what, std::string const& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// The folder and all above it.
std::vector<fs::path> and_above(fs::path const& folder) {
    std::vector<fs::path> all{folder};
    while (all.back() != all.back().parent_path()) all.push_back(all.back().parent_path());
    return all;
}

/// "home/me/proj/m.toml", "me/proj/m.toml", ..., "m.toml".
std::vector<fs::path> ends_of(fs::path const& file) {
    std::vector<fs::path> ends;
    for (auto part = file.begin(); part != file.end(); ++part) {
        fs::path end;
        for (auto at = part; at != file.end(); ++at) end /= *at;
        if (end.is_relative()) ends.push_back(std::move(end));
    }
    return ends;
}

std::string moved_file(std::string const& file, std::string const& sum, std::vector<fs::path> const& folders) {
    std::error_code unreadable;
    for (auto const& folder : folders) {
        for (auto const& end : ends_of(file)) {
            auto const place = folder / end;
            if (fs::is_regular_file(place, unreadable) && file_sha256(place) == sum) return place.string();
        }
    }
    return "";
}

}  // namespace

std::string file_sha256(fs::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return "";
    std::ostringstream content;
    content << stream.rdbuf();
    return sha256(content.str());
}

std::string identity_text(std::string_view canonical_text, InputHashes const& inputs) {
    std::string text(canonical_text);
    for (auto const& [name, sum] : inputs) {
        if (is_own_file(name)) replace_all(text, quoted(name), quoted(fmt::format("file of SHA-256 {}", sum)));
    }
    return text;
}

bool same_space(std::string_view a, InputHashes const& of_a, std::string_view b, InputHashes const& of_b) {
    return a == b || identity_text(a, of_a) == identity_text(b, of_b);
}

Places moved_files(InputHashes const& inputs, fs::path const& folder) {
    Places places;
    std::vector<fs::path> folders;
    for (auto const& [name, sum] : inputs) {
        if (!is_own_file(name) || file_sha256(name) == sum) continue;
        if (folders.empty()) folders = and_above(fs::absolute(folder).lexically_normal());
        if (auto place = moved_file(name, sum, folders); !place.empty()) places.emplace(name, std::move(place));
    }
    return places;
}

Places same_content(InputHashes const& inputs, InputHashes const& others) {
    Places places;
    for (auto const& [name, sum] : inputs) {
        if (!is_own_file(name) || std::ranges::find(others, std::pair(name, sum)) != others.end()) continue;
        auto const found = std::ranges::find_if(
            others, [&](auto const& other) { return is_own_file(other.first) && other.second == sum; });
        if (found != others.end()) places.emplace(name, found->first);
    }
    return places;
}

void rename_own_files(task::Columns& columns, Places const& places) {
    for (auto const& [old, now] : places) {
        replace_all(columns.canonical_text, quoted(old), quoted(now));
        for (auto& parameter : columns.parameters) std::ranges::replace(parameter.choices, old, now);
        for (auto& input : columns.input_hashes) {
            if (input.first == old) input.first = now;
        }
    }
    std::sort(columns.input_hashes.begin(), columns.input_hashes.end());
}

}  // namespace pimdse::dse::store
