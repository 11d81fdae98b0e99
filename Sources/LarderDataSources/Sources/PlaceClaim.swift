public import LarderCore
import Synchronization

/// A registration of the keys that a data source uses in a store.
///
/// The registration ends when this object is released.
///
/// If the keys of two data sources in one store overlap, an issue is reported once for each pair of overlapping locations. The registration
/// retains the store's issue channel, but not the store.
final class PlaceClaim: Sendable {
    /// The location of a data source's values in a store.
    enum Place: Hashable {
        /// The keys that begin with the associated prefix, which ends with a dot.
        case prefix(String)
        /// The dictionary that is stored under one key.
        case key(String)
    }

    /// The identity of a store, which is valid as long as the store's issue channel is retained.
    private struct StoreIdentity: Hashable {
        let channel: ObjectIdentifier
        let type: ObjectIdentifier
        /// The inspection name of a store that is a value type, or `nil` for a store that is a class.
        ///
        /// The name distinguishes different views of one store, such as views with different prefixes.
        let name: String?

        init(_ store: any KeyValueStore) {
            let type = Swift.type(of: store)
            channel = ObjectIdentifier(store.issues)
            self.type = ObjectIdentifier(type)
            name = type is AnyClass ? nil : store.inspectionName
        }
    }

    private static let claimed = Mutex<[StoreIdentity: ClaimedPlaces]>([:])

    private let channel: IssueChannel
    private let store: StoreIdentity
    private let place: Place

    init(_ place: Place, in store: any KeyValueStore) {
        channel = store.issues
        let identity = StoreIdentity(store)
        self.store = identity
        self.place = place
        let overlaps = Self.claimed.withLock { $0[identity, default: ClaimedPlaces()].add(place) }
        for overlap in overlaps { channel.report(overlap.issue) }
    }

    deinit {
        Self.claimed.withLock { claimed in
            claimed[store]?.remove(place)
            if claimed[store]?.isEmpty == true { claimed[store] = nil }
        }
    }
}

/// Two data source locations in one store, where the outer location includes all keys of the inner location.
struct OverlappingPlaces: Hashable {
    let outer: PlaceClaim.Place
    let inner: PlaceClaim.Place

    var issue: LarderIssue {
        LarderIssue(
            .overlappingPrefixes,
            "Reading or deleting all values of the data source with \(outer.name) includes the values of the data source with \(inner.name) because their keys overlap. Give them different prefixes, or use `DeviceStorageType.escapedPrefix`."
        )
    }
}

extension PlaceClaim.Place {
    fileprivate var text: String {
        switch self {
        case .prefix(let text), .key(let text): text
        }
    }

    fileprivate var name: String {
        switch self {
        case .prefix(let prefix): "the prefix \(String(prefix.dropLast()).debugDescription)"
        case .key(let key): "the root key \(key.debugDescription)"
        }
    }

    /// The prefixes of the enclosing locations, each ending with a dot.
    fileprivate var outerPrefixes: [Self] {
        let bytes = text.utf8
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
            .map { .prefix(String(text[...$0])) }
            .filter { $0 != self }
    }
}

/// The locations that existing data sources use in one store.
private struct ClaimedPlaces {
    /// The number of data sources that use each location.
    private var counts: [PlaceClaim.Place: Int] = [:]
    /// The locations in use, keyed by every enclosing prefix, whether or not a data source uses that prefix.
    private var inner: [PlaceClaim.Place: Set<PlaceClaim.Place>] = [:]
    private var reported: Set<OverlappingPlaces> = []

    var isEmpty: Bool { counts.isEmpty }

    /// Registers a data source that uses the location `place`.
    ///
    /// - Returns: The overlaps with other locations in use that no earlier call has returned.
    mutating func add(_ place: PlaceClaim.Place) -> [OverlappingPlaces] {
        counts[place, default: 0] += 1
        guard counts[place] == 1 else { return [] }
        let outer = place.outerPrefixes
        for prefix in outer { inner[prefix, default: []].insert(place) }
        let overlaps =
            outer.filter { counts[$0] != nil }.map { OverlappingPlaces(outer: $0, inner: place) }
            + (inner[place] ?? []).map { OverlappingPlaces(outer: place, inner: $0) }
        return overlaps.filter { reported.insert($0).inserted }
    }

    mutating func remove(_ place: PlaceClaim.Place) {
        guard let count = counts[place] else { return }
        guard count == 1 else { return counts[place] = count - 1 }
        counts[place] = nil
        for prefix in place.outerPrefixes {
            inner[prefix]?.remove(place)
            if inner[prefix]?.isEmpty == true { inner[prefix] = nil }
        }
    }
}

extension LarderIssue.Code {
    /// Two data sources in one store use overlapping prefixes; see ``DeviceStorageType/prefix(_:)``.
    public static let overlappingPrefixes = LarderIssue.Code("overlappingPrefixes")
}
