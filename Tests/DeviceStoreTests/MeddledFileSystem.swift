import LarderFiles
import LarderTestSupport
import Synchronization

/// The real file system, or another, with somebody who does something behind a process's back: just before it opens a file, looks what is
/// at its path, reads it, syncs it, renames it, or writes to it in either way.
final class MeddledFileSystem: ForwardingFileSystem {
    enum Moment { case opening, looking, reading, syncing, writing, renaming }

    let base: any FileSystem
    private let moment: Moment
    private let path: String
    private let meddle: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    init(_ moment: Moment, _ path: String, on base: any FileSystem = .local) {
        self.base = base
        self.moment = moment
        self.path = path
    }

    /// Has `body` called the next time.
    func once(_ body: @escaping @Sendable () -> Void) { meddle.withLock { $0 = body } }

    private func reached(_ moment: Moment, _ path: String) {
        guard moment == self.moment, path == self.path else { return }
        let body = meddle.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }

    func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        switch operation {
        case .open: reached(.opening, path)
        case .inspect: reached(.looking, path)
        case .read: reached(.reading, path)
        case .synchronize: reached(.syncing, path)
        case .rename: reached(.renaming, path)
        default: break
        }
        return try body()
    }

    func writing(
        _ bytes: UnsafeRawBufferPointer,
        _ path: String,
        _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        reached(.writing, path)
        try write(bytes)
    }
}
