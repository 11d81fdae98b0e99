public import LarderCore
import Synchronization

/// Says, for as long as it is held, that a data source keeps its values in a place of a store.
///
/// Two claims of one store whose places overlap are reported, once for each pair of places. A claim holds the store's issue channel and
/// not the store.
final class PlaceClaim: Sendable {
    /// Where a source keeps its values.
    enum Place: Hashable {
        /// Behind a prefix, the dot included.
        case prefix(String)
        /// In a dictionary under one key.
        case key(String)
    }

    /// Which store it is, as long as its channel is held.
    private struct StoreIdentity: Hashable {
        let channel: ObjectIdentifier
        let type: ObjectIdentifier
        /// Of a store that is a value and may be one of several views of another.
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

/// A place that lies within another.
struct OverlappingPlaces: Hashable {
    let outer: PlaceClaim.Place
    let inner: PlaceClaim.Place

    var issue: LarderIssue {
        LarderIssue(
            .overlappingPrefixes,
            "Two data sources of one store overlap: reading or deleting everything of the source with \(outer.name) reaches the values of the source with \(inner.name). Give them other prefixes, or keep them apart with DeviceStorageType.escapedPrefix."
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

    /// The prefixes that this place lies behind, its own not among them.
    fileprivate var outerPrefixes: [Self] {
        let bytes = text.utf8
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
            .map { .prefix(String(text[...$0])) }
            .filter { $0 != self }
    }
}

/// The places that the sources of one store have now.
private struct ClaimedPlaces {
    /// How many sources have each.
    private var counts: [PlaceClaim.Place: Int] = [:]
    /// The claimed places behind a prefix, whether that is claimed or not.
    private var inner: [PlaceClaim.Place: Set<PlaceClaim.Place>] = [:]
    private var reported: Set<OverlappingPlaces> = []

    var isEmpty: Bool { counts.isEmpty }

    /// - Returns: The overlaps with places that are there, those that were returned before not among them.
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
    /// Two data sources of one store have prefixes one of which lies within the other; see ``DeviceStorageType/prefix(_:)``.
    public static let overlappingPrefixes = LarderIssue.Code("overlappingPrefixes")
}
