#if Objects
import LarderObjects
import LarderTestSupport
import ObjectStorageModels

/// The commands that wait for their test: `hold PATH PROGRESS` and `follow PATH WRITER NUMBER`.
struct HoldingCommands {
    /// What the test and the command tell each other while the command holds the writer lock.
    enum Progress {
        /// The command is inside a save.
        static let isHolding: Int64 = 1
        /// The test allows the command to finish the save.
        static let isAllowed: Int64 = 2
        /// The save has returned.
        static let isSaved: Int64 = 3
    }

    private let manager: SQLiteStorageManager

    init(_ path: String) throws { manager = try Ledger.open(path) }

    /// Holds the writer lock inside a save, until the test allows the save to go on.
    func hold(_ progress: SharedNumber) async throws {
        try await manager.performAndSave { storage in
            try Ledger.increment(storage)
            progress.value = Progress.isHolding
            try blockUntil(within: .seconds(600), "permission to go on") { progress.value == Progress.isAllowed }
        }
        progress.value = Progress.isSaved
        try manager.close()
    }

    /// States the number of a writer's last save that the view has merged.
    func follow(_ writer: String, _ number: SharedNumber) async throws {
        let changes = manager.changes
        number.value = try await last(writer)
        for await _ in changes { number.value = try await last(writer) }
    }

    private func last(_ writer: String) async throws -> Int64 {
        try await manager.withView { try Ledger.lastNumber(of: writer, in: $0) }
    }
}
#endif
