#include "dse/report/request_lines.hpp"

#include "dse/report/point_json.hpp"
#include "dse/space/search_names.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pimdse::dse::report {

Lines::Lines(int descriptor) : descriptor_(descriptor) {
    if (::pipe(wake_) != 0) wake_[0] = wake_[1] = -1;
    thread_ = std::thread([this] { read(); });
}

Lines::~Lines() {
    {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
    }
    room_.notify_all();
    if (wake_[1] >= 0) ::close(wake_[1]);
    thread_.join();
    if (wake_[0] >= 0) ::close(wake_[0]);
}

std::optional<GivenLine> Lines::take() {
    std::lock_guard const lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    GivenLine line = std::move(waiting_.front());
    waiting_.pop_front();
    room_.notify_one();
    return line;
}

bool Lines::over() const {
    std::lock_guard const lock(mutex_);
    return ended_ && waiting_.empty();
}

void Lines::read() {
    std::array<char, 1 << 16> part{};
    while (true) {
        std::array<pollfd, 2> ends{pollfd{descriptor_, POLLIN, 0}, pollfd{wake_[0], POLLIN, 0}};
        if (::poll(ends.data(), ends.size(), -1) < 0 && errno == EINTR) continue;
        if (ends[1].revents != 0) break;
        auto const count = ::read(descriptor_, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !take_in(part.data(), static_cast<std::size_t>(count))) break;
    }
    if (!begun_.text.empty() || begun_.too_long) put();  // a last line without an end
    std::lock_guard const lock(mutex_);
    ended_ = true;
}

bool Lines::take_in(char const* from, std::size_t count) {
    while (count > 0) {
        auto const* const end = static_cast<char const*>(std::memchr(from, '\n', count));
        std::size_t const length = end != nullptr ? static_cast<std::size_t>(end - from) : count;
        begun_.too_long = begun_.too_long || begun_.text.size() + length > longest;
        if (begun_.too_long)
            begun_.text.clear();
        else
            begun_.text.append(from, length);
        if (end == nullptr) return true;
        if (!put()) return false;
        from += length + 1;
        count -= length + 1;
    }
    return true;
}

/// False when nobody will take it.
bool Lines::put() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return stopped_ || waiting_.size() < max_waiting; });
    if (stopped_) return false;
    waiting_.push_back(std::move(begun_));
    begun_ = {};
    return true;
}

Replies::Replies(int descriptor) : descriptor_(descriptor), thread_([this] { write(); }) {}

Replies::~Replies() {
    finish();
    thread_.join();
}

void Replies::send(std::string line) {
    std::lock_guard const lock(mutex_);
    if (lost_ || finished_) return;
    waiting_ += line;
    waiting_ += '\n';
    changed_.notify_all();
}

void Replies::finish() {
    std::unique_lock lock(mutex_);
    finished_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return lost_ || (waiting_.empty() && !writing_); });
}

bool Replies::lost() const {
    std::lock_guard const lock(mutex_);
    return lost_;
}

void Replies::write() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return finished_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        std::string const text = std::exchange(waiting_, {});
        writing_ = true;
        lock.unlock();
        bool written = true;
        for (std::size_t at = 0; written && at < text.size();) {
            auto const count = ::write(descriptor_, text.data() + at, text.size() - at);
            if (count > 0)
                at += static_cast<std::size_t>(count);
            else
                written = count < 0 && errno == EINTR;
        }
        lock.lock();
        writing_ = false;
        lost_ = lost_ || !written;
        changed_.notify_all();
        if (lost_) return;
    }
}

namespace {

using nlohmann::json;
using sim::InputError;

constexpr std::array<std::string_view, 4> verbs{"describe", "evaluate", "front", "stop"};
constexpr std::size_t max_points = 1'000'000;

Request::Verb verb_of(json const& said) {
    std::vector<std::string> const names(verbs.begin(), verbs.end());
    if (!said.contains("verb") || !said.at("verb").is_string())
        throw InputError(fmt::format("a request has a verb: {}", fmt::join(names, ", ")));
    auto const name = said.at("verb").get<std::string>();
    auto const found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError(fmt::format("unknown verb '{}'.{}", name, sim::suggestion(name, names)));
    return static_cast<Request::Verb>(found - names.begin());
}

/// Brackets outside of texts, counted without taking the stack.
bool is_nested_beyond(std::string_view text, int deepest) {
    int open = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char const letter = text[at];
        if (quoted && letter == '\\')
            ++at;
        else if (letter == '"')
            quoted = !quoted;
        else if (!quoted && (letter == '[' || letter == '{') && ++open > deepest)
            return true;
        else if (!quoted && (letter == ']' || letter == '}'))
            --open;
    }
    return false;
}

