import LarderCore
import LarderFiles
import Synchronization

/// Whether an engine may be used: it was not closed, and this is the process that opened it.
struct Life: ~Copyable, Sendable {
    private let process = OpeningProcess()
    private let isClosing = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)

    /// Whether calls have a chance.
    var isUsable: Bool { isInItsProcess && !isClosing.load(ordering: .relaxed) }

    /// Whether this is the process that opened the store.
    @inline(__always)
    var isInItsProcess: Bool { process.isThisOne }

    /// Whether it was not closed, and this is the process that opened the store.
    @inline(__always)
    var isOpen: Bool { isInItsProcess && !isClosed.load(ordering: .relaxed) }

    /// Why the store at `path` can't be used.
    @inline(never)
    func error(_ path: String) -> StoreError {
        isInItsProcess
            ? .closedLog(path, "was closed")
            : .closedLog(path, "was opened before this process was forked, and a child can't use it")
    }

    /// Notes that the engine is about to be closed; `false` if it was before.
    func beginClosing() -> Bool { !isClosing.exchange(true, ordering: .acquiringAndReleasing) }

    /// From here on every call throws.
    func end() { isClosed.store(true, ordering: .releasing) }

    /// Syncs and marks the store, where that can still be done, and ends every use of it.
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
        // Not while this process compacts, or whoever opens the store next could not; nor while another thread is writing: to other processes
        // a closed control file is a dead process.
        entrance.close { writer in
            writer.life.end()
            writer.log.log.owner?.release()
            writer.sharing.control?.close()
        }
    }
}

/// The process that opened a store; a child that was forked is another one.
struct OpeningProcess: Sendable {
    private let generation = CurrentProcess.forkGeneration
    /// Valid for ever.
    nonisolated(unsafe) private let counter = CurrentProcess.forkCounter

    /// Costs two loads.
    @inline(__always)
    var isThisOne: Bool { counter.pointee.load(ordering: .relaxed) == generation }
}
