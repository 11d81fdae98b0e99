import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that check whether another program has truncated or overwritten the log.
enum ContentCheck {
    /// Throws an error and prevents all processes from writing if another program has changed the log.
    ///
    /// The check makes four system calls. It fails if the log is shorter than its commits, has the header of a different store or
    /// generation, or lacks the last commit or the commit that was checked previously.
    static func run(_ entrance: inout Entrance) throws {
        let (log, word, last) = entrance.look { ($0.log, $0.word, $0.lastFrame) }
        let frames = [entrance.checked.frame(in: log), last]
        let path = entrance.place.path
        // The process no longer writes to a log in this state.
        guard word != .lost else { return }
        // During a switch to another file, the word still describes the previous file.
        let end = word.isOf(generation: log.generation) ? word.end : log.snapshotEnd
        let change: StoreError?
        do {
            change = try self.change(in: log, end: end, frames, path)
        } catch {
            throw entrance.write { writer in
                Failing.poison(&writer, error)
                return StoreError.failedDevice(error, path)
            }
        }
        if let change { throw entrance.write { Failing.noteChange(change, &$0) } }
        entrance.checked.note(last, in: log)
    }

    private static func change(
        in log: DeviceLog,
        end: Int,
        _ frames: [Range<Int>],
        _ path: String
    ) throws -> StoreError? {
        // The size of the file is not used: since Linux 6.13 a stat between writes makes the next write update the time stamps, which
        // halved the speed of syncs.
        guard try log.file.read(at: end - 1, count: 1).count == 1 else {
            return try .changedLog(path, at: log.file.information().size, "it was truncated")
        }
        let header = try log.file.read(at: 0, count: LogFormat.headerSize).withUnsafeBytes { LogHeader.read($0) }
        switch header.choice {
        case .valid(let header) where header.isOf(log): break
        // A newer header is detected when the synced mark is written.
        case .newer: break
        case .valid, .invalid: return .changedLog(path, at: 0, "its header was replaced")
        }
        let missing = try frames.first { try !$0.isEmpty && !isFrame($0, in: log) }
        return missing.map { .changedLog(path, at: $0.lowerBound, "a commit is missing") }
    }

    /// Returns whether the log has a frame of the expected length at `range`, reading only the frame's prologue.
    private static func isFrame(_ range: Range<Int>, in log: DeviceLog) throws -> Bool {
        let prologue = try log.file.read(at: range.lowerBound, count: LogFormat.prologueSize)
        guard prologue.count == LogFormat.prologueSize else { return false }
        let length = prologue.withUnsafeBytes { $0.number(UInt32.self, at: LogFormat.FrameField.length) }
        return LogFormat.padded(Int(length)) == range.count
    }
}

/// The last commit that ``ContentCheck`` found in the log.
struct CheckedCommit: ~Copyable, Sendable {
    private let found = Mutex<(generation: UInt64, frame: Range<Int>)?>(nil)

    /// Returns the range of the commit's frame in `log`, or an empty range if the commit is in a different log or unknown.
    func frame(in log: DeviceLog) -> Range<Int> {
        found.withLock { $0.flatMap { $0.generation == log.generation ? $0.frame : nil } } ?? 0..<0
    }

    func note(_ frame: Range<Int>, in log: DeviceLog) { found.withLock { $0 = (log.generation, frame) } }
}

extension LogHeader {
    /// Returns whether this header belongs to `log`, ignoring the synced mark.
    func isOf(_ log: DeviceLog) -> Bool { fileIdentifier == log.fileIdentifier && generation == log.generation }
}
