#include "dse/store/journal/scanner.hpp"

#include "dse/store/checksum.hpp"
#include "dse/store/journal/format.hpp"
#include "dse/task/wire.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::store::journal::format {
namespace {

constexpr std::size_t window_size = std::size_t{4} << 20;
constexpr std::size_t most_notes = 16;

}  // namespace

std::span<std::byte const> Scanner::view(std::uint64_t offset, std::size_t length) {
    if (offset >= size_) return {};
    length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset));
    if (offset < window_start_ || offset + length > window_start_ + window_.size()) {
        window_.resize(
            static_cast<std::size_t>(std::min<std::uint64_t>(std::max(window_size, length), size_ - offset)));
        window_.resize(file_.read_at(offset, window_));
        window_start_ = offset;
        length = std::min(length, window_.size());
    }
    return std::span<std::byte const>(window_).subspan(static_cast<std::size_t>(offset - window_start_), length);
}

std::optional<Scanner::Head> Scanner::head_at(std::uint64_t offset) {
    auto const bytes = view(offset, record_head);
    if (bytes.size() < record_head) return std::nullopt;
    Head const head{task::wire::number_at<std::uint32_t>(bytes.data()),
                    task::wire::number_at<std::uint32_t>(bytes.data() + 4),
                    task::wire::number_at<std::uint64_t>(bytes.data() + 8)};
    bool const fits = head.length != 0 && head.length <= longest_payload && offset + record_head + head.length <= size_;
    return fits ? std::optional(head) : std::nullopt;
}

std::optional<Scanner::Found> Scanner::next_in_line() {
    auto const head = head_at(cursor_.offset);
    if (!head || head->sequence != cursor_.sequence + 1) return std::nullopt;
    auto const checked = view(cursor_.offset + 8, 8 + head->length);
    if (checked.size() < 8 + head->length || crc32(checked) != head->checksum) return std::nullopt;
    return Found{cursor_.offset, head->sequence, checked.subspan(8)};
}

/// The next whole record behind damage. Its number cannot be further ahead than there is room for records in between.
std::optional<Scanner::Found> Scanner::search() {
    RangeChecksums checksums(file_, cursor_.offset);
    strays_ = 0;
    for (std::uint64_t offset = cursor_.offset; offset + record_head < size_; ++offset) {
        std::uint64_t const most = cursor_.sequence + 1 + (offset - cursor_.offset) / (record_head + 1);
        auto const head = head_at(offset);
        if (!head || head->sequence == 0) continue;
        std::uint64_t const end = offset + record_head + head->length;
        if (checksums.of(offset + 8, end) != head->checksum) continue;
        bool const follows = head->sequence > cursor_.sequence && head->sequence <= most;
        if (follows) return Found{offset, head->sequence, view(offset + record_head, head->length)};
        ++strays_;
        offset = end - 1;
    }
    return std::nullopt;
}

void Scanner::run(std::function<void(std::uint64_t, std::span<std::byte const>)> const& take) {
    while (cursor_.offset < size_) {
        auto found = next_in_line();
        if (!found) found = search();
        if (!found) break;
        if (found->offset != cursor_.offset) note_gap(*found);
        ++report_.records;
        cursor_.offset = found->offset + record_head + found->payload.size();
        cursor_.sequence = found->sequence;
        take(found->sequence, found->payload);
    }
    if (cursor_.offset < size_) note_tail();
    if (unsaid_ != 0)
        report_.notes.push_back(fmt::format("{}: {} more places are damaged", file_.path().string(), unsaid_));
}

void Scanner::note(std::string sentence) {
    if (report_.notes.size() < most_notes)
        report_.notes.push_back(std::move(sentence));
    else
        ++unsaid_;
}

void Scanner::note_gap(Found const& next) {
    std::uint64_t const bytes = next.offset - cursor_.offset;
    report_.damaged_bytes += bytes;
    note(fmt::format("{}: {} bytes at {} are damaged, {} records are lost there", file_.path().string(), bytes,
                     cursor_.offset, next.sequence - cursor_.sequence - 1));
}

/// An append that never finished leaves no whole records; where there are some, they came here in another way, and are
/// not dropped.
void Scanner::note_tail() {
    std::uint64_t const bytes = size_ - cursor_.offset;
    if (strays_ != 0) {
        report_.damaged_bytes += bytes;
        return note(
            fmt::format("{}: the last {} bytes hold {} records whose numbers do not follow (parts of two files?)",
                        file_.path().string(), bytes, strays_));
    }
    report_.torn_bytes = bytes;
    note(fmt::format("{}: the last {} bytes are an append that never finished; they were never acknowledged",
                     file_.path().string(), bytes));
}

}  // namespace pimdse::dse::store::journal::format
