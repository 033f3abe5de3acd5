#include "dse/run/tcp_line.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/base/wire.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <utility>

namespace pimdse::dse::run {
namespace {

constexpr std::size_t head = sizeof(std::uint32_t) + 1;  // bytes of the length and the tag

bool would_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

std::string numeric(sockaddr const* address, socklen_t length) {
    std::array<char, NI_MAXHOST> text{};
    return ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "";
}

}  // namespace

TcpLine::TcpLine(int socket) : socket_(socket) {
    ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
    int const yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

TcpLine::TcpLine(TcpLine&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      queued_(std::move(other.queued_)),
      sent_(other.sent_),
      received_(std::move(other.received_)),
      taken_(other.taken_),
      max_message_bytes_(other.max_message_bytes_),
      gone_(other.gone_) {}

TcpLine::~TcpLine() {
    if (socket_ >= 0) ::close(socket_);
}

void TcpLine::send(Tag tag, space::Bytes const& bytes) {
    base::wire::put(queued_, static_cast<std::uint32_t>(bytes.size()));
    base::wire::put(queued_, static_cast<std::uint8_t>(tag));
    queued_.insert(queued_.end(), bytes.begin(), bytes.end());
    move();
}

void TcpLine::move() {
    while (!gone_ && sent_ < queued_.size()) {
        ssize_t const n = ::send(socket_, queued_.data() + sent_, queued_.size() - sent_, MSG_NOSIGNAL);
        if (n < 0 && would_wait(errno)) break;
        if (n <= 0)
            gone_ = true;
        else
            sent_ += static_cast<std::size_t>(n);
    }
    if (sent_ == queued_.size()) {
        queued_.clear();
        sent_ = 0;
    }
    constexpr std::size_t at_once = 65'536;
    while (!gone_) {
        std::size_t const before = received_.size();
        received_.resize(before + at_once);
        ssize_t const n = ::recv(socket_, received_.data() + before, at_once, 0);
        received_.resize(before + static_cast<std::size_t>(n > 0 ? n : 0));
        if (n < 0 && would_wait(errno)) return;
        if (n <= 0) gone_ = true;
    }
}

std::optional<Message> TcpLine::receive() {
    std::size_t const available = received_.size() - taken_;
    if (available < head) return std::nullopt;
    auto const length = base::wire::number_at<std::uint32_t>(received_.data() + taken_);
    auto const tag = std::to_integer<int>(received_[taken_ + sizeof(std::uint32_t)]);
    if (length > max_message_bytes_) {
        gone_ = true;
        return std::nullopt;
    }
    if (available - head < length) return std::nullopt;
    auto const first = received_.begin() + static_cast<std::ptrdiff_t>(taken_ + head);
    Message message{0, static_cast<Tag>(tag), space::Bytes(first, first + length)};
    taken_ += head + length;
    if (taken_ == received_.size()) {
        received_.clear();
        taken_ = 0;
    }
    return message;
}

ListeningSocket listen_on(std::uint16_t port) {
    int const socket = ::socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int const ipv6_only = 0;  // accept IPv4 too
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    socklen_t length = sizeof address;
    bool listens = socket >= 0 && ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &ipv6_only, sizeof ipv6_only) == 0;
    listens = listens && ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
              ::listen(socket, SOMAXCONN) == 0;
    listens = listens && ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0;
    if (!listens) throw base::StorageError::from_errno("port " + std::to_string(port), "listen on", errno);
    return {socket, ntohs(address.sin6_port)};
}

int connect_to(std::string const& host, std::uint16_t port, double seconds) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
    int socket = -1;
    for (addrinfo const* address = found; address != nullptr && socket < 0; address = address->ai_next) {
        socket = ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (socket < 0) continue;
        int error = ::connect(socket, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
        pollfd ready{socket, POLLOUT, 0};
        if (error == EINPROGRESS && ::poll(&ready, 1, static_cast<int>(seconds * 1e3)) == 1) {
            socklen_t length = sizeof error;
            ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
        }
        if (error == 0) break;
        ::close(std::exchange(socket, -1));
    }
    ::freeaddrinfo(found);
    return socket;
}

std::string machine_name() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::vector<std::string> own_addresses() {
    std::vector<std::string> addresses;
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) == 0) {
        for (ifaddrs const* at = all; at != nullptr; at = at->ifa_next) {
            if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_LOOPBACK) != 0 || (at->ifa_flags & IFF_UP) == 0)
                continue;
            if (at->ifa_addr->sa_family == AF_INET) addresses.push_back(numeric(at->ifa_addr, sizeof(sockaddr_in)));
        }
        ::freeifaddrs(all);
    }
    addresses.emplace_back("127.0.0.1");
    return addresses;
}

}  // namespace pimdse::dse::run
