#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import ObjectStorageModels
import Testing

/// Saves of another process that an idle process merges one by one.
///
/// `make bench` measures the delay.
@Suite struct MergeDelayTests {
    @Test(.timeLimit(.minutes(10))) func eachSaveOfAnotherProcessIsMerged() async throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("ledger.sqlite")
        let saves = Torture.isSmall ? 100 : 1_000
        let manager = try Ledger.open(url.path)
        let changes = manager.changes
        let merged = try SharedNumber(at: folder.path("merged"))
        // The process begins each save after the merge of the save before.
        let process = try LedgerProcess.saving(
            "a",
            url,
            in: folder,
            ["times=\(saves)", "merged=\(folder.path("merged"))"]
        )
        var delays: [Duration] = []
        for await change in changes {
            let now = Ledger.now
            let times = try await manager.withView { view in
                try change.inserted.compactMap { try view.loadObject(ofType: Ledger.Entry.self, with: $0)?.time }
            }
            delays += times.map { .nanoseconds(now - $0) }
            merged.value = Int64(delays.count)
            if delays.count == saves { break }
        }
        try process.finish()
        try #require(delays.count == saves)
        delays.sort()
        let (median, late) = (delays[saves / 2], delays[saves * 99 / 100])
        Torture.say("merge of another process's save: median \(median), p99 \(late), longest \(delays[saves - 1])")
        #expect(try manager.verify().problems == [])
        try manager.close()
    }
}
#endif
