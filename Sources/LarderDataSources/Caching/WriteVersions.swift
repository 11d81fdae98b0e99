import LarderCore
import Synchronization

/// Write counters that detect whether a key was written during a read.
///
/// A cache uses these counters to avoid replacing a newer value with an older one.
///
/// Before a reader calls the source, the reader takes a ``Stamp``, which is a snapshot of the counters. The reader caches the result only
/// if ``isUndisturbed(since:)`` returns `true` for that stamp.
///
/// Keys share a fixed number of counters, so memory use does not depend on the number of keys. If two keys share a counter, a write to one
/// key can prevent a valid value for the other key from being cached. A stale value is never stored.
final class WriteVersions: Sendable {
    /// A snapshot of the write counters, taken before a read.
    struct Stamp: Hashable, Sendable {
        fileprivate let places: Places
        fileprivate let count: Count
    }

    /// The number of writes that have started and the number that have finished.
    fileprivate struct Count: Hashable, Sendable {
        var begun: UInt64 = 0
        var ended: UInt64 = 0

        static func + (left: Count, right: Count) -> Count {
            Count(begun: left.begun + right.begun, ended: left.ended + right.ended)
        }
    }

    /// The indexes of the write counters for the keys that a query selects.
    fileprivate enum Places: Hashable, Sendable {
        case one(Int)
        case several([Int])
        /// All counters, for a query that selects all keys or whose keys are unknown.
        case all
    }

    private struct State {
        var counts = [Count](repeating: Count(), count: WriteVersions.size)
        /// The counts of writes to all keys or to unknown keys.
        var everywhere = Count()
        /// The counts of all writes.
        var total = Count()

        func count(at places: Places) -> Count {
            switch places {
            // Counters never decrease, so a sum is unchanged only if each of its terms is unchanged.
            case .one(let place): everywhere + counts[place]
            case .several(let places): places.reduce(everywhere) { $0 + counts[$1] }
            case .all: total
            }
        }

        mutating func advance(_ counter: WritableKeyPath<Count, UInt64>, at places: Places) {
            total[keyPath: counter] += 1
            switch places {
            case .one(let place): counts[place][keyPath: counter] += 1
            case .several(let places): for place in places { counts[place][keyPath: counter] += 1 }
            case .all: everywhere[keyPath: counter] += 1
            }
        }
    }

    private static let size = 256
    private let state = Mutex(State())

    /// Returns a snapshot of the write counters for the selected keys.
    ///
    /// Take the snapshot before a read. Pass `nil` if the keys are unknown.
    func stamp(of selection: StoreSelection?) -> Stamp {
        let places = Self.places(of: selection)
        return Stamp(places: places, count: state.withLock { $0.count(at: places) })
    }

    /// Returns `true` if no write to the keys of `stamp` has been in progress since `stamp` was taken.
    func isUndisturbed(since stamp: Stamp) -> Bool {
        stamp.count.begun == stamp.count.ended
            && state.withLock { $0.count(at: stamp.places) }.begun == stamp.count.begun
    }

    /// Registers the start of a write to the selected keys.
    ///
    /// Call ``Write/end()`` when the write has finished. Pass `nil` if the keys are unknown.
    func beginWrite(to selection: StoreSelection?) -> Write {
        let places = Self.places(of: selection)
        let (before, after) = state.withLock { state in
            let before = state.count(at: places)
            state.advance(\.begun, at: places)
            return (before, state.count(at: places))
        }
        return Write(versions: self, places: places, count: after, beganAlone: before.begun == before.ended)
    }

    /// A write in progress.
    ///
    /// The write ends with ``end()``, or when this object is released, for example after a cancellation.
    final class Write: Sendable {
        private let versions: WriteVersions
        private let places: Places
        private let count: Count
        private let beganAlone: Bool
        private let hasEnded = Atomic(false)

        fileprivate init(versions: WriteVersions, places: Places, count: Count, beganAlone: Bool) {
            self.versions = versions
            self.places = places
            self.count = count
            self.beganAlone = beganAlone
        }

        /// Whether no other write to the same keys has been in progress since this write began.
        ///
        /// If this property is `false`, the order in which the source carried out the writes is unknown.
        var isAlone: Bool {
            beganAlone && versions.state.withLock { $0.count(at: places) }.begun == count.begun
        }

        /// Registers the end of the write, whether it succeeded or failed.
        ///
        /// Later calls have no effect.
        func end() {
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            versions.state.withLock { $0.advance(\.ended, at: places) }
        }

        deinit { end() }
    }

    private static func places(of selection: StoreSelection?) -> Places {
        switch selection {
        case .key(let key)?: .one(place(of: key))
        case .keys(let keys)?: .several(keys.map(place))
        case .all?, nil: .all
        }
    }

    private static func place(of key: String) -> Int {
        var hasher = Hasher()
        StoreKey(key).hash(into: &hasher)
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(size))
    }
}
