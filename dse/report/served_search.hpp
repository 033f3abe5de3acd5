#pragma once

#include "dse/report/request_lines.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace pimdse::dse::report {

/// Lets somebody else decide what is evaluated: points come as requests, line by line, and what they came to goes back
/// once it is durable.
class ServedSearch : public search::Strategy {
  public:
    /// `commit` returns when every answer that was told is durable.
    ServedSearch(space::Space const& space, search::ResultStore const& store, Lines& lines, Replies& replies,
                 std::function<void()> commit);

    /// Throws InputError for a space whose evaluations cannot be served.
    static void check(space::Space const& space);

    [[nodiscard]] space::Batch ask(std::uint64_t max) override;
    void tell(space::Result const& result) override;
    [[nodiscard]] std::uint64_t lag() const override { return max_ahead; }
    [[nodiscard]] std::uint64_t planned() const override { return requested_; }
    [[nodiscard]] bool waits() const override { return !ended_; }

    /// Sends what is ready, also when the search was stopped.
    void finish() { send_replies(); }
    /// Of the request that ended it; nothing where its lines ended.
    [[nodiscard]] std::optional<nlohmann::ordered_json> const& stop_tag() const { return stop_tag_; }

  private:
    static constexpr std::uint64_t max_ahead = 1 << 16;
    /// A request whose points are on their way.
    struct Open {
        Request request;
        std::size_t given = 0;  ///< points that were asked for
        nlohmann::ordered_json results = nlohmann::ordered_json::array();
    };

    void look();
    void take(GivenLine line);
    void serve(Request request);
    void reply(nlohmann::ordered_json const& tag, nlohmann::ordered_json said);
    void send_replies();

    space::Space const& space_;
    search::ResultStore const& store_;
    Lines& lines_;
    Replies& replies_;
    std::function<void()> commit_;
    std::deque<Open> open_;  ///< in the order of their requests
    std::size_t begun_ = 0;  ///< of these, all points of so many were asked for
    std::string ready_;      ///< replies that wait to be durable
    std::optional<nlohmann::ordered_json> stop_tag_;
    std::uint64_t requested_ = 0;
    bool ended_ = false;
};

}  // namespace pimdse::dse::report
