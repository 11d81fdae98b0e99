import LarderFiles
import LarderTestSupport
import Synchronization

/// A file system that calls a test's closure just before a process opens, inspects, reads, syncs, renames or writes a file.
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

    /// Calls `body` once, just before the next operation of the kind that this file system intercepts.
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
