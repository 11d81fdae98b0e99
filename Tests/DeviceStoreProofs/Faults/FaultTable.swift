import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// The section "Faults" of the format document as a table of the allowed results, by request, file and operation.
///
/// A failing call without an entry is an error of the table, or of the store that makes the call.
struct FaultTable {
    /// A request to a store.
    enum Request: String, CaseIterable {
        case opening, committing, committingSynced, compacting, flushing, closing

        static let commits: Set<Request> = [.committing, .committingSynced]
        static let syncs: Set<Request> = [.committingSynced, .flushing, .closing]
    }

    /// The file or folder of a failing operation.
    enum Place: String, CaseIterable {
        case log, control, new, folder

        init?(_ path: String) {
            switch path {
            case SimulatedStore.path: self = .log
            case SimulatedStore.path + ".ctl": self = .control
            case SimulatedStore.path + LogFormat.newSuffix: self = .new
            case FilePath.folder(of: SimulatedStore.path): self = .folder
            default: return nil
            }
        }
    }

    /// The state of a store after a failure.
    enum Standing {
        /// The next call works as usual.
        case usable
        /// The store can be read, but every write in every process throws `closed`.
        ///
        /// Opening the store again writes all entries to another file and ends this state.
        case poisoned
    }

    struct Verdict {
        /// The allowed error codes.
        var codes: Set<StoreError.Code>
        /// Whether the request may succeed despite the failure.
        var mayBeGranted = false
        /// The state of the store if the request failed.
        var standing = Standing.usable
    }

    let io: DeviceStoreOptions.IO
    /// Whether a failing write has written some bytes.
    let leavesBytes: Bool

    /// Returns the allowed results of a request during which these calls failed, in this order, or `nil` if the table has no entry.
    func verdict(on request: Request, _ failed: [RecordedOperation]) -> Verdict? {
        var result = Verdict(codes: [], mayBeGranted: true)
        for call in failed {
            guard let verdict = verdict(on: request, call) else { return nil }
            result.codes.formUnion(verdict.codes)
            if !verdict.mayBeGranted { result.mayBeGranted = false }
            if verdict.standing == .poisoned { result.standing = .poisoned }
        }
        if Request.commits.contains(request), leavesTraces(failed) {
            // "A write fails otherwise, or its traces can't be removed."
            result.standing = .poisoned
            result.codes = [.inputOutput]
        }
        return result
    }

    /// Returns whether a write to the log failed and the bytes that it wrote could not be erased.
    private func leavesTraces(_ failed: [RecordedOperation]) -> Bool {
        let ofLog = failed.filter { Place($0.path) == .log }
        guard let first = ofLog.firstIndex(where: { $0.operation == .write || $0.operation == .map }) else {
            return false
        }
        return ofLog[(first + 1)...].contains {
            [.read, .synchronize].contains($0.operation) || leavesBytes && $0.operation == .write
        }
    }

    private func verdict(on request: Request, _ call: RecordedOperation) -> Verdict? {
        guard let place = Place(call.path) else { return nil }
        // The error code for the caller.
        let isFull = call.errno == ENOSPC
        let plain: Set<StoreError.Code> = isFull ? [.diskFull] : [.inputOutput]
        let poisoned = Verdict(codes: [.inputOutput], standing: .poisoned)
        switch (request, place, call.operation) {
        // The log.
        case (.opening, .log, .synchronize), (.opening, .folder, .synchronize):
            // The next open writes everything to another file.
            return poisoned
        case (.opening, .log, .write) where isFull:
            // The synced mark, as below; but a torn commit at the end must be removed.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.committing, .log, .write), (.committingSynced, .log, .write):
            return Verdict(codes: plain, mayBeGranted: isFull, standing: isFull ? .usable : .poisoned)
        case (.committing, .log, .resize), (.committingSynced, .log, .resize):
            // Nothing has been written yet. Commits that fit the reserved space, or can be written without a map, succeed.
            return Verdict(codes: plain, mayBeGranted: isFull || io == .mapped)
        case (.committing, .log, .map), (.committingSynced, .log, .map):
            // Without a map, a system call writes it.
            return Verdict(codes: [], mayBeGranted: true)
        case (.flushing, .log, .write), (.closing, .log, .write):
            // The synced mark: everything is on the disk, and the mark is written once there is space.
            return isFull ? Verdict(codes: [], mayBeGranted: true) : poisoned
        case (.flushing, .log, .read), (.closing, .log, .read), (.committingSynced, .log, .read):
            // The header and the last commits, which must be the known ones, and the header to be marked.
            return poisoned
        case (.committingSynced, .log, .inspect):
            // The same; the commit is in place.
            return Verdict(codes: plain)
        case (_, .log, .lock):
            // Releasing an owner lock, or the lock of the new file, which closing the file releases too.
            return Verdict(codes: plain, mayBeGranted: true)
        case (_, .log, .synchronize) where Request.syncs.contains(request):
            return poisoned
        case (_, .log, .read), (_, .log, .inspect), (.opening, .log, _):
            return Verdict(codes: plain)
        // The folder of the log.
        case (.compacting, .folder, .synchronize):
            return poisoned
        case (_, .folder, .synchronize) where Request.syncs.contains(request):
            return poisoned
        case (.opening, .folder, _):
            return Verdict(codes: plain)
        // On a full disk a commit compacts; the result of the compaction is not its own.
        case (.committing, .new, _), (.committingSynced, .new, _):
            return Verdict(codes: [.diskFull], mayBeGranted: true)
        case (.committing, .folder, .synchronize):
            return Verdict(codes: [.diskFull], standing: .poisoned)
        case (.compacting, .new, .lock), (.compacting, .new, .map),
            (.compacting, .new, .remove):
            // Releasing a lock that closing the file releases too, or a map that the next writer creates.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.opening, .new, _):
            // The leftover of an interrupted compaction is removed later.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.compacting, .new, _):
            return Verdict(codes: plain)
        // The control file.
        case (.opening, .control, .lock):
            return Verdict(codes: plain, mayBeGranted: true)
        case (.opening, .control, _):
            return Verdict(codes: plain)
        case (.compacting, .control, .inspect):
            // The check that the compacted file is still in place.
            return Verdict(codes: plain)
        case (.closing, .control, .lock):
            // Closing the file releases the lock in any case.
            return Verdict(codes: [], mayBeGranted: true)
        default:
            return nil
        }
    }
}
