#include "sim/serving/sessions.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/random.hpp"

#include <cmath>
#include <memory>
#include <utility>

namespace pimdse::sim::serving {
namespace {

// Streams 1 to 3 are those of arrivals and lengths.
constexpr std::uint64_t turn_stream = 4, think_stream = 5, share_stream = 6;

/// Draws what sessions have beside their lengths, and lines up their turns.
class SessionWriter {
  public:
    explicit SessionWriter(SessionSettings const& settings)
        : settings_(settings), thinking_(settings.seed, think_stream), sharing_(settings.seed, share_stream) {
        if (settings.shared_prefix > 0) tree_.parts.push_back({0, settings.shared_prefix});
    }

    void begin(double arrival) {
        arrival_ = arrival;
        path_.clear();
        parent_ = ServiceRequest::none;
        end_ = 0;
        if (settings_.shared_prefix == 0) return;
        if (sharing_.uniform() < settings_.share)
            path_.push_back(0);
        else
            add_part(settings_.shared_prefix);
        end_ = settings_.shared_prefix;
    }

    void turn(std::int64_t input, std::int64_t output) {
        bool const first = parent_ == ServiceRequest::none;
        add_part(first ? input : settings_.input.value_or(input));
        ServiceRequest request{arrival_, end_, first ? output : settings_.output.value_or(output)};
        request.parent = parent_;
        if (!first) request.after = settings_.exponential ? settings_.think * thinking_.exponential() : settings_.think;
        add_part(request.output);
        tree_.steps.insert(tree_.steps.end(), path_.begin(), path_.end());
        request.path = tree_.end_path();
        parent_ = static_cast<std::uint32_t>(load_.requests.size());
        load_.requests.push_back(request);
    }

    ServiceLoad finished() && {
        load_.prefixes = std::make_shared<Prefixes const>(std::move(tree_));
        return std::move(load_);
    }

  private:
    void add_part(std::int64_t tokens) {
        path_.push_back(static_cast<std::uint32_t>(tree_.parts.size()));
        tree_.parts.push_back({end_, end_ + tokens});
        end_ += tokens;
    }

    SessionSettings const& settings_;
    Variates thinking_, sharing_;
    ServiceLoad load_;
    Prefixes tree_;
    double arrival_ = 0.0;
    std::vector<std::uint32_t> path_;  ///< of the session so far
    std::uint32_t parent_ = ServiceRequest::none;
    std::int64_t end_ = 0;  ///< tokens of the path
};

}  // namespace

std::vector<std::int64_t> turns_of_sessions(SessionSettings const& settings, std::size_t requests) {
    expects(settings.turns >= 1.0, "a session has turns");
    Variates variates(settings.seed, turn_stream);
    auto left = static_cast<std::int64_t>(requests);
    std::vector<std::int64_t> turns;
    while (left > 0) {
        double count = settings.turns;
        // The smallest whole number that a geometric distribution of this mean does not exceed with a probability.
        if (settings.geometric && count > 1.0)
            count = std::ceil(std::log(variates.uniform()) / std::log1p(-1.0 / count));
        turns.push_back(count < as_double(left) ? whole_part(count) : left);
        left -= turns.back();
    }
    return turns;
}

ServiceLoad load_of_sessions(SessionSettings const& settings, std::vector<std::int64_t> const& turns,
                             std::vector<double> const& times, std::vector<std::int64_t> const& input,
                             std::vector<std::int64_t> const& output) {
    expects(times.size() == turns.size() && input.size() == output.size(), "sessions and turns have all they need");
    SessionWriter writer(settings);
    std::size_t next = 0;
    for (std::size_t session = 0; session < turns.size(); ++session) {
        writer.begin(times[session]);
        for (std::int64_t turn = 0; turn < turns[session]; ++turn, ++next) writer.turn(input.at(next), output.at(next));
    }
    return std::move(writer).finished();
}

}  // namespace pimdse::sim::serving
