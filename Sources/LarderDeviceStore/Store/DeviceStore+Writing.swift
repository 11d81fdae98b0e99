public import Foundation
public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Keeps `value` under `key`, replacing any earlier value, with ``Durability/buffered``: one store to memory that the
    /// operating system keeps, or one write to it.
    ///
    /// An equal value is not written again.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        try checkOpen()
        _ = try engine.enter { try Commit.put(value, for: key, &$0) }
    }

    /// Keeps `value` under `key`, replacing any earlier value, with ``Durability/buffered``: one store to memory that the
    /// operating system keeps, or one write to it.
    ///
    /// An equal value is not written again.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The whole key, checked as ``StoreKey/validate()`` does.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: String) throws {
        try checkOpen()
        _ = try engine.enter { try Commit.put(value, for: key, &$0) }
    }

    /// Removes the value under `key`, with ``Durability/buffered``.
    ///
    /// A missing key is no error, and nothing is written.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the value is still there.
    public func remove(_ key: StoreKey) throws {
        try checkOpen()
        _ = try engine.enter { try Commit.put(nil, for: key, &$0) }
    }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: How far the commit has come when this returns. A sync is shared by all who wait at the same time.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``. Then nothing was changed, with one exception that the error names: when the commit was made and
    ///   then the disk did not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try checkOpen()
        return try engine.enter { entrance in
            let isToBeSynced = durability == .synced
            guard let number = try Commit.run(batch, isToBeSynced: isToBeSynced, &entrance) else { return false }
            if isToBeSynced { try Syncing.confirm(number, &entrance) }
            return true
        }
    }

    /// The suspending form of ``commit(_:durability:)-(_,_)``.
    ///
    /// A buffered commit that need not wait for anything is made without changing threads. Locks, other processes, compactions and the
    /// disk are waited for on threads outside Swift's cooperative pool, and handlers of observers are called there.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``, as the blocking form.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try checkOpen()
        let isToBeSynced = durability == .synced
        guard let number = try await Commit.run(batch, isToBeSynced: isToBeSynced, in: engine) else { return false }
        if isToBeSynced { try await Syncing.confirm(number, in: engine) }
        return true
    }

    /// Carries out all writes of `batch`, or none, with ``Durability/buffered``: one write to the operating system.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        try checkOpen()
        return try engine.enter { try Commit.run(batch, &$0) } != nil
    }

    /// Keeps `value` under `key` until `expiry`, with ``Durability/buffered``.
    ///
    /// Expiry is compared with the wall clock at every read. An expired value is no longer shown; its room is given back by a later
    /// compaction, which what has expired makes due as what was removed does: within about a minute while a process has the store
    /// open, else when one opens it. Unlike others, an equal value is written again.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - expiry: To the millisecond.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: StoreKey, until expiry: Date) throws {
        try checkOpen()
        _ = try engine.enter { try Commit.put(value, for: key, until: expiry.millisecondsSince1970, &$0) }
    }

    /// Writes `value` under `key` until `expiry`, with ``Durability/buffered``; see ``set(_:for:until:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - expiry: To the millisecond.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: some StorableValue, for key: StoreKey, until expiry: Date) throws {
        try set(value.storedValue, for: key, until: expiry)
    }

    /// Writes `value` under `key` until `expiry`, with ``Durability/buffered``; see ``set(_:for:until:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The whole key.
    ///   - expiry: To the millisecond.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: some StorableValue, for key: String, until expiry: Date) throws {
        try set(value.storedValue, for: StoreKey(key), until: expiry)
    }

    /// Makes every commit so far durable.
    ///
    /// Blocks the thread.
    ///
    /// - Throws: ``StoreError`` when the disk did not confirm; `damaged` if another program has cut or overwritten the file, so that it is
    ///   shorter than the commits, has another header or lacks the last commit. Memory keeps everything then; nothing more can be written
    ///   until the store is opened again.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws {
        try checkOpen()
        try engine.enter { try Syncing.flushAndMark(&$0) }
    }

    /// The suspending form of ``flush()-(Void)``.
    ///
    /// - Throws: ``StoreError`` when the disk did not confirm.
    public func flush() async throws {
        try checkOpen()
        try await Syncing.flushAndMark(in: engine)
    }
}

extension Date {
    /// Cut to what 64 bits hold; never the number that stands for "never".
    fileprivate var millisecondsSince1970: Int64 {
        let milliseconds = timeIntervalSince1970 * 1000
        guard milliseconds > -9e18 else { return .min }
        guard milliseconds < 9e18 else { return .max - 1 }
        return Int64(milliseconds.rounded(.down))
    }
}
