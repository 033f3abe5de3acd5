#pragma once

namespace pimdse::dse::evaluate {

/// The side of a worker process: reads from this descriptor what it is asked about and by which lines, answers until
/// all of them have closed, and returns. Throws CodecError and InputError.
void answer_questions(int descriptor);

}  // namespace pimdse::dse::evaluate
