#include "dse/store/journal/head.hpp"

#include "dse/store/checksum.hpp"
#include "dse/store/digest.hpp"
#include "dse/store/own_files.hpp"
#include "dse/task/wire.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace pimdse::dse::store::journal::format {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view magic = "PIMDSEJ\n";
constexpr std::uint32_t longest_text = 1U << 28;
constexpr std::string_view digest_key = R"("space_digest":")";
constexpr std::size_t digest_digits = 64;

std::string dumped(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string json_of(JournalHeader const& header) {
    Json json;
    json["architecture"] = header.architecture;
    json["metrics"] = header.metrics;
    json["space_digest"] = sha256(identity_text(header.canonical_text, header.inputs));
    json["space"] = header.canonical_text;
    json["space_text"] = header.space_text;
    json["inputs"] = header.inputs;
    json["run"] = Json::parse(header.run.empty() ? "{}" : header.run);
    return dumped(json);
}

/// Throws what the JSON library throws.
JournalHeader header_of(std::string_view text) {
    auto const json = Json::parse(text);
    JournalHeader header;
    header.architecture = json.at("architecture");
    header.metrics = json.at("metrics").get<std::vector<std::string>>();
    header.canonical_text = json.at("space");
    header.space_text = json.at("space_text");
    header.run = dumped(json.at("run"));
    if (json.contains("inputs")) header.inputs = json.at("inputs").get<InputHashes>();
    return header;
}

std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// The beginning of a file; a longer head than there may be is not read whole.
task::Bytes beginning(DurableFile const& file, std::uint64_t end) {
    task::Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>({file.size(), end, head_size + longest_text})));
    bytes.resize(file.read_at(0, bytes));
    return bytes;
}

/// The first bytes of every head: magic and version.
task::Bytes first_bytes() {
    task::Bytes bytes;
    for (char const c : magic) bytes.push_back(static_cast<std::byte>(c));
    task::wire::put(bytes, version);
    return bytes;
}

/// What a start that was interrupted leaves: the beginning of a head, and zeros where the disk had nothing yet. No
/// control character is in the text of a head (JSON escapes them), and one is in every record, since the last byte of
/// its length is at most 16.
bool is_unfinished(DurableFile const& file) {
    if (file.size() > head_size + longest_text) return false;
    task::Bytes bytes = beginning(file, file.size());
    while (!bytes.empty() && bytes.back() == std::byte{0}) bytes.pop_back();
    task::Bytes const first = first_bytes();
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), first.size())),
                    first.begin()))
        return false;
    if (bytes.size() <= head_size) return true;
    return std::all_of(bytes.begin() + head_size, bytes.end(), [](std::byte b) { return b >= std::byte{0x20}; });
}

std::string wrong_start(DurableFile const& file, std::span<std::byte const> fixed) {
    std::string const name = file.path().string();
    if (text_of(fixed.first(magic.size())) != magic)
        return fmt::format("{} is no journal of pimdse, or its beginning is damaged", name);
    auto const found = task::wire::number_at<std::uint32_t>(fixed.data() + magic.size());
    if (found != version)
        return fmt::format("{} is a journal of version {} (this program reads version {}), or damaged", name, found,
                           version);
    return {};
}

/// Reads the text of a head whose first 20 bytes are `fixed`; says what is wrong with it, if anything.
std::string read_text(DurableFile const& file, std::span<std::byte const> fixed, Head& into) {
    std::string const name = file.path().string();
    auto const length = task::wire::number_at<std::uint32_t>(fixed.data() + 12);
    if (length > longest_text || head_size + length > file.size())
        return fmt::format("{} is damaged (its head would be longer than the file)", name);
    task::Bytes text(length);
    if (file.read_at(head_size, text) != length ||
        crc32(text) != task::wire::number_at<std::uint32_t>(fixed.data() + 16))
        return fmt::format("{} is damaged (its head does not match its checksum)", name);
    try {
        into.header = header_of(text_of(text));
        into.end = head_size + length;
    } catch (nlohmann::json::exception const& error) {
        return fmt::format("{} is damaged (its head cannot be read: {})", name, error.what());
    }
    return {};
}

}  // namespace

task::Bytes header_bytes(JournalHeader const& header) {
    std::string const json = json_of(header);
    if (json.size() > longest_text)
        throw StorageError(
            {}, fmt::format("a journal cannot be begun (its space takes {} bytes to write down, more than 256 MiB)",
                            json.size()));
    auto const text = std::as_bytes(std::span(json));
    task::Bytes bytes = first_bytes();
    task::wire::put(bytes, static_cast<std::uint32_t>(text.size()));
    task::wire::put(bytes, crc32(text));
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

Head read_head(DurableFile const& file) {
    task::Bytes const fixed = beginning(file, head_size);
    Head head{HeadState::damaged, {}, head_size, {}};
    if (fixed.size() == head_size) {
        std::string const wrong = wrong_start(file, fixed);
        head.problem = read_text(file, fixed, head);
        if (!wrong.empty()) head.problem = wrong;
    } else {
        head.problem = fmt::format("{} is no journal of pimdse (it does not begin like one)", file.path().string());
    }
    if (head.problem.empty())
        head.state = HeadState::whole;
    else if (is_unfinished(file))
        head = Head{};
    return head;
}

Named space_named_by(DurableFile const& file, std::uint64_t end, JournalHeader const& wanted) {
    task::Bytes const bytes = beginning(file, end);
    auto const text = text_of(bytes);
    auto const holds = [text](std::string const& part) { return text.find(part) != std::string_view::npos; };
    if (holds(fmt::format("{}{}\"", digest_key, sha256(identity_text(wanted.canonical_text, wanted.inputs)))))
        return Named::this_one;
    if (holds(fmt::format("\"space\":{},", dumped(wanted.canonical_text)))) return Named::this_one;
    auto const key = text.find(digest_key);
    if (key == std::string_view::npos) return Named::unreadable;
    auto const digest = text.substr(key + digest_key.size(), digest_digits + 1);
    bool const whole = digest.size() == digest_digits + 1 && digest.back() == '"' &&
                       digest.find_first_not_of("0123456789abcdef") == digest_digits;
    return whole ? Named::another : Named::unreadable;
}

}  // namespace pimdse::dse::store::journal::format
