#if Inspector
import Synchronization

/// The number of answers that are sent in pieces, such as exports, which is limited.
final class Transfers: Sendable {
    /// An answer that is sent in pieces.
    ///
    /// It counts until it is released.
    final class Transfer: Sendable {
        private let transfers: Transfers

        fileprivate init(_ transfers: Transfers) { self.transfers = transfers }

        deinit { transfers.count.withLock { $0 -= 1 } }
    }

    private let count = Mutex(0)

    /// The maximum number of answers.
    static let limit = 4

    /// Counts an answer.
    ///
    /// - Throws: ``Refusal`` if there are too many.
    func begin() throws -> Transfer {
        try count.withLock { count in
            guard count < Self.limit else {
                throw Refusal.busy("\(Self.limit) exports or downloads are running. Wait for one to end.")
            }
            count += 1
        }
        return Transfer(self)
    }
}
#endif
