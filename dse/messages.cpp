#include "dse/messages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pimdse::dse {
namespace {

static_assert(std::endian::native == std::endian::little, "ranks exchange numbers as they lie in memory");

template <class T>
void put(Bytes& into, T const& value) {
    auto const* bytes = reinterpret_cast<std::byte const*>(&value);
    into.insert(into.end(), bytes, bytes + sizeof value);
}

template <class T>
T take(std::span<std::byte const>& from) {
    if (from.size() < sizeof(T)) throw CodecError("a message between ranks is cut off");
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    from = from.subspan(sizeof value);
    return value;
}

enum class Form : std::uint8_t { range, list };

}  // namespace

Bytes write_chunk(Chunk const& chunk) {
    Bytes bytes;
    put(bytes, chunk.sequence);
    put(bytes, chunk.tasks.fidelity());
    put(bytes, chunk.tasks.is_range() ? Form::range : Form::list);
    put(bytes, chunk.tasks.size());
    std::uint64_t const written = chunk.tasks.is_range() ? std::min<std::uint64_t>(1, chunk.tasks.size()) : chunk.tasks.size();
    for (std::uint64_t i = 0; i < written; ++i) put(bytes, chunk.tasks.task(i).point);
    return bytes;
}

Chunk read_chunk(std::span<std::byte const> bytes) {
    auto const sequence = take<std::uint64_t>(bytes);
    auto const fidelity = take<models::Fidelity>(bytes);
    auto const form = take<Form>(bytes);
    auto const count = take<std::uint64_t>(bytes);
    if (form == Form::range) return {sequence, Batch::range(count > 0 ? take<PointId>(bytes) : PointId{}, count, fidelity)};
    if (count * sizeof(PointId) != bytes.size()) throw CodecError("a list of points between ranks is cut off");
    std::vector<PointId> points;
    points.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) points.push_back(take<PointId>(bytes));
    return {sequence, Batch::list(std::move(points), fidelity)};
}

Bytes write_finished(FinishedChunk const& finished) {
    Bytes bytes;
    put(bytes, finished.sequence);
    put(bytes, finished.seconds);
    encode(finished.answers, bytes);
    return bytes;
}

FinishedChunk read_finished(std::span<std::byte const> bytes) {
    FinishedChunk finished;
    finished.sequence = take<std::uint64_t>(bytes);
    finished.seconds = take<double>(bytes);
    decode(bytes, finished.answers);
    return finished;
}

}  // namespace pimdse::dse
