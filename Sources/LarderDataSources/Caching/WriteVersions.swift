import LarderCore
import Synchronization

/// Write counters that detect whether a key was written during a read.
///
/// A reader takes a ``Stamp`` before it calls the source, and caches the result only if ``isUndisturbed(since:)`` returns `true` for that
/// stamp. Otherwise, an older value could replace a newer one in the cache.
///
/// Keys share a fixed number of counters. A write to one key can therefore prevent a valid value of another key from being cached, but a
/// stale value is never cached.
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
        /// The counters for writes to all keys or to unknown keys.
        var everywhere = Count()
        /// The counters for all writes.
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

    /// Returns `true` if no write to the stamp's keys was in progress when the stamp was taken, and none has started since.
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

        /// Whether no other write to the same keys has overlapped with this write.
        ///
        /// If this property is `false`, the source may have applied the overlapping writes in any order.
        var isAlone: Bool {
            beganAlone && versions.state.withLock { $0.count(at: places) }.begun == count.begun
        }

        /// Marks the write as finished, whether it succeeded or failed.
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
