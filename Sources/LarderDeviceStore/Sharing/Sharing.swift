import LarderCore
import LarderFiles
import Synchronization

/// What this process shares with others, and what it knows of them.
///
/// See "Several processes" of `device-log-v1.md`.
struct Sharing: ~Copyable {
    /// `nil` for a read-only store.
    let control: ControlFile?
    /// The words of ``control``.
    let page: ControlPage?
    /// The shared state word, or one of this engine's own that never changes for a read-only store.
    ///
    /// Valid as long as this: `control` keeps the page, and `deinit` frees what is its own.
    let stateWord: UnsafeMutablePointer<Atomic<UInt64>>
    /// What the control file said about failures when the store was opened.
    let failuresAtOpening: UInt64
    /// How often a thread has waited for the lock between processes in vain.
    let vainWaits = Atomic<Int>(0)
    /// Whether there is a failure, for calls that don't need the writer's lock otherwise.
    let hasFailed = Atomic<Bool>(false)

    /// What is shared through `control`, in a store that is at `word`.
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

// MARK: The lock between processes

extension Sharing {
    /// Acquires the lock between processes.
    ///
    /// - Returns: Whether its last holder is known to have died while it had the lock.
    @inline(__always)
    static func acquire(_ writer: inout WriterTurn) throws -> Bool {
        try acquireIfFree(&writer) ? false : wait(&writer)
    }

    /// Acquires the lock between processes if that can be done at once; `false` if it can't, or that can't be told.
    @inline(__always)
    static func acquireIfFree(_ writer: inout WriterTurn) throws -> Bool {
        guard let page = writer.page else { throw StoreError.readOnlyLog(writer.place.path) }
        // Asked again under the lock of this process: it may have been closed while the caller waited.
        try writer.checkUsable()
        if writer.failure != nil { try throwFailure(&writer) }
        return page.tryLock()
    }

    @inline(never)
    private static func throwFailure(_ writer: inout WriterTurn) throws {
        if let failure = writer.failure { throw failure }
    }

    /// Waits as long as the environment allows, or hardly at all where another thread has waited for so long in vain while this one
    /// waited for it: else the last of many threads would wait for as many times as long.
    @inline(never)
    private static func wait(_ writer: inout WriterTurn) throws -> Bool {
        let place = writer.place
        guard let control = writer.sharing.control else { throw StoreError.readOnlyLog(place.path) }
        let environment = place.environment
        guard writer.vainWaits == writer.sharing.vainWaits.load(ordering: .acquiring) else {
            // Time enough for one who has it only now.
            return try control.waitForLock(within: environment.lockLimit / 100, environment.time, place.path)
        }
        do {
            return try control.waitForLock(within: environment.lockLimit, environment.time, place.path)
        } catch let error as StoreError where error.code == .busy {
            writer.sharing.vainWaits.wrappingAdd(1, ordering: .releasing)
            throw error
        }
    }

    /// Reads what other processes wrote, and finishes or erases what one that died began.
    @inline(__always)
    static func catchUp(_ shared: inout SharedTurn, _ holderDied: Bool) throws {
        if holderDied || !isCaughtUp(shared) { try Following.catchUp(&shared, holderDied) }
    }

    /// Whether there is nothing to read or to finish.
    @inline(__always)
    static func isCaughtUp(_ shared: borrowing SharedTurn) -> Bool {
        shared.page?.isQuiet(shared.sharing.failuresAtOpening, shared.writer.word) != false
    }

    /// Releases the lock between processes.
    @inline(__always)
    static func release(_ writer: inout WriterTurn) {
        if writer.page?.tryUnlock() == false { unlock(&writer) }
    }

    @inline(never)
    private static func unlock(_ writer: inout WriterTurn) {
        do {
            try writer.sharing.control?.unlock()
        } catch {
            if writer.page?.isLost == true {
                // What the commit wrote counts: no other process can write before this one has released the file.
                _ = Failing.lose(&writer)
                return
            }
            // A process that can't release the lock must not write either; closing the file releases it for sure.
            Failing.poison(&writer, error)
            writer.sharing.control?.close()
        }
    }
}
