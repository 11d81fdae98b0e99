#if Command && Objects
import Foundation
import LarderObjects

extension ObjectsCommand {
    func salvage(_ console: Console) throws {
        let (target, isJSON) = (try required("TO"), try isJSON())
        try Self.requireFile(file)
        try Self.requireNoFile(target)
        let frozen = try model.map { path in
            try Self.requireFile(path)
            return try FrozenModel(contentsOf: URL(fileURLWithPath: path))
        }
        let report = try ProgressBar.during("salvaging") { progress in
            try SQLiteStorageManager.salvage(from: file, to: target, model: frozen, progress: progress)
        }
        if isJSON { return try console.print(json(report, target)) }
        var table = Table("ENTITY", "KEPT", "LOST", "IN DOUBT")
        for entity in report.entities {
            table.add(entity.name, "\(entity.kept)", Self.text(entity.lost), "\(entity.inDoubt)")
        }
        if report.unknownInDoubt > 0 { table.add("unknown", "0", "0", "\(report.unknownInDoubt)") }
        for line in table.lines() { try console.print(line) }
        if report.repairedReferences > 0 {
            try console.print("References to missing objects that were removed: \(report.repairedReferences)")
        }
        for note in report.notes { try console.print(note) }
        try console.print("Copied the readable objects of \(file.debugDescription) to \(target.debugDescription).")
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
        return "\(range.lowerBound) " + (range.upperBound == .max ? "or more" : "to \(range.upperBound)")
    }

    private func json(_ report: SalvageReport, _ target: String) -> String {
        let entities = report.entities.map { entity in
            JSONWriter.object([
                ("name", JSONWriter.string(entity.name)), ("kept", String(entity.kept)),
                ("leastLost", String(entity.lost.lowerBound)),
                ("mostLost", entity.lost.upperBound == .max ? "null" : String(entity.lost.upperBound)),
                ("inDoubt", String(entity.inDoubt)),
            ])
        }
        return JSONWriter.object([
            ("database", JSONWriter.string(file)), ("copy", JSONWriter.string(target)),
            ("isComplete", JSONWriter.bool(report.isComplete)), ("entities", JSONWriter.list(entities)),
            ("unknownInDoubt", String(report.unknownInDoubt)),
            ("repairedReferences", String(report.repairedReferences)),
            ("hasReplacedPages", JSONWriter.bool(report.hasReplacedPages)), ("notes", JSONWriter.strings(report.notes)),
        ])
    }
}
#endif
