#if canImport(LMDB)
import Foundation
import LMDB

/// A database that uses the system's LMDB library through its C interface.
final class LMDBPeer {
    private let environment: OpaquePointer
    private var database: MDB_dbi = 0
    private var reader: OpaquePointer?

    struct Failure: Error { let code: Int32 }

    /// Creates a database with `keys`.
    ///
    /// If `isSynced` is `true`, each commit survives power loss. Otherwise it survives only if the process is killed.
    init(_ path: String, _ keys: [String] = [], isSynced: Bool = false) throws {
        var made: OpaquePointer?
        let code = mdb_env_create(&made)
        guard let made else { throw Failure(code: code) }
        environment = made
        try check(mdb_env_set_mapsize(environment, 1 << 30))
        try check(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | (isSynced ? 0 : MDB_NOSYNC)), 0o600))
        try write { try check(mdb_dbi_open($0, nil, UInt32(MDB_CREATE), &database)) }
        if !keys.isEmpty { try put(0, keys) }
    }

    deinit {
        if let reader { mdb_txn_abort(reader) }
        mdb_env_close(environment)
    }

    /// Reads a value in a read transaction that is renewed for each read.
    func get(_ key: String) throws -> Int? {
        if let reader {
            try check(mdb_txn_renew(reader))
        } else {
            try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader))
        }
        defer { mdb_txn_reset(reader) }
        var key = key
        return try key.withUTF8 { bytes in
            var name = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            var value = MDB_val()
            let code = mdb_get(reader, database, &name, &value)
            if code == MDB_NOTFOUND { return nil }
            try check(code)
            return value.mv_data.loadUnaligned(as: Int.self)
        }
    }

    /// Writes the value of one key in its own commit.
    func put(_ value: Int, _ key: String) throws { try put(value, [key]) }

    /// Writes the values of all keys in one commit.
    func put(_ value: Int, _ keys: [String]) throws {
        try write { transaction in
            for (index, key) in keys.enumerated() {
                var key = key
                var number = value &+ index
                try key.withUTF8 { bytes in
                    try withUnsafeMutableBytes(of: &number) { number in
                        var name = MDB_val(
                            mv_size: bytes.count,
                            mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                        )
                        var value = MDB_val(mv_size: number.count, mv_data: number.baseAddress)
                        try check(mdb_put(transaction, database, &name, &value, 0))
                    }
                }
            }
        }
    }

    private func write(_ body: (OpaquePointer) throws -> Void) throws {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        guard let transaction else { return }
        try body(transaction)
        try check(mdb_txn_commit(transaction))
    }

    private func check(_ code: Int32) throws {
        if code != 0 { throw Failure(code: code) }
    }
}
#endif
