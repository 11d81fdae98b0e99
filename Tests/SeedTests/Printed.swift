import Foundation
import LarderTestSupport

/// What the samples print, kept instead, so that each test can say what a sample ought to print.
nonisolated final class PrintedLines: @unchecked Sendable {
    // Sendable because `lines` is reached under `lock` alone.
    static let shared = PrintedLines()
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }

    func takeAll() -> [String] {
        lock.withLock {
            defer { lines = [] }
            return lines
        }
    }
}

/// Stands before `Swift.print` for the samples of this module.
nonisolated func print(_ items: Any...) { PrintedLines.shared.add(items.map { "\($0)" }.joined(separator: " ")) }

/// Runs a sample, alone among the seed tests, and returns what it printed.
nonisolated func printed(by sample: () throws -> Void) rethrows -> [String] {
    try StandardUserDefaults.exclusively {
        _ = PrintedLines.shared.takeAll()
        try sample()
        return PrintedLines.shared.takeAll()
    }
}
