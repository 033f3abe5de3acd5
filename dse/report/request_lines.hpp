#pragma once

#include "dse/space/space.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pimdse::dse::report {

/// A line of a request, or why there is none to read.
struct GivenLine {
    std::string text;
    bool too_long = false;  ///< its text was thrown away
};

/// Lines of a descriptor, read by a thread of their own so that nobody waits for whoever writes them.
class Lines {
  public:
    static constexpr std::size_t longest = std::size_t{1} << 26;  ///< 64 MiB: some million points

    explicit Lines(int descriptor);
    Lines(Lines const&) = delete;
    Lines& operator=(Lines const&) = delete;
    ~Lines();

    /// The next one, if it is there.
    [[nodiscard]] std::optional<GivenLine> take();
    /// True when all have been taken and no more will come.
    [[nodiscard]] bool over() const;

  private:
    static constexpr std::size_t max_waiting = 1024;
    void read();
    bool take_in(char const* from, std::size_t count);
    bool put();

    int descriptor_;
    int wake_[2];  ///< a pipe that ends the thread
    mutable std::mutex mutex_;
    std::condition_variable room_;
    std::deque<GivenLine> waiting_;
    GivenLine begun_;
    bool ended_ = false, stopped_ = false;
    std::thread thread_;
};

/// Writes lines to a descriptor by a thread of its own, so that nobody waits for whoever reads them.
class Replies {
  public:
    explicit Replies(int descriptor);
    Replies(Replies const&) = delete;
    Replies& operator=(Replies const&) = delete;
    /// Returns when all is written, or nobody reads any more.
    ~Replies();

    /// A line without its end.
    void send(std::string line);
    /// Returns when all is written, or nobody reads any more.
    void finish();
    /// True when nobody reads what is written.
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

/// What a line asks for.
struct Request {
    enum class Verb : std::uint8_t { describe, evaluate, front, stop };
    Verb verb = Verb::describe;
    nlohmann::ordered_json tag;  ///< goes with the reply, whatever it is
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<space::PointId> points;
};

/// A line that asks for nothing: one sentence, and the tag as far as there is one.
struct Refusal {
    nlohmann::ordered_json tag;
    std::string sentence;
};

/// Reads {"verb": "evaluate", "tag": ..., "fidelity": ..., "ids": [...]} or "points": [{...}], {"verb": "front"},
/// {"verb": "describe"}, {"verb": "stop"}. Without a fidelity it is that of the space's search. Throws Refusal.
[[nodiscard]] Request read_request(space::Space const& space, std::string const& line);

/// What a line asks of one machine whose points need not be in a space.
struct FreeRequest {
    nlohmann::ordered_json tag;
    std::optional<models::Fidelity> fidelity;
    std::vector<std::vector<models::Value>> points;
};

/// Reads {"tag": ..., "fidelity": ..., "points": [{...}]}; what a point does not say is as in `base`. Throws Refusal.
[[nodiscard]] FreeRequest read_free_request(models::Parameters& parameters, models::Point base,
                                            std::string const& line);

}  // namespace pimdse::dse::report
