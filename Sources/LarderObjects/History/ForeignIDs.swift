#if Objects
internal import Synchronization

/// The ids of objects that other programs and managers insert, which the manager must not assign again.
///
/// A program that chooses no id gets the one after the table's greatest, which a manager may have reserved. Raw SQL may choose any id.
final class ForeignIDs: Sendable {
    private let model: ResolvedModel
    /// The token of the newest save that was looked at.
    private let seen: Mutex<Int64>

    /// - Parameters:
    ///   - model: The model whose tables are searched.
    ///   - token: The token of the newest save in the file, before the manager has reserved ids.
    init(_ model: ResolvedModel, after token: Int64) {
        self.model = model
        seen = Mutex(token)
    }

    /// Skips the ids of the objects that others have inserted since the last call.
    ///
    /// Call this method at the beginning of a transaction that writes.
    func skip(in sequence: ObjectIDSequence, _ statements: StatementCache) throws {
        let reader = SaveReader(statements: statements)
        let (known, newest) = (seen.withLock(\.self), try reader.newest())
        guard newest != known else { return }
        if let unused = sequence.unused {
            // Saves that were removed, or whose text can't be read, say nothing about ids.
            let isComplete = try newest > known && reader.trimmed() <= known
            let read = isComplete ? try greatest(in: unused, after: known, statements) : .unknown
            let id: Int64? =
                switch read {
                case .none: nil
                case .id(let id): id
                case .unknown: try greatest(in: unused, statements)
                }
            if let id { try sequence.skip(past: id, statements) }
        }
        seen.withLock { $0 = newest }
    }

    /// Notes a save that this manager has committed.
    func note(_ token: Int64) { seen.withLock { $0 = token } }

    private enum Greatest {
        case none
        case id(Int64)
        case unknown
    }

    /// Returns the greatest id in a range that was inserted after a token.
    private func greatest(
        in range: ClosedRange<Int64>,
        after token: Int64,
        _ statements: StatementCache
    ) throws -> Greatest {
        let saves = try statements.rows(
            "SELECT changes FROM larder_save WHERE token > ?",
            [.integer(token)]
        ) { row in try? row.withBytes(at: 0, SaveText.read) }
        var greatest = Greatest.none
        for save in saves {
            guard let save, save.scope == .objects else { return .unknown }
            for ids in save.objects.lazy.filter({ $0.kind == .inserted }).flatMap(\.ids) where ids.overlaps(range) {
                let id = min(ids.upperBound, range.upperBound)
                if case .id(let other) = greatest, other >= id { continue }
                greatest = .id(id)
            }
        }
        return greatest
    }

    /// Returns the greatest id in a range that a row has.
    private func greatest(in range: ClosedRange<Int64>, _ statements: StatementCache) throws -> Int64? {
        let key = ResolvedEntity.quotedKeyColumn
        return try model.entities.compactMap { entity in
            try statements.rows(
                "SELECT max(\(key)) FROM main.\(entity.table) WHERE \(key) BETWEEN ? AND ?",
                [.integer(range.lowerBound), .integer(range.upperBound)]
            ) { $0.value(at: 0).integerValue }.first ?? nil
        }.max()
    }
}
#endif
