import LarderCore
import LarderFiles
import Synchronization

/// The state for coordinating with other processes that use the store.
///
/// See "Several processes" in `device-log-v1.md`.
struct Sharing: ~Copyable {
    /// The control file, or `nil` for a read-only store.
    let control: ControlFile?
    /// The mapped page of the control file, or `nil` for a read-only store.
    let page: ControlPage?
    /// The shared-memory word that contains the log's generation and end offset.
    ///
    /// A read-only store has a private word that never changes.
    let stateWord: UnsafeMutablePointer<Atomic<UInt64>>
    /// The number of failures recorded in the control file when the store was opened.
    let failuresAtOpening: UInt64
    /// The number of times that a thread of this process has timed out while waiting for the interprocess lock.
    let lockTimeouts = Atomic<Int>(0)
    /// Whether this process has recorded a failure that prevents writes to the store.
    ///
    /// This flag can be read without the writer's lock.
    let hasFailed = Atomic<Bool>(false)

    /// Creates the state from a control file, or from a copy of the state word if the store is read-only.
    init(_ control: ControlFile?, failuresAtOpening: UInt64, at word: StateWord) {
        self.control = control
        self.failuresAtOpening = failuresAtOpening
        page = control?.page
        if let page {
            stateWord = page.stateWord
        } else {
            stateWord = .allocate(capacity: 1)
            stateWord.initialize(to: Atomic(word.rawValue))
        }
    }

    deinit {
        if page == nil {
            stateWord.deinitialize(count: 1)
            stateWord.deallocate()
        }
    }
}

// MARK: The interprocess lock

extension Sharing {
    /// Acquires the interprocess lock.
    ///
    /// - Returns: `true` if the last holder is known to have died while holding the lock.
    static func acquire(_ writer: inout WriterTurn) throws -> Bool {
        try acquireIfFree(&writer) ? false : wait(&writer)
    }

    /// Tries to acquire the interprocess lock without waiting.
    ///
    /// Returns `false` if the lock is held or its state is unknown.
    static func acquireIfFree(_ writer: inout WriterTurn) throws -> Bool {
        guard let page = writer.page else { throw StoreError.readOnlyLog(writer.place.path) }
        // Check again under this process's lock, because the store may have been closed while the caller waited.
        try writer.checkUsable()
        if writer.failure != nil { try throwFailure(&writer) }
        return page.tryLock()
    }

    private static func throwFailure(_ writer: inout WriterTurn) throws {
        if let failure = writer.failure { throw failure }
    }

    /// Waits until the interprocess lock is acquired, and throws an error if the lock timeout expires.
    ///
    /// If another thread has just timed out, a much shorter timeout applies, so that the timeouts of many threads do not add up.
    private static func wait(_ writer: inout WriterTurn) throws -> Bool {
        let place = writer.place
        guard let control = writer.sharing.control else { throw StoreError.readOnlyLog(place.path) }
        let environment = place.environment
        guard writer.lockTimeouts == writer.sharing.lockTimeouts.load(ordering: .acquiring) else {
            // This limit is long enough for a holder that has just acquired the lock.
            return try control.waitForLock(within: environment.lockLimit / 100, environment.time, place.path)
        }
        do {
            return try control.waitForLock(within: environment.lockLimit, environment.time, place.path)
        } catch let error as StoreError where error.code == .busy {
            writer.sharing.lockTimeouts.wrappingAdd(1, ordering: .releasing)
            throw error
        }
    }

    /// Reads commits made by other processes.
    ///
    /// If a process died while writing, also completes or erases its last commit.
    static func catchUp(_ shared: inout SharedTurn, _ holderDied: Bool) throws {
        if holderDied || !isCaughtUp(shared) { try Following.catchUp(&shared, holderDied) }
    }

    /// Returns whether this process has read all commits and no interrupted commit requires recovery.
    static func isCaughtUp(_ shared: borrowing SharedTurn) -> Bool {
        shared.page?.isQuiet(shared.sharing.failuresAtOpening, shared.writer.word) != false
    }

    /// Releases the interprocess lock.
    static func release(_ writer: inout WriterTurn) {
        if writer.page?.tryUnlock() == false { unlock(&writer) }
    }

    private static func unlock(_ writer: inout WriterTurn) {
        do {
            try writer.sharing.control?.unlock()
        } catch {
            if writer.page?.isLost == true {
                // The commit is valid, because no other process can write before this process has released the file.
                _ = Failing.lose(&writer)
                return
            }
            // A process that can't release the lock must not write either. Closing the file releases the lock.
            Failing.poison(&writer, error)
            writer.sharing.control?.close()
        }
    }
}
