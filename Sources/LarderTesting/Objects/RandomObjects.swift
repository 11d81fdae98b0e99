#if Objects
internal import Foundation
internal import LarderObjects

/// A generator that fills a storage with random objects.
///
/// Attribute values include edge cases and duplicates.
struct RandomObjects {
    private var numbers: SeededGenerator

    init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &numbers) }

    static let texts = [
        "", "a", "A", "ab", "é", "e\u{301}", "É", "x\u{302}y", "🇫🇷", "👩‍👩‍👧", "a\r\nb", "50%", "a_b", "\u{0}a", "ß", "SS",
        "'; DROP TABLE x; --", "\"", "10", "9", "Zoë", "İ", "ﬁ", "a b",
    ]
    static let integers: [Int64] = [0, 1, -1, 2, 3, 7, 100, .max, .min]
    static let reals: [Double] = [0, 0.1, -0.25, 1, 1e300, -.infinity, .infinity, 3]
    static let decimals = ["0", "0.1", "-1.5", "10", "9", "99999999999999999999.5"]

    /// Returns candidate values for an attribute in their stored form, including edge cases.
    static func values(_ attribute: AttributeDescription) -> [ColumnValue] {
        var values: [ColumnValue] = []
        switch attribute.format.name {
        case "string": values = texts.map(\.columnValue)
        case "url": values = ["a:b", "https://a.example/x?y=z", "file:///"].map(\.columnValue)
        case "float": values = [0, 0.5, -0.25, 1, .infinity, 3].map { ColumnValue.real($0) }
        case "double", "date": values = reals.map(\.columnValue)
        case "bool": values = [false, true].map(\.columnValue)
        case "decimal":
            values = decimals.compactMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX"))?.columnValue }
        case "data": values = [Data(), Data([0]), Data([255, 0]), Data("a".utf8)].map(\.columnValue)
        case "uuid":
            values = (0..<3).compactMap { UUID(uuidString: "00000000-0000-0000-0000-00000000000\($0)")?.columnValue }
        case "json": values = ["[]", "[\"a\"]", "[1]", "[\"a\",\"é\"]", "{}"].map { .text($0) }
        case "uint64": values = [0, 1, UInt64.max, 1 << 63].map(\.columnValue)
        default: values = integers.map(\.columnValue)
        }
        // A default that can't be stored is skipped here. Saving it reports the error.
        if let made = try? attribute.makeDefault?() { values.append(made) }
        func cases<Cases: CaseIterable>(_ type: Cases.Type) -> [ColumnValue] {
            type.allCases.compactMap { attribute.encode($0) }
        }
        if let type = attribute.valueType as? any CaseIterable.Type { values += cases(type) }
        values = values.filter { value in
            if case .null = value { return false }
            return attribute.canDecode(value)
        }
        if attribute.isOptional { values += [.null, .null] }
        return values
    }

    mutating func fill(_ storage: any WritableStorageType, _ types: [any Object.Type], count: Int) throws {
        for type in types { try insert(type, count, storage) }
        for type in types { try link(type, storage) }
    }

    /// Inserts, changes and deletes random objects in a storage, without saving.
    mutating func change(_ storage: any WritableStorageType, _ types: [any Object.Type]) throws {
        for type in types {
            try insert(type, 2, storage)
            try scatter(type, storage)
        }
        for type in types { try link(type, storage) }
    }

    private mutating func insert<T: Object>(_ type: T.Type, _ count: Int, _ storage: any WritableStorageType) throws {
        for _ in 0..<count { set(try storage.insertNewObject(ofType: type)) }
    }

    private mutating func scatter<T: Object>(_ type: T.Type, _ storage: any WritableStorageType) throws {
        for object in try storage.allObjects(ofType: type) where number(below: 3) == 0 { set(object) }
    }

    private mutating func set<T: Object>(_ object: T) {
        for (place, attribute) in T.entityDescription.attributes.enumerated() {
            if attribute.isUnique || T.entityDescription.uniqueConstraints.joined().contains(attribute.name) {
                // A unique value is derived from the object's own id.
                let id = object.objectID.rowID
                for value: ColumnValue in [.integer(id), .text("\(id)")] where attribute.canDecode(value) {
                    object.objectState.setStored(place, value)
                    break
                }
                continue
            }
            let values = Self.values(attribute)
            guard !values.isEmpty else { continue }
            object.objectState.setStored(place, values[number(below: values.count)])
        }
    }

    /// Sets random relationships between objects, from either side.
    private mutating func link<T: Object>(_ type: T.Type, _ storage: any WritableStorageType) throws {
        for (place, relationship) in T.entityDescription.relationships.enumerated() {
            try link(type, place, relationship, to: relationship.destination, storage)
        }
    }

    private mutating func link<T: Object, Other: Object>(
        _ type: T.Type,
        _ place: Int,
        _ relationship: RelationshipDescription,
        to other: Other.Type,
        _ storage: any WritableStorageType
    ) throws {
        let others = try storage.allObjects(ofType: other)
        for object in try storage.allObjects(ofType: type) where number(below: 2) == 0 && !others.isEmpty {
            let count = relationship.cardinality == .many ? number(below: 4) : 1
            let chosen = (0..<count).map { _ in others[number(below: others.count)] }
            object.objectState.setMany(place, chosen)
        }
    }
}
#endif
