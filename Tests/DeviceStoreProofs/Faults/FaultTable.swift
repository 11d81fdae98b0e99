import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// What "Faults" of the format document says of calls to the disk that fail, as a table: of each call of a store, each file beside it
/// and each operation.
///
/// A call that is not in it must not fail unnoticed: it is a problem of the table, or of the store that makes it.
struct FaultTable {
    /// What is asked of a store.
    enum Request: String, CaseIterable {
        case opening, committing, committingSynced, compacting, flushing, closing

        static let commits: Set<Request> = [.committing, .committingSynced]
        static let syncs: Set<Request> = [.committingSynced, .flushing, .closing]
    }

    /// Which file, or folder, an operation fails on.
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

    /// What becomes of the store.
    enum Standing {
        /// The next call works as if nothing had happened.
        case usable
        /// It can be read; whatever writes throws `closed` in every process, until the store is opened again, which then writes
        /// everything into another file.
        case poisoned
    }

    struct Verdict {
        /// What may be thrown.
        var codes: Set<StoreError.Code>
        /// Whether the request may be granted nevertheless.
        var mayBeGranted = false
        /// What becomes of the store when it was not.
        var standing = Standing.usable
    }

    let io: DeviceStoreOptions.IO
    /// Whether a write that fails has written something.
    let leavesBytes: Bool

    /// What may come of a request during which these calls failed, in that order; `nil` when the table does not say.
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

    /// Whether a write of the log failed and then what should have wiped it out.
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
        // What the error of the disk is to the caller.
        let isFull = call.errno == ENOSPC
        let plain: Set<StoreError.Code> = isFull ? [.diskFull] : [.inputOutput]
        let poisoned = Verdict(codes: [.inputOutput], standing: .poisoned)
        switch (request, place, call.operation) {
        // The log itself.
        case (.opening, .log, .synchronize), (.opening, .folder, .synchronize):
            // Whoever opens it next writes everything into another file.
            return poisoned
        case (.opening, .log, .write) where isFull:
            // The mark, as below; but the end of a commit that was cut off must go.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.committing, .log, .write), (.committingSynced, .log, .write):
            // A mapped store writes zeros ahead of itself, and does without where it can't.
            return Verdict(
                codes: plain,
                mayBeGranted: isFull || io == .mapped,
                standing: isFull ? .usable : .poisoned
            )
        case (.committing, .log, .resize), (.committingSynced, .log, .resize):
            // Nothing has been written. What fits the reserve, or can be written without a map, is.
            return Verdict(codes: plain, mayBeGranted: isFull || io == .mapped)
        case (.committing, .log, .map), (.committingSynced, .log, .map):
            // Without a map a call writes it; pages that can't be had are a write that fails.
            return Verdict(codes: plain, mayBeGranted: true, standing: isFull ? .usable : .poisoned)
        case (.flushing, .log, .write), (.closing, .log, .write):
            // The mark: everything is on the disk, and it is stated once there is room.
            return isFull ? Verdict(codes: [], mayBeGranted: true) : poisoned
        case (.flushing, .log, .read), (.closing, .log, .read), (.committingSynced, .log, .read):
            // The header and the last commits, which must be those that are known, and the header that is to be marked.
            return poisoned
        case (.committingSynced, .log, .inspect):
            // The same; the commit is in place.
            return Verdict(codes: plain)
        case (_, .log, .lock):
            // Releasing an owner lock, or the lock of the new file, which closing the file releases as well.
            return Verdict(codes: plain, mayBeGranted: true)
        case (_, .log, .synchronize) where Request.syncs.contains(request):
            return poisoned
        case (_, .log, .read), (_, .log, .inspect), (.opening, .log, _):
            return Verdict(codes: plain)
        // Where its name stands.
        case (.compacting, .folder, .synchronize):
            return poisoned
        case (_, .folder, .synchronize) where Request.syncs.contains(request):
            return poisoned
        case (.opening, .folder, _):
            return Verdict(codes: plain)
        // A full disk makes a commit compact; what comes of that is no news.
        case (.committing, .new, _), (.committingSynced, .new, _):
            return Verdict(codes: [.diskFull], mayBeGranted: true)
        case (.committing, .folder, .synchronize):
            return Verdict(codes: [.diskFull], standing: .poisoned)
        case (.compacting, .new, .lock), (.compacting, .new, .map),
            (.compacting, .new, .remove):
            // Letting go of a lock that closing the file lets go of as well; a map that the next writer makes.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.opening, .new, _):
            // What a compaction that was cut off has left is removed another time.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.compacting, .new, .write) where io == .mapped:
            // Zeros, ahead of the commits to come.
            return Verdict(codes: plain, mayBeGranted: true)
        case (.compacting, .new, _):
            return Verdict(codes: plain)
        // What processes share.
        case (.opening, .control, .lock):
            return Verdict(codes: plain, mayBeGranted: true)
        case (.opening, .control, _):
            return Verdict(codes: plain)
        case (.compacting, .control, .inspect):
            // Whether what is compacted is in its place still.
            return Verdict(codes: plain)
        case (.closing, .control, .lock):
            // Closing the file lets go for sure.
            return Verdict(codes: [], mayBeGranted: true)
        default:
            return nil
        }
    }
}
