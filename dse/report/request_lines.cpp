#include "dse/report/request_lines.hpp"

#include "dse/report/point_json.hpp"
#include "dse/space/search_settings.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json_numbers.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace pimdse::dse::report {

Lines::Lines(int descriptor) : descriptor_(descriptor) {
    if (::pipe(wake_) != 0) throw std::system_error(errno, std::generic_category(), "a pipe cannot be opened");
    thread_ = std::thread([this] { read(); });
}

Lines::~Lines() {
    {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
    }
    not_full_.notify_all();
    ::close(wake_[1]);  // ends the poll of the thread
    thread_.join();
    ::close(wake_[0]);
}

std::optional<GivenLine> Lines::take() {
    std::lock_guard const lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    GivenLine line = std::move(waiting_.front());
    waiting_.pop_front();
    not_full_.notify_one();
    return line;
}

bool Lines::over() const {
    std::lock_guard const lock(mutex_);
    return ended_ && waiting_.empty();
}

void Lines::read() {
    std::array<char, 1 << 16> part{};
    while (true) {
        std::array<pollfd, 2> inputs{pollfd{descriptor_, POLLIN, 0}, pollfd{wake_[0], POLLIN, 0}};
        if (::poll(inputs.data(), inputs.size(), -1) < 0 && errno == EINTR) continue;
        if (inputs[1].revents != 0) break;
        auto const count = ::read(descriptor_, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !append(part.data(), static_cast<std::size_t>(count))) break;
    }
    if (!partial_.text.empty() || partial_.too_long) queue_partial();  // a last line without a line end
    std::lock_guard const lock(mutex_);
    ended_ = true;
}

bool Lines::append(char const* from, std::size_t count) {
    while (count > 0) {
        auto const* const end = static_cast<char const*>(std::memchr(from, '\n', count));
        std::size_t const length = end != nullptr ? static_cast<std::size_t>(end - from) : count;
        partial_.too_long = partial_.too_long || partial_.text.size() + length > max_bytes;
        if (partial_.too_long)
            partial_.text.clear();
        else
            partial_.text.append(from, length);
        if (end == nullptr) return true;
        if (!queue_partial()) return false;
        from += length + 1;
        count -= length + 1;
    }
    return true;
}

/// Queues the partial line; waits while the queue is full. Returns false if this object is being destroyed.
bool Lines::queue_partial() {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return stopped_ || waiting_.size() < max_waiting; });
    if (stopped_) return false;
    waiting_.push_back(std::move(partial_));
    partial_ = {};
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

using sim::InputError;
using sim::Json;

/// In the order of Request::Verb.
constexpr std::array<std::string_view, 4> verbs{"describe", "evaluate", "front", "stop"};
constexpr std::size_t max_points = 1'000'000;

Request::Verb verb_of(Json const& object) {
    std::vector<std::string> const names(verbs.begin(), verbs.end());
    if (!object.contains("verb") || !object.at("verb").is_string())
        throw InputError("a request must have a verb: {}", fmt::join(names, ", "));
    auto const name = object.at("verb").get<std::string>();
    auto const found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError("unknown verb '{}'.{}", name, sim::suggestion(name, names));
    return static_cast<Request::Verb>(found - names.begin());
}

/// Counts brackets outside of strings, without recursion.
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

/// Parses a line as a JSON object. `tag` is set before other keys are checked, so that an error reply has the tag of
/// the request.
Json object_in(std::string const& line, sim::Json& tag) {
    constexpr int deepest = 64;  // copying and printing JSON use the stack for each level
    if (is_nested_beyond(line, deepest)) throw InputError("the line is nested too deeply (at most {} levels)", deepest);
    auto object = Json::parse_or_null(sim::with_unheld_numbers_quoted(line));
    if (!object.is_object()) throw InputError("the line is not a JSON object");
    if (object.contains("tag")) tag = object.at("tag");
    return object;
}

