#pragma once

#include "dse/space/space.hpp"
#include "sim/base/json.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pimdse::dse::report {

/// A line that was read.
struct GivenLine {
    std::string text;
    bool too_long = false;  ///< the line exceeded Lines::max_bytes, and its text was discarded
};

/// Reads lines from a descriptor in a thread of its own, so that callers do not wait for the writer.
class Lines {
  public:
    static constexpr std::size_t max_bytes = std::size_t{1} << 26;  ///< per line: 64 MiB, about a million points

    explicit Lines(int descriptor);
    Lines(Lines const&) = delete;
    Lines& operator=(Lines const&) = delete;
    ~Lines();

    /// The next line, or nullopt if none has been read yet.
    [[nodiscard]] std::optional<GivenLine> take();
    /// True if all lines have been taken and the input has ended.
    [[nodiscard]] bool over() const;

  private:
    static constexpr std::size_t max_waiting = 1024;
    void read();
    bool append(char const* from, std::size_t count);
    bool queue_partial();

    int descriptor_;
    int wake_[2];  ///< a pipe; closing it ends the thread
    mutable std::mutex mutex_;
    std::condition_variable not_full_;
    std::deque<GivenLine> waiting_;
    GivenLine partial_;
    bool ended_ = false, stopped_ = false;
    std::thread thread_;
};

/// Writes lines to a descriptor in a thread of its own, so that callers do not wait for the reader.
class Replies {
  public:
    explicit Replies(int descriptor);
    Replies(Replies const&) = delete;
    Replies& operator=(Replies const&) = delete;
    /// As finish().
    ~Replies();

    /// Queues a line, given without its line end.
    void send(std::string line);
    /// Returns when all lines are written, or when writing fails because the reader is gone.
    void finish();
    /// True if writing has failed because the reader is gone.
    [[nodiscard]] bool lost() const;

  private:
    void write();

    int descriptor_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::string waiting_;
    bool writing_ = false, finished_ = false, lost_ = false;
    std::thread thread_;
};

/// A request, read from a line.
struct Request {
    enum class Verb : std::uint8_t { describe, evaluate, front, stop };
    Verb verb = Verb::describe;
    sim::Json tag;  ///< any JSON value; it is returned with the reply
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<space::PointId> points;
};

/// Exception for an invalid request: one sentence, and the tag if it could be read.
struct Refusal {
    sim::Json tag;
    std::string sentence;
};

/// Reads {"verb": "evaluate", "tag": ..., "fidelity": ..., "ids": [...]} or "points": [{...}], {"verb": "front"},
/// {"verb": "describe"}, {"verb": "stop"}. The default fidelity is that of the space's search. Throws Refusal.
[[nodiscard]] Request read_request(space::Space const& space, std::string const& line);

/// A request to one machine, whose points need not be in a space.
struct FreeRequest {
    sim::Json tag;
    std::optional<models::Fidelity> fidelity;
    std::vector<std::vector<models::Value>> points;
};

/// Reads {"tag": ..., "fidelity": ..., "points": [{...}]}. Missing parameters have the values of `base`. Throws
/// Refusal.
[[nodiscard]] FreeRequest read_free_request(models::Parameters& parameters, models::Point base,
                                            std::string const& line);

}  // namespace pimdse::dse::report
