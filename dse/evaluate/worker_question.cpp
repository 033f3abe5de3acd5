#include "dse/evaluate/worker_question.hpp"

#include "dse/task/wire.hpp"

#include <optional>
#include <string_view>

namespace pimdse::dse::evaluate {
namespace {

template <class T>
T read_whole(std::optional<T> value) {
    if (!value) throw task::CodecError("the question is cut off");
    return *std::move(value);
}

/// How many come: each takes four bytes at least, so that what a message claims takes no more memory than it has.
std::size_t take_count(task::wire::Reader& from) {
    auto const count = read_whole(from.take<std::uint32_t>());
    if (count > from.rest().size() / sizeof(std::uint32_t)) throw task::CodecError("the question is cut off");
    return count;
}

void put_text(task::Bytes& into, std::string const& text) { task::wire::put(into, std::string_view(text)); }

std::string take_text(task::wire::Reader& from) { return std::string(read_whole(from.take_text())); }

}  // namespace

task::Bytes write_question(WorkerQuestion const& question) {
    task::Bytes bytes;
    bytes.reserve(question.space_text.size() + 1024);
    task::wire::put(bytes, static_cast<std::uint8_t>(question.telling));
    task::wire::put(bytes, static_cast<std::uint32_t>(question.lines.size()));
    for (int const line : question.lines) task::wire::put(bytes, static_cast<std::uint32_t>(line));
    put_text(bytes, question.space_text);
    put_text(bytes, question.space_name);
    task::wire::put(bytes, static_cast<std::uint32_t>(question.overrides.size()));
    for (auto const& [name, value] : question.overrides) {
        put_text(bytes, name);
        put_text(bytes, value);
    }
    task::wire::put(bytes, static_cast<std::uint32_t>(question.objectives.size()));
    for (auto const& objective : question.objectives) put_text(bytes, objective);
    return bytes;
}

WorkerQuestion read_question(std::span<std::byte const> bytes) {
    task::wire::Reader from(bytes);
    WorkerQuestion question;
    question.telling = static_cast<Telling>(read_whole(from.take<std::uint8_t>()));
    question.lines.resize(take_count(from));
    for (int& line : question.lines) line = static_cast<int>(read_whole(from.take<std::uint32_t>()));
    question.space_text = take_text(from);
    question.space_name = take_text(from);
    question.overrides.resize(take_count(from));
    for (auto& [name, value] : question.overrides) {
        name = take_text(from);
        value = take_text(from);
    }
    question.objectives.resize(take_count(from));
    for (auto& objective : question.objectives) objective = take_text(from);
    return question;
}

}  // namespace pimdse::dse::evaluate
