// Debian keeps the header in a folder of its own.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
#include <errno.h>
#include <poll.h>

// Waiting for a socket, which Swift can do only with platform conditions.

/// Waits until a socket is readable, or writable if `isWriting` is not 0, at most for a number of milliseconds.
///
/// Returns 1 if the socket is readable or broken, plus 2 if it is writable; 0 if the time is over or a signal arrived; -1 after a failure.
static inline int larder_postgres_wait(int descriptor, int isWriting, int milliseconds) {
    struct pollfd waiting = {descriptor, (short)(POLLIN | (isWriting ? POLLOUT : 0)), 0};
    int count = poll(&waiting, 1, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    if (count == 0) return 0;
    return ((waiting.revents & ~POLLOUT) ? 1 : 0) + ((waiting.revents & POLLOUT) ? 2 : 0);
}
