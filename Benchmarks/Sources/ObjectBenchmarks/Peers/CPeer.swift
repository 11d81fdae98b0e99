#if Objects
import CSQLitePeer

/// A SQLite database that is used by code written in C.
final class CPeer: @unchecked Sendable {
    // The class is `Sendable` because the benchmarks use the peer from one thread at a time.
    private let peer: OpaquePointer

    /// Creates a database with an empty table, and prepares `count` rows to insert.
    init(_ path: String, rows count: Int = 0) throws {
        guard let peer = sqlite_peer_open(path, Int32(count)) else { throw ObjectBenchmarkError.wrongResult }
        self.peer = peer
    }

    deinit { sqlite_peer_close(peer) }

    func insert() throws { try check(sqlite_peer_insert(peer)) }
    func fetch() throws { try check(sqlite_peer_fetch(peer)) }
    func update(_ count: Int, to value: Int) throws { try check(sqlite_peer_update(peer, Int32(count), Int64(value))) }
    func clear() throws { try check(sqlite_peer_clear(peer)) }

    private func check(_ result: Int32) throws {
        guard result >= 0 else { throw ObjectBenchmarkError.wrongResult }
        keep(result)
    }
}
#endif
