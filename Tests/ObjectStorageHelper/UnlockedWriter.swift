#if Objects
import Foundation
import GRDB

/// Commits with SQLite alone, without a lock of Larder's: `commitUnlocked PATH SECONDS PAGES`.
///
/// After every tenth commit, the connection is closed and opened again.
struct UnlockedWriter {
    private let path: String
    private let configuration: Configuration

    /// Creates a writer whose commits run a checkpoint if the log has a number of pages.
    ///
    /// With 0, only closing runs a checkpoint.
    init(_ path: String, checkpointAfter pages: Int) {
        self.path = path
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(pages)")
        }
        self.configuration = configuration
    }

    func run(seconds: Int) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            for _ in 0..<10 {
                try queue.write { try $0.execute(sql: "UPDATE commits SET number = number + 1") }
            }
            try queue.close()
        }
    }
}
#endif
