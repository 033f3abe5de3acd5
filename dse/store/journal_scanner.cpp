#include "dse/store/journal_scanner.hpp"

#include "sim/base/digest.hpp"
#include "sim/base/wire.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::dse::store::journal::format {
namespace {

constexpr std::size_t window_size = std::size_t{4} << 20;
constexpr std::size_t max_notes = 16;
constexpr std::size_t block = 4096;  // B; one prefix checksum each

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
    Head const head{sim::wire::number_at<std::uint32_t>(bytes.data()),
                    sim::wire::number_at<std::uint32_t>(bytes.data() + 4),
                    sim::wire::number_at<std::uint64_t>(bytes.data() + 8)};
    bool const fits = head.length != 0 && head.length <= longest_payload && offset + record_head + head.length <= size_;
    return fits ? std::optional(head) : std::nullopt;
}

std::optional<Scanner::Found> Scanner::next_in_line() {
    auto const head = head_at(cursor_.offset);
    if (!head || head->sequence != cursor_.sequence + 1) return std::nullopt;
    auto const checked = view(cursor_.offset + 8, 8 + head->length);
    if (checked.size() < 8 + head->length || sim::crc32(checked) != head->checksum) return std::nullopt;
    return Found{cursor_.offset, head->sequence, checked.subspan(8)};
}

/// The next whole record after damage. Its number is at most as far ahead as records fit into the damaged bytes.
std::optional<Scanner::Found> Scanner::search() {
    RangeChecksums checksums(file_, cursor_.offset);
    strays_ = 0;
    for (std::uint64_t offset = cursor_.offset; offset + record_head < size_; ++offset) {
        std::uint64_t const max = cursor_.sequence + 1 + (offset - cursor_.offset) / (record_head + 1);
        auto const head = head_at(offset);
        if (!head || head->sequence == 0) continue;
        std::uint64_t const end = offset + record_head + head->length;
        if (checksums.of(offset + 8, end) != head->checksum) continue;
        bool const follows = head->sequence > cursor_.sequence && head->sequence <= max;
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
    if (omitted_notes_ != 0)
        report_.notes.push_back(fmt::format("{}: {} more places are damaged", file_.path().string(), omitted_notes_));
}

void Scanner::note(std::string sentence) {
    if (report_.notes.size() < max_notes)
        report_.notes.push_back(std::move(sentence));
    else
        ++omitted_notes_;
}

void Scanner::note_gap(Found const& next) {
    std::uint64_t const bytes = next.offset - cursor_.offset;
    report_.damaged_bytes += bytes;
    auto const lost = next.sequence - cursor_.sequence - 1;
    note(fmt::format("{}: {} bytes at {} are damaged, {} there", file_.path().string(), bytes, cursor_.offset,
                     lost == 1 ? "1 record is lost" : fmt::format("{} records are lost", lost)));
}

/// An append that never finished leaves no whole records. Whole records in the tail have another origin and must not be
/// dropped.
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

std::uint32_t RangeChecksums::of(std::uint64_t begin, std::uint64_t end) {
    // Joining CRC-32s is linear: joining the checksum of the bytes before `begin` with 0 gives their contribution to
    // the checksum of all bytes up to `end`.
    return up_to(end) ^ sim::joined_crc32(up_to(begin), 0, end - begin);
}

std::uint32_t RangeChecksums::up_to(std::uint64_t end) {
    std::uint64_t const number = (end - start_) / block;
    while (blocks_.size() <= number)
        blocks_.push_back(continued(blocks_.back(), start_ + (blocks_.size() - 1) * block, block));
    return continued(blocks_[number], start_ + number * block, static_cast<std::size_t>((end - start_) % block));
}

std::uint32_t RangeChecksums::continued(std::uint32_t sum, std::uint64_t offset, std::size_t length) {
    if (length == 0) return sum;
    std::array<std::byte, block> bytes;
    std::size_t const got = file_.read_at(offset, std::span(bytes).first(length));
    return sim::joined_crc32(sum, sim::crc32(std::span(bytes).first(got)), got);
}

}  // namespace pimdse::dse::store::journal::format