void refuse_unknown_keys(Json const& object, std::vector<std::string> const& keys) {
    for (auto const& [key, _] : object.items()) {
        if (std::ranges::find(keys, key) == keys.end())
            throw InputError("unknown key '{}'.{}", key, sim::suggestion(key, keys));
    }
}

/// Reads each entry of a list by `read`; the message of an error has the position of the entry, from 1.
template <class Point, class Read>
std::vector<Point> list_of(Json const& object, char const* key, Read const& read) {
    auto const& list = object.at(key);
    if (!list.is_array() || list.empty() || list.size() > max_points)
        throw InputError("{} must be a list of 1 to {} points", key, max_points);
    std::vector<Point> points;
    points.reserve(list.size());
    for (auto const& entry : list) {
        try {
            points.push_back(read(entry));
        } catch (InputError const& error) {
            throw InputError("point {} of {}: {}", points.size() + 1, list.size(), error.what());
        }
    }
    return points;
}

std::vector<space::PointId> points_of(space::Space const& space, Json const& object) {
    bool const by_id = object.contains("ids");
    if (by_id == object.contains("points")) throw InputError("evaluate needs either ids or points");
    return list_of<space::PointId>(object, by_id ? "ids" : "points", [&](Json const& entry) {
        return by_id ? read_id(space, entry) : read_point(space, entry);
    });
}

models::Fidelity fidelity_of(space::Space const& space, Json const& object) {
    if (!object.contains("fidelity")) return space.search().fidelity;
    if (!object.at("fidelity").is_string()) throw InputError("fidelity must be analytic or cycle");
    return space::parse_fidelity_of_any(space.architectures(), object.at("fidelity").get<std::string>());
}

/// Machines of a space may have different fidelities.
void check_fidelity(space::Space const& space, std::vector<space::PointId> const& points, models::Fidelity fidelity) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto const& machine = space.machines()[space.machine_of(points[i])];
        if (space::finest_up_to(*machine.architecture, fidelity) != fidelity)
            throw InputError("point {} of {}: {} has no {} fidelity", i + 1, points.size(), machine.name,
                             models::name_of(fidelity));
    }
}

}  // namespace

Request read_request(space::Space const& space, std::string const& line) {
    Request request;
    try {
        auto const object = object_in(line, request.tag);
        request.verb = verb_of(object);
        refuse_unknown_keys(object, request.verb == Request::Verb::evaluate
                                        ? std::vector<std::string>{"verb", "tag", "fidelity", "ids", "points"}
                                        : std::vector<std::string>{"verb", "tag"});
        if (request.verb != Request::Verb::evaluate) return request;
        request.fidelity = fidelity_of(space, object);
        request.points = points_of(space, object);
        check_fidelity(space, request.points, request.fidelity);
        return request;
    } catch (InputError const& error) {
        throw Refusal{request.tag, error.what()};
    }
}

FreeRequest read_free_request(models::Parameters& parameters, models::Point base, std::string const& line) {
    FreeRequest request;
    try {
        auto const object = object_in(line, request.tag);
        refuse_unknown_keys(object, {"tag", "fidelity", "points"});
        if (!object.contains("points")) throw InputError("a line must have points: a list of objects of parameters");
        if (object.contains("fidelity")) {
            auto const name = object.at("fidelity").is_string() ? object.at("fidelity").get<std::string>() : "";
            auto const found = std::ranges::find(models::fidelity_names, name);
            if (found == models::fidelity_names.end() || name == space::hybrid_name)
                throw InputError("fidelity must be analytic or cycle");
            request.fidelity = static_cast<models::Fidelity>(found - models::fidelity_names.begin());
        }
        request.points = list_of<std::vector<models::Value>>(
            object, "points", [&](Json const& entry) { return read_free_point(parameters, base, entry); });
        return request;
    } catch (InputError const& error) {
        throw Refusal{request.tag, error.what()};
    }
}

}  // namespace pimdse::dse::report
