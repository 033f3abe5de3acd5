#include "dse/run/mpi.hpp"

#include "dse/run/liveness.hpp"
#include "sim/base/check.hpp"

#include <mpi.h>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

namespace pimdse::dse::run {

struct Communicator::Sending {
    std::unique_ptr<space::Bytes> bytes;  // a stable address while MPI reads the bytes
    MPI_Request request = MPI_REQUEST_NULL;
};

namespace {

/// Waits with sleeps. MPI_Wait would keep a core busy, and rank 0 may read files for seconds before it sends what the
/// other ranks wait for.
void wait_for(MPI_Request& request) {
    BackOff back_off;
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;) back_off.nothing_happened();
}

}  // namespace

bool has_mpi() { return true; }

std::string mpi_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string const whole(text.data(), static_cast<std::size_t>(length));
    return whole.substr(0, whole.find(','));
}

Communicator::Communicator(int& argc, char**& argv) {
    int provided = 0;
    // This program never waits inside MPI. Open MPI enables yielding if there are more ranks than cores, and then each
    // poll for a message gives up a whole time slice of a busy core: three ranks on two such cores took three times as
    // long.
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    sim::ensures(provided >= MPI_THREAD_FUNNELED, "MPI supports MPI_THREAD_FUNNELED");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Communicator::~Communicator() {
    flush();
    MPI_Finalize();
}

std::string Communicator::host() const {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return {name.data(), static_cast<std::size_t>(length)};
}

std::string Communicator::broadcast(std::string text) const {
    auto length = static_cast<unsigned long long>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD, &request);
    wait_for(request);
    text.resize(length);
    MPI_Ibcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    wait_for(request);
    return text;
}

std::vector<std::string> Communicator::gather(std::string const& text) const {
    int const length = static_cast<int>(text.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    wait_for(request);
    std::vector<int> offsets(lengths.size());
    for (std::size_t i = 1; i < lengths.size(); ++i) offsets[i] = offsets[i - 1] + lengths[i - 1];
    std::string all(rank_ == 0 ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0, '\0');
    MPI_Igatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0, MPI_COMM_WORLD,
                 &request);
    wait_for(request);
    std::vector<std::string> texts;
    if (rank_ != 0) return texts;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
    }
    return texts;
}

void Communicator::send(int to, Tag tag, space::Bytes bytes) {
    release_sent();
    auto& sending = sending_.emplace_back();
    sending.bytes = std::make_unique<space::Bytes>(std::move(bytes));
    MPI_Isend(sending.bytes->data(), static_cast<int>(sending.bytes->size()), MPI_BYTE, to, static_cast<int>(tag),
              MPI_COMM_WORLD, &sending.request);
}

void Communicator::release_sent() {
    std::erase_if(sending_, [](Sending& sending) {
        int done = 0;
        MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

std::optional<Message> Communicator::receive() {
    release_sent();
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    Message message{status.MPI_SOURCE, static_cast<Tag>(status.MPI_TAG),
                    space::Bytes(static_cast<std::size_t>(length))};
    MPI_Recv(message.bytes.data(), length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
}

void Communicator::flush() {
    for (auto& sending : sending_) wait_for(sending.request);
    sending_.clear();
}

void Communicator::end_job(int exit_code) const {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
}

}  // namespace pimdse::dse::run
