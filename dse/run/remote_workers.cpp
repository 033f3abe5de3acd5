#include "dse/run/remote_workers.hpp"

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

constexpr double max_seconds_until_token = 10.0;
constexpr std::uint32_t max_greeting_bytes = 4096;  // of a connection that has not sent the token

std::string random_token() {
    std::random_device device;
    std::string token;
    for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
    return token;
}

/// The port in an invitation. Throws an exception of the JSON library if the value is not a port number.
std::uint16_t port_of(nlohmann::json const& port) {
    if (port.is_number_unsigned() && port > 0 && port <= std::numeric_limits<std::uint16_t>::max()) return port;
    throw nlohmann::json::other_error::create(0, "not a port number", &port);
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
    auto const before = ::umask(0077);  // only the owner may read the token
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
            "{} is not an invitation to a run (explore --joinable writes one next to its result file)", path.string()));
    }
}

RemoteWorkers::RemoteWorkers(std::filesystem::path const& result_file, std::uint16_t port, space::Bytes welcome)
    : path_(Invitation::path_of(result_file)), listening_(listen_on(port)), welcome_(std::move(welcome)) {
    invitation_ = {own_addresses(), machine_name(), listening_.port, random_token()};
    invitation_.write(path_);
}

RemoteWorkers::~RemoteWorkers() {
    remove_invitation();
    ::close(listening_.socket);
}

void RemoteWorkers::remove_invitation() {
    if (std::exchange(inviting_, false))
        ::unlink(path_.c_str());  // only once: the next run may write a file of the same name
}

void RemoteWorkers::accept_connections() {
    for (int socket = 0; (socket = ::accept4(listening_.socket, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
        auto& connection = connections_.emplace(next_key_++, socket).first->second;
        connection.line.set_max_message_bytes(max_greeting_bytes);
    }
}

std::optional<RemoteWorkers::Event> RemoteWorkers::next() {
    accept_connections();
    for (std::size_t polls = connections_.size(); polls > 0; --polls) {
        auto at = connections_.upper_bound(last_polled_);
        if (at == connections_.end()) at = connections_.begin();
        last_polled_ = at->first;
        if (auto event = event_of(at->first, at->second)) {
            if (event->kind == Kind::left) connections_.erase(at);
            return event;
        }
        bool const token_overdue =
            !at->second.known &&
            std::chrono::duration<double>(Clock::now() - at->second.since).count() > max_seconds_until_token;
        if (token_overdue || (!at->second.known && at->second.line.gone())) connections_.erase(at);
        if (connections_.empty()) break;
    }
    return std::nullopt;
}

std::optional<RemoteWorkers::Event> RemoteWorkers::event_of(std::uint64_t worker, Connection& connection) {
    connection.line.move();
    if (auto message = connection.line.receive()) {
        if (connection.known) return Event{Kind::message, worker, *std::move(message)};
        if (greet(connection, *message)) return Event{Kind::joined, worker, {}};
        return std::nullopt;
    }
    return connection.known && connection.line.gone() ? std::optional(Event{Kind::left, worker, {}}) : std::nullopt;
}

bool RemoteWorkers::greet(Connection& connection, Message const& message) {
    std::string_view const greeting(reinterpret_cast<char const*>(message.bytes.data()), message.bytes.size());
    auto const token_end = std::min(greeting.find('\n'), greeting.size());
    connection.known = message.tag == Tag::hello && greeting.substr(0, token_end) == invitation_.token;
    if (!connection.known) {
        connection.since -= std::chrono::hours(1);  // next() then closes it as overdue
        return false;
    }
    connection.line.set_max_message_bytes(1U << 30);
    connection.line.send(Tag::hello, welcome_);
    add_host(base::as_utf8(greeting.substr(std::min(token_end + 1, greeting.size()))));
    return true;
}

void RemoteWorkers::add_host(std::string host) {
    std::scoped_lock const lock(mutex_);
    if (host.empty() || std::ranges::find(hosts_, host) != hosts_.end()) return;
    hosts_.push_back(std::move(host));
}

std::vector<std::string> RemoteWorkers::hosts() const {
    std::scoped_lock const lock(mutex_);
    return hosts_;
}

void RemoteWorkers::send(std::uint64_t worker, Tag tag, space::Bytes const& bytes) {
    if (auto const found = connections_.find(worker); found != connections_.end()) found->second.line.send(tag, bytes);
}

void RemoteWorkers::dismiss() {
    for (auto& [worker, connection] : connections_) connection.line.send(Tag::stop, {});
    // The system still delivers buffered messages after the socket is closed; wait, for a limited time, only for what
    // does not fit into its buffers.
    auto const until = Clock::now() + std::chrono::seconds(2);
    for (auto& [worker, connection] : connections_) {
        while (!connection.line.all_sent() && !connection.line.gone() && Clock::now() < until) {
            ::usleep(1000);
            connection.line.move();
        }
    }
    connections_.clear();
    remove_invitation();
}

}  // namespace pimdse::dse::run
