import LarderCore
import Synchronization

/// Which writes came between a read and its answer, so that an older value is never kept over a newer one.
///
/// Whoever fills a cache takes a stamp before it asks the source, and asks ``isUndisturbed(since:)`` before it keeps the answer.
///
/// Keys share a fixed number of counters: it takes the same room however many keys there are. Two keys that share one cost a
/// cache an answer it could have kept, never a wrong one.
final class WriteVersions: Sendable {
    /// The writes that had begun and ended when a read began.
    struct Stamp: Hashable, Sendable {
        fileprivate let places: Places
        fileprivate let count: Count
    }

    /// How many writes have begun and ended.
    fileprivate struct Count: Hashable, Sendable {
        var begun: UInt64 = 0
        var ended: UInt64 = 0

        static func + (left: Count, right: Count) -> Count {
            Count(begun: left.begun + right.begun, ended: left.ended + right.ended)
        }
    }

    /// The counters of a query's keys.
    fileprivate enum Places: Hashable, Sendable {
        case one(Int)
        case several([Int])
        /// Every key, or keys nobody knows.
        case all
    }

    private struct State {
        var counts = [Count](repeating: Count(), count: WriteVersions.size)
        /// The writes to keys nobody knows.
        var everywhere = Count()
        /// Every write.
        var total = Count()

        func count(at places: Places) -> Count {
            switch places {
            // No counter ever falls, so a sum stays the same only where each of its parts does.
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

    /// What a read notes before it asks the source; for `nil` nobody knows which keys it reads.
    func stamp(of selection: StorageSelection?) -> Stamp {
        let places = Self.places(of: selection)
        return Stamp(places: places, count: state.withLock { $0.count(at: places) })
    }

    /// Whether no write to the same keys was under way at `stamp` and none has begun since.
    func isUndisturbed(since stamp: Stamp) -> Bool {
        stamp.count.begun == stamp.count.ended
            && state.withLock { $0.count(at: stamp.places) }.begun == stamp.count.begun
    }

    /// Says that a write begins, which ends with ``Write/end()``; for `nil` nobody knows which keys it writes.
    func beginWrite(to selection: StorageSelection?) -> Write {
        let places = Self.places(of: selection)
        let (before, after) = state.withLock { state in
            let before = state.count(at: places)
            state.advance(\.begun, at: places)
            return (before, state.count(at: places))
        }
        return Write(versions: self, places: places, count: after, beganAlone: before.begun == before.ended)
    }

    /// A write under way.
    ///
    /// A write that is cancelled runs none of its closures; when they are released, so is this, and the write counts as ended.
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

        /// Whether no other write to the same keys was under way when it began, and none has begun since.
        ///
        /// Otherwise nobody knows which of them the source did last.
        var isAlone: Bool {
            beganAlone && versions.state.withLock { $0.count(at: places) }.begun == count.begun
        }

        /// Says that the write is over, whatever came of it; later calls do nothing.
        func end() {
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            versions.state.withLock { $0.advance(\.ended, at: places) }
        }

        deinit { end() }
    }

    private static func places(of selection: StorageSelection?) -> Places {
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
