import LarderCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time of the engine, as far as it is known here.
final class EngineClock: Sendable {
    private struct State {
        /// The last time that the engine has told.
        var instant: ReplicationInstant?
        /// The monotonic time here when the engine was last heard.
        var heard: Duration?
        var wall: Int64?
        /// The monotonic time here when the engine was last heard, or what other processes have heard was last looked up.
        var updated: Duration?
    }

    private let state = Mutex(State())
    let time: any TimeSource

    init(_ time: any TimeSource) { self.time = time }

    /// The last time that the engine has told, which is a lower bound of its time now.
    var known: ReplicationInstant? { state.withLock(\.instant) }

    /// The engine's time now, carried forward from the last contact, or the wall clock before the first one.
    var now: ReplicationInstant {
        let (monotonic, wall) = (time.monotonic, wall)
        return state.withLock { state in
            guard let instant = state.instant else { return ReplicationInstant(milliseconds: wall) }
            // After a restart only the wall clock tells how much time has passed; it may have been set back.
            let passed =
                if let heard = state.heard {
                    Int64((monotonic - heard) / .milliseconds(1))
                } else {
                    max(0, wall - (state.wall ?? wall))
                }
            return ReplicationInstant(milliseconds: instant.milliseconds + passed)
        }
    }

    /// The time that has passed since this process, or an earlier one, last heard the engine, or `nil` if none ever did.
    var silence: Duration? {
        let (monotonic, wall) = (time.monotonic, wall)
        return state.withLock { state in
            if let heard = state.heard { return monotonic - heard }
            return state.wall.map { .milliseconds(max(0, wall - $0)) }
        }
    }

    /// The wall clock of this machine when the engine was last heard, in milliseconds since 1970.
    var lastContact: Int64? { state.withLock(\.wall) }

    /// The wall clock of this machine, in milliseconds since 1970.
    var wall: Int64 { Int64(time.now.timeIntervalSince1970 * 1000) }

    /// Notes that the engine has told its time.
    func hear(_ instant: ReplicationInstant) {
        let (now, wall) = (time.monotonic, wall)
        state.withLock { state in
            state.instant = instant
            state.heard = now
            state.wall = wall
            state.updated = now
        }
    }

    /// Returns whether what other processes have heard should be looked up, because nothing is known here, or nothing new for a while.
    func isOutdated(after limit: Duration) -> Bool {
        let now = time.monotonic
        return state.withLock { state in
            guard state.instant != nil, let updated = state.updated else { return true }
            return now - updated >= limit
        }
    }

    /// Notes that an earlier process, or another one, has heard the engine.
    func restore(_ cursor: ReplicaCursor) {
        let now = time.monotonic
        state.withLock { state in
            state.updated = now
            guard state.instant.map({ $0 < cursor.instant }) ?? true else { return }
            state.instant = cursor.instant
            state.wall = cursor.clock
            state.heard = nil
        }
    }
}
