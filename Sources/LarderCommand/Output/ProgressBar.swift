import Foundation
import LarderCore
import Synchronization

/// A progress bar on standard error.
///
/// The bar is redrawn whenever the integer percentage changes. It is removed when the operation ends or fails.
final class ProgressBar: Sendable {
    private static let width = 32

    private let title: String
    private let console: Console
    private let shown = Mutex<Int?>(nil)

    private init(_ title: String, _ console: Console) {
        self.title = title
        self.console = console
    }

    /// Runs an operation and shows its progress.
    ///
    /// - Parameters:
    ///   - title: A word that describes the operation, such as "copying".
    ///   - work: The operation, which reports its progress by calling its argument.
    /// - Returns: The value that `work` returns.
    static func during<Result>(
        _ title: String,
        _ work: (@escaping @Sendable (StoreProgress) -> Void) throws -> Result
    ) rethrows -> Result {
        let bar = ProgressBar(title, .current)
        defer { bar.clear() }
        return try work { bar.show($0) }
    }

    private func show(_ progress: StoreProgress) {
        guard console.showsProgress else { return }
        let percent = Int(progress.fraction * 100)
        let isNew = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        guard isNew else { return }
        let filled = String(repeating: "#", count: percent * Self.width / 100)
        let rest = String(repeating: "-", count: Self.width - filled.count)
        console.writeError(Data("\r\u{1B}[K\(title) [\(filled)\(rest)] \(percent) %".utf8))
    }

    private func clear() {
        guard shown.withLock({ $0 }) != nil else { return }
        console.writeError(Data("\r\u{1B}[K".utf8))
    }
}
