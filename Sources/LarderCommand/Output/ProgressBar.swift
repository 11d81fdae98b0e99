import Foundation
import LarderCore
import Synchronization

/// A bar on standard error while work goes on; nothing where nobody looks at it.
///
/// The line is drawn anew when the whole percentage changes, and taken away when the work ends, also when it fails.
final class ProgressBar: Sendable {
    private static let width = 32

    private let title: String
    private let console: Console
    private let shown = Mutex<Int?>(nil)

    private init(_ title: String, _ console: Console) {
        self.title = title
        self.console = console
    }

    /// Runs `work` with a bar.
    ///
    /// - Parameters:
    ///   - title: A word for what is being done.
    ///   - work: Tells its progress.
    /// - Returns: What `work` returned.
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
