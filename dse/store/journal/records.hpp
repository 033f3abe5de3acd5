#pragma once

#include "dse/store/durable_file.hpp"
#include "dse/store/storage_error.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/answer_codec.hpp"
#include "dse/task/standing.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What a journal holds, and what its readers say of it.
namespace pimdse::dse::store::journal {

/// Points that were handed out: the process may die with one of them. A run of ids, or a list where `points` is not
/// empty.
struct Started {
    models::Fidelity fidelity = models::Fidelity::analytic;
    task::PointId first{};
    std::uint64_t count = 0;
    std::vector<task::PointId> points;

    [[nodiscard]] std::uint64_t size() const { return points.empty() ? count : points.size(); }
    [[nodiscard]] task::Task task(std::uint64_t i) const {
        return {points.empty() ? task::PointId{index_of(first) + i} : points[i], fidelity};
    }
    bool operator==(Started const&) const = default;
};

/// Who gets the records of a journal, in the order of writing; a member left empty is not called.
struct JournalSink {
    std::function<void(task::Answer&&)> answer;
    std::function<void(Started&&)> started;
    std::function<void(task::BlockSummary&&)> block;
    std::function<void(task::BlockPart&&)> part = {};
    std::function<void(task::Standing&&)> standing = {};
};

/// What was found in a journal.
struct JournalReport {
    std::uint64_t records = 0;        ///< whole records
    std::uint64_t torn_bytes = 0;     ///< behind the last whole record: an append that never finished
    std::uint64_t damaged_bytes = 0;  ///< between whole records
    std::vector<std::string> notes;   ///< a sentence for everything unusual
    [[nodiscard]] bool damaged() const { return damaged_bytes != 0; }
};

/// What to do with a journal that is damaged.
enum class OnDamage : std::uint8_t { refuse, salvage };

/// How far a journal has been read.
struct JournalCursor {
    std::uint64_t offset = 0, sequence = 0;
    std::uint64_t metrics = 0;  ///< estimates per feasible answer
    FileIdentity file = {};     ///< what was read so far
};

}  // namespace pimdse::dse::store::journal
