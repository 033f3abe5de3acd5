#include "dse/report/served_search.hpp"

#include "dse/report/point_json.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace pimdse::dse::report {

using sim::Json;

namespace {

std::string line_of(Json const& tag, Json const& content) {
    Json whole{{"tag", tag}};
    whole.update(content);
    return whole.dump();
}

}  // namespace

ServedSearch::ServedSearch(space::Space const& space, search::ResultStore const& store, int input, int output,
                           std::function<void()> commit)
    : space_(space), store_(store), lines_(input), replies_(output), commit_(std::move(commit)) {
    check(space);
}

void ServedSearch::check(space::Space const& space) {
    if (space.search().keep != space::Keep::all)
        throw sim::InputError(
            "a served search must keep every evaluation (keep = \"front\" discards most). Use keep = \"all\"?");
}

space::Batch ServedSearch::ask(std::uint64_t max) {
    send_replies();
    if (submitted_ == open_.size()) read_lines();
    if (submitted_ == open_.size()) return {};
    auto& open = open_[submitted_];
    auto const& points = open.request.points;
    auto const count = std::min<std::size_t>(max, points.size() - open.submitted);
    auto const first = points.begin() + static_cast<std::ptrdiff_t>(open.submitted);
    open.submitted += count;
    requested_ += count;
    if (open.submitted == points.size()) ++submitted_;
    return space::Batch::list({first, first + static_cast<std::ptrdiff_t>(count)}, open.request.fidelity);
}

void ServedSearch::tell(space::Result const& result) {
    auto& open = open_.front();
    open.results.push_back(result_json(space_.metrics(), result));
    if (open.results.size() < open.request.points.size()) return;
    reply(open.request.tag, {{"answers", std::move(open.results)}});
    open_.pop_front();
    --submitted_;
}

/// Handles lines until one requests evaluations.
void ServedSearch::read_lines() {
    while (!ended_ && submitted_ == open_.size()) {
        auto line = lines_.take();
        if (line) {
            handle(std::move(*line));
        } else {
            ended_ = lines_.over() || replies_.lost();
            break;
        }
    }
    send_replies();
}

void ServedSearch::handle(GivenLine line) {
    try {
        if (line.too_long)
            throw Refusal{
                {}, fmt::format("the line is longer than {} MiB. Send fewer points at once?", Lines::max_bytes >> 20)};
        if (line.text.find_first_not_of(" \t\r") != std::string::npos) serve(read_request(space_, line.text));
    } catch (Refusal const& refusal) {
        reply(refusal.tag, {{"error", refusal.sentence}});
    }
}

void ServedSearch::serve(Request request) {
    switch (request.verb) {
        case Request::Verb::describe:
            return reply(request.tag, space_json(space_));
        case Request::Verb::front:
            return reply(request.tag, front_json(space_, store_));
        case Request::Verb::evaluate:
            open_.push_back({std::move(request)});
            return;
        case Request::Verb::stop:
            stop_tag_ = request.tag;
            ended_ = true;
            return;
    }
}

void ServedSearch::reply(Json const& tag, Json const& content) {
    if (!ready_.empty()) ready_ += '\n';
    ready_ += line_of(tag, content);
}

void ServedSearch::end(Json const& sealed) {
    if (stop_tag_) replies_.send(line_of(*stop_tag_, sealed));
    replies_.finish();
}

void ServedSearch::send_replies() {
    if (ready_.empty()) return;
    commit_();
    replies_.send(std::exchange(ready_, {}));
}

}  // namespace pimdse::dse::report
