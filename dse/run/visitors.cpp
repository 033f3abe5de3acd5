#include "dse/run/visitors.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/base/json_text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>

namespace pimdse::dse::run {
namespace {

constexpr double seconds_to_say_the_token = 10.0;
constexpr std::uint32_t longest_greeting = 4096;  // bytes, from somebody nobody knows

std::string random_token() {
    std::random_device device;
    std::string token;
    for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
    return token;
}

/// Of an invitation. Throws what the JSON library throws for what is no port.
std::uint16_t port_of(nlohmann::json const& port) {
    if (port.is_number_unsigned() && port > 0 && port <= std::numeric_limits<std::uint16_t>::max()) return port;
    throw nlohmann::json::other_error::create(0, "no port", &port);
}

}  // namespace

std::filesystem::path Invitation::path_of(std::filesystem::path const& result_file) {
    auto path = result_file;
    path += ".join";
    return path;
}

void Invitation::write(std::filesystem::path const& path) const {
    std::string const text =
        nlohmann::ordered_json{{"machine", machine}, {"addresses", addresses}, {"port", port}, {"token", token}}.dump(
            2) +
        "\n";
    auto const before = ::umask(0077);  // the token is for the owner alone
    try {
        base::replace_file(path, std::as_bytes(std::span(text)));
    } catch (...) {
        ::umask(before);
        throw;
    }
    ::umask(before);
}

Invitation Invitation::read(std::filesystem::path const& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    auto const json = nlohmann::json::parse(text.str(), nullptr, false);
    try {
        return {json.at("addresses").get<std::vector<std::string>>(), json.at("machine"), port_of(json.at("port")),
                json.at("token")};
    } catch (nlohmann::json::exception const&) {
        throw sim::InputError(fmt::format(
            "{} is no invitation to a run (explore --joinable writes one beside its result file)", path.string()));
    }
}

Visitors::Visitors(std::filesystem::path const& result_file, std::uint16_t port, space::Bytes welcome)
    : path_(Invitation::path_of(result_file)), listening_(listen_on(port)), welcome_(std::move(welcome)) {
    invitation_ = {own_addresses(), machine_name(), listening_.port, random_token()};
    invitation_.write(path_);
}

Visitors::~Visitors() {
    close_door();
    ::close(listening_.socket);
}

void Visitors::close_door() {
    if (std::exchange(inviting_, false)) ::unlink(path_.c_str());  // once: it may be the next run's soon
}

void Visitors::let_in() {
    for (int socket = 0; (socket = ::accept4(listening_.socket, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
        auto& guest = lines_.emplace(next_visitor_++, socket).first->second;
        guest.line.set_longest_message(longest_greeting);
    }
}

std::optional<Visitors::Event> Visitors::next() {
    let_in();
    for (std::size_t looks = lines_.size(); looks > 0; --looks) {
        auto at = lines_.upper_bound(looked_at_);
        if (at == lines_.end()) at = lines_.begin();
        looked_at_ = at->first;
        if (auto event = event_of(at->first, at->second)) {
            if (event->kind == Kind::went) lines_.erase(at);
            return event;
        }
        bool const stranger =
            !at->second.known &&
            std::chrono::duration<double>(Clock::now() - at->second.since).count() > seconds_to_say_the_token;
        if (stranger || (!at->second.known && at->second.line.gone())) lines_.erase(at);
        if (lines_.empty()) break;
    }
    return std::nullopt;
}

std::optional<Visitors::Event> Visitors::event_of(std::uint64_t visitor, Guest& guest) {
    guest.line.move();
    if (auto message = guest.line.receive()) {
        if (guest.known) return Event{Kind::said, visitor, *std::move(message)};
        if (greet(guest, *message)) return Event{Kind::came, visitor, {}};
        return std::nullopt;
    }
    return guest.known && guest.line.gone() ? std::optional(Event{Kind::went, visitor, {}}) : std::nullopt;
}

bool Visitors::greet(Guest& guest, Message const& message) {
    std::string_view const greeting(reinterpret_cast<char const*>(message.bytes.data()), message.bytes.size());
    auto const token_end = std::min(greeting.find('\n'), greeting.size());
    guest.known = message.tag == Tag::hello && greeting.substr(0, token_end) == invitation_.token;
    if (!guest.known) {
        guest.since -= std::chrono::hours(1);  // goes with the strangers
        return false;
    }
    guest.line.set_longest_message(1U << 30);
    guest.line.send(Tag::hello, welcome_);
    remember(base::as_utf8(greeting.substr(std::min(token_end + 1, greeting.size()))));
    return true;
}

void Visitors::remember(std::string machine) {
    std::scoped_lock const lock(mutex_);
    if (machine.empty() || std::ranges::find(machines_, machine) != machines_.end()) return;
    machines_.push_back(std::move(machine));
}

std::vector<std::string> Visitors::machines() const {
    std::scoped_lock const lock(mutex_);
    return machines_;
}

void Visitors::send(std::uint64_t visitor, Tag tag, space::Bytes const& bytes) {
    if (auto const found = lines_.find(visitor); found != lines_.end()) found->second.line.send(tag, bytes);
}

void Visitors::dismiss() {
    for (auto& [visitor, guest] : lines_) guest.line.send(Tag::stop, {});
    // What has been said is on its way when the socket closes; only what does not fit into the system's buffers is
    // waited for, a moment.
    auto const until = Clock::now() + std::chrono::seconds(2);
    for (auto& [visitor, guest] : lines_) {
        while (!guest.line.all_sent() && !guest.line.gone() && Clock::now() < until) {
            ::usleep(1000);
            guest.line.move();
        }
    }
    lines_.clear();
    close_door();
}

}  // namespace pimdse::dse::run
