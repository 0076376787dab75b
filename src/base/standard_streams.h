#pragma once

namespace p2mpp {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Otherwise a file opened later could get such
/// a number and receive output for stdout or stderr. Reading stdin and writing stdout or stderr still fail, as on a
/// closed descriptor. Call it first in main(), before any file is opened and any thread is started.
void open_missing_standard_streams();

}  // namespace p2mpp
