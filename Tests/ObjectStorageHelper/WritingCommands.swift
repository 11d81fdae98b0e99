#if Objects
import GRDB
import LarderObjects
import LarderTestSupport
import ObjectStorageModels

/// The commands that save in a loop: `increment PATH TIMES`, `save PATH OPTION ...`, `random PATH SEED TIMES`.
struct WritingCommands {
    private let manager: SQLiteStorageManager

    init(_ path: String) throws { manager = try Ledger.open(path) }

    /// Increments the counter, once in each save.
    func increment(times: Int) async throws {
        for _ in 0..<times { try await manager.performAndSave { try Ledger.increment($0) } }
        try manager.close()
    }

    /// Inserts entries and notes, and acknowledges each save.
    func save(_ options: SavingOptions) async throws {
        let (writer, objects, kept) = (options.writer, options.objects, options.kept)
        // A process that was killed may have made its last save without acknowledging it.
        var number = try Ledger.lastNumber(of: writer, in: manager.viewStorage)
        let last = options.times.map { [number] in number + $0 } ?? .max
        while number < last {
            if let merged = options.merged { try await waitUntil("the merge of \(number)") { merged.value >= number } }
            let next = number + 1
            try await manager.performAndSave { storage in
                try Ledger.insert(objects, writer, next, into: storage)
                if let kept { try Ledger.delete(writer, through: next - kept, from: storage) }
            }
            options.acknowledged.value = next
            number = next
        }
        try manager.close()
    }

    /// Makes random changes, each in its own save or call of raw SQL.
    func random(seed: Int, times: Int) async throws {
        var generator = SplitMix64(seed: UInt64(seed))
        for _ in 0..<times {
            let random = generator.next()
            if random % 8 == 7 {
                try await manager.write {
                    try $0.execute(
                        sql: "UPDATE Entry SET number = number + 1 WHERE objectID % 10 = ?",
                        arguments: [random / 8 % 10]
                    )
                }
            } else {
                try await manager.performAndSave { try Ledger.change($0, by: random) }
            }
        }
        try manager.close()
    }
}
#endif
