#pragma once

#include "dse/report/request_lines.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace pimdse::dse::report {

/// Strategy in which a client chooses the points: requests arrive line by line, and results are sent back once they are
/// durable.
class ServedSearch : public search::Strategy {
  public:
    /// Reads requests from the descriptor `input` and writes replies to `output`. `commit` must return when all results
    /// passed to tell() are durable.
    ServedSearch(space::Space const& space, search::ResultStore const& store, int input, int output,
                 std::function<void()> commit);

    /// Throws InputError for a space whose evaluations cannot be served.
    static void check(space::Space const& space);

    [[nodiscard]] space::Batch ask(std::uint64_t max) override;
    void tell(space::Result const& result) override;
    [[nodiscard]] std::uint64_t lag() const override { return max_ahead; }
    [[nodiscard]] std::uint64_t planned() const override { return requested_; }
    [[nodiscard]] bool waits() const override { return !ended_; }

    /// Sends the replies that are ready. Also for a search that was stopped.
    void finish() { send_replies(); }
    /// Ends the replies; `sealed` replies to a request to stop, if there was one.
    void end(sim::Json const& sealed);

  private:
    static constexpr std::uint64_t max_ahead = 1 << 16;
    /// A request to evaluate that has not been answered yet.
    struct Open {
        Request request;
        std::size_t submitted = 0;  ///< number of points that ask() has returned
        sim::Json results = sim::Json::array();
    };

    void read_lines();
    void handle(GivenLine line);
    void serve(Request request);
    void reply(sim::Json const& tag, sim::Json const& content);
    void send_replies();

    space::Space const& space_;
    search::ResultStore const& store_;
    Lines lines_;
    Replies replies_;
    std::function<void()> commit_;
    std::deque<Open> open_;              ///< in the order of the requests
    std::size_t submitted_ = 0;          ///< number of requests in open_ whose points have all been returned by ask()
    std::string ready_;                  ///< replies that are sent after the next commit
    std::optional<sim::Json> stop_tag_;  ///< of the request "stop"; nullopt if the input ended without one
    std::uint64_t requested_ = 0;
    bool ended_ = false;
};

}  // namespace pimdse::dse::report
