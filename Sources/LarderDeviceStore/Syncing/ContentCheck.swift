import LarderCore
import LarderFiles
import Synchronization

/// Whether the log is still what was written to it: another program may have cut it, or copied another file over it.
enum ContentCheck {
    /// Throws, and keeps every process from writing, if the log is shorter than its commits, has the header of another store or
    /// generation, or lacks the last commit or the one that was last when this was called before.
    ///
    /// Costs four system calls. What else was changed is found when the store is opened or verified.
    static func run(_ entrance: inout Entrance) throws {
        let (log, word, last) = entrance.look { ($0.log, $0.word, $0.lastFrame) }
        let frames = [entrance.checked.frame(in: log), last]
        let path = entrance.place.path
        // Then nothing is written any more.
        guard word != .lost else { return }
        // While this process goes over to another generation, the word is still of the one before.
        let end = word.isOf(generation: log.generation) ? word.end : log.snapshotEnd
        let size: Int
        do { size = try log.file.information().size } catch { throw StoreError.device(error, path) }
        let change: StoreError?
        do {
            change = try self.change(in: log, size: size, end: end, frames, path)
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
        size: Int,
        end: Int,
        _ frames: [Range<Int>],
        _ path: String
    ) throws -> StoreError? {
        guard size >= end else { return .changedLog(path, at: size, "it was cut off") }
        let header = try log.file.read(at: 0, count: LogFormat.headerSize).withUnsafeBytes { LogHeader.read($0) }
        switch header.choice {
        case .valid(let header) where header.isOf(log): break
        // Found when the mark is written.
        case .newer: break
        case .valid, .invalid: return .changedLog(path, at: 0, "its header is another one")
        }
        let missing = try frames.first { try !$0.isEmpty && !isFrame($0, in: log) }
        return missing.map { .changedLog(path, at: $0.lowerBound, "a commit is not there") }
    }

    /// Whether a frame of that length begins there.
    private static func isFrame(_ range: Range<Int>, in log: DeviceLog) throws -> Bool {
        let prologue = try log.file.read(at: range.lowerBound, count: LogFormat.prologueSize)
        guard prologue.count == LogFormat.prologueSize else { return false }
        let length = prologue.withUnsafeBytes { $0.number(UInt32.self, at: LogFormat.FrameField.length) }
        return LogFormat.padded(Int(length)) == range.count
    }
}

/// The commit that ``ContentCheck`` found in the log last.
struct CheckedCommit: ~Copyable, Sendable {
    private let found = Mutex<(generation: UInt64, frame: Range<Int>)?>(nil)

    /// Where it lies in `log`; empty if it lies in another one, or none was found.
    func frame(in log: DeviceLog) -> Range<Int> {
        found.withLock { $0.flatMap { $0.generation == log.generation ? $0.frame : nil } } ?? 0..<0
    }

    func note(_ frame: Range<Int>, in log: DeviceLog) { found.withLock { $0 = (log.generation, frame) } }
}

extension LogHeader {
    /// Whether it is the header of that log, whatever mark it states.
    func isOf(_ log: DeviceLog) -> Bool { fileIdentifier == log.fileIdentifier && generation == log.generation }
}