/// The object that a line is; its tag is known as early as possible.
json said_in(std::string const& line, nlohmann::ordered_json& tag) {
    constexpr int deepest = 64;  // copying and printing take stack for each level
    if (is_nested_beyond(line, deepest))
        throw InputError(fmt::format("the line is nested too deeply (at most {} levels)", deepest));
    auto said = json::parse(line, nullptr, false);
    if (said.is_discarded() || !said.is_object()) throw InputError("the line is no JSON object");
    if (said.contains("tag")) tag = said.at("tag");
    return said;
}

void refuse_unknown_keys(json const& said, std::vector<std::string> const& keys) {
    for (auto const& [key, _] : said.items()) {
        if (std::ranges::find(keys, key) == keys.end())
            throw InputError(fmt::format("unknown key '{}'.{}", key, sim::suggestion(key, keys)));
    }
}

/// What `read` makes of each entry.
template <class Point, class Read>
std::vector<Point> list_of(json const& said, char const* key, Read const& read) {
    auto const& list = said.at(key);
    if (!list.is_array() || list.empty() || list.size() > max_points)
        throw InputError(fmt::format("{} is no list of 1 to {} points", key, max_points));
    std::vector<Point> points;
    points.reserve(list.size());
    for (auto const& entry : list) {
        try {
            points.push_back(read(entry));
        } catch (InputError const& error) {
            throw InputError(fmt::format("point {} of {}: {}", points.size(), list.size(), error.what()));
        }
    }
    return points;
}

std::vector<space::PointId> points_of(space::Space const& space, json const& said) {
    bool const by_id = said.contains("ids");
    if (by_id == said.contains("points")) throw InputError("evaluate takes either ids or points");
    return list_of<space::PointId>(said, by_id ? "ids" : "points", [&](json const& entry) {
        return by_id ? read_id(space, entry) : read_point(space, entry);
    });
}

models::Fidelity fidelity_of(space::Space const& space, json const& said) {
    if (!said.contains("fidelity")) return space.search().fidelity;
    if (!said.at("fidelity").is_string()) throw InputError("fidelity is analytic, hybrid or cycle");
    return space::parse_fidelity_of_any(space.architectures(), said.at("fidelity").get<std::string>());
}

/// Of several machines not every one has every fidelity.
void check_fidelity(space::Space const& space, std::vector<space::PointId> const& points, models::Fidelity fidelity) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto const& machine = space.machines()[space.machine_of(points[i])];
        if (space::finest_up_to(*machine.architecture, fidelity) != fidelity)
            throw InputError(fmt::format("point {} of {}: {} has no {} fidelity", i, points.size(), machine.name,
                                         models::name_of(fidelity)));
    }
}

}  // namespace

Request read_request(space::Space const& space, std::string const& line) {
    Request request;
    try {
        auto const said = said_in(line, request.tag);
        request.verb = verb_of(said);
        refuse_unknown_keys(said, request.verb == Request::Verb::evaluate
                                      ? std::vector<std::string>{"verb", "tag", "fidelity", "ids", "points"}
                                      : std::vector<std::string>{"verb", "tag"});
        if (request.verb != Request::Verb::evaluate) return request;
        request.fidelity = fidelity_of(space, said);
        request.points = points_of(space, said);
        check_fidelity(space, request.points, request.fidelity);
        return request;
    } catch (InputError const& error) {
        throw Refusal{request.tag, error.what()};
    }
}

FreeRequest read_free_request(models::Parameters& parameters, models::Point base, std::string const& line) {
    FreeRequest request;
    try {
        auto const said = said_in(line, request.tag);
        refuse_unknown_keys(said, {"tag", "fidelity", "points"});
        if (!said.contains("points")) throw InputError("a line has points: a list of objects of parameters");
        if (said.contains("fidelity")) {
            auto const name = said.at("fidelity").is_string() ? said.at("fidelity").get<std::string>() : "";
            auto const found = std::ranges::find(models::fidelity_names, name);
            if (found == models::fidelity_names.end()) throw InputError("fidelity is analytic, hybrid or cycle");
            request.fidelity = static_cast<models::Fidelity>(found - models::fidelity_names.begin());
        }
        request.points = list_of<std::vector<models::Value>>(
            said, "points", [&](json const& entry) { return read_free_point(parameters, base, entry); });
        return request;
    } catch (InputError const& error) {
        throw Refusal{request.tag, error.what()};
    }
}

}  // namespace pimdse::dse::report
