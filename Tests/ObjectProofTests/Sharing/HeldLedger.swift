#if Objects
import Foundation
import LarderObjects
import LarderTestSupport
import ObjectStorageModels
import Testing

/// A ledger whose counter is 1, and a process that holds the writer lock inside a save that increments the counter.
struct HeldLedger {
    let url: URL
    let process: LedgerProcess
    private let folder: TemporaryDirectory
    private let progress: SharedNumber

    var path: String { url.path }
    var isHolding: Bool { progress.value == 1 && process.process.isRunning }

    init() async throws {
        folder = try TemporaryDirectory()
        url = folder.url("ledger.sqlite")
        let manager = try Ledger.open(url.path)
        try await manager.performAndSave { try Ledger.increment($0) }
        try manager.close()
        let progress = try SharedNumber(at: folder.path("progress"))
        process = try LedgerProcess("hold", url, [folder.path("progress")])
        self.progress = progress
        try await waitUntil("the writer lock of the process") { progress.value == 1 }
    }

    /// Lets the process finish its save and end.
    func allow() throws {
        progress.value = 2
        try process.finish()
    }

    /// Expects that `body` throws an error that names the process.
    func expectBusy(_ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: ObjectError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == .busy, sourceLocation: sourceLocation)
        #expect(
            error?.message.contains("process \(process.identifier) ") == true,
            "\(error as Any)",
            sourceLocation: sourceLocation
        )
    }
}
#endif
