import LarderCore
import LarderFiles
import Synchronization

/// The life-cycle state of an engine.
///
/// An engine can be used until it is closed, and only in the process that opened it.
struct Life: ~Copyable, Sendable {
    private let process = OpeningProcess()
    private let isClosing = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)

    /// Whether the engine accepts new calls.
    ///
    /// The value is `false` once closing has begun, and in forked children.
    var isUsable: Bool { isInItsProcess && !isClosing.load(ordering: .relaxed) }

    /// Whether the current process is the one that opened the store, as opposed to a forked child.
    var isInItsProcess: Bool { process.isThisOne }

    /// Whether the engine has not been closed and the current process is the one that opened the store.
    var isOpen: Bool { isInItsProcess && !isClosed.load(ordering: .relaxed) }

    /// Returns the error to throw when the store at `path` can't be used.
    func error(_ path: String) -> StoreError {
        isInItsProcess
            ? .closedLog(path, "was closed")
            : .closedLog(path, "was opened before this process was forked, so the child can't use it")
    }

    /// Marks the engine as closing, or returns `false` if it is already marked.
    func beginClosing() -> Bool { !isClosing.exchange(true, ordering: .acquiringAndReleasing) }

    /// Marks the engine as closed, so that every later call throws an error.
    func end() { isClosed.store(true, ordering: .releasing) }

    /// Closes the engine after syncing the store.
    ///
    /// If possible, also updates the synced mark in the log's header.
    static func close(_ entrance: inout Entrance) throws {
        guard entrance.life.beginClosing() else { return }
        defer {
            Failing.passOn(&entrance)
            end(&entrance)
        }
        guard entrance.page != nil, entrance.life.isInItsProcess, entrance.write({ $0.failure == nil }) else { return }
        try Syncing.flushAndMark(&entrance)
    }

    private static func end(_ entrance: inout Entrance) {
        guard entrance.life.isInItsProcess else { return entrance.life.end() }
        // The control file is closed while no compaction or write is running in this process. A compaction would prevent the next process
        // that opens the store from compacting it. A writer with a closed control file would look like a dead process.
        entrance.close { writer in
            writer.life.end()
            writer.log.log.owner?.release()
            writer.sharing.control?.close()
        }
    }
}

/// The process that opened a store, as opposed to a forked child.
struct OpeningProcess: Sendable {
    private let generation = CurrentProcess.forkGeneration
    /// The address of the process-wide fork counter, which is never freed.
    nonisolated(unsafe) private let counter = CurrentProcess.forkCounter

    /// Whether the current process is the one that opened the store.
    var isThisOne: Bool { counter.pointee.load(ordering: .relaxed) == generation }
}
