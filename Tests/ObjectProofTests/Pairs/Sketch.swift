#if Objects
import LarderObjects

/// The tests' own description of a model.
///
/// Entities, attributes and relationships have identities that do not change when they are renamed.
struct Sketch: Sendable {
    struct Attribute: Sendable {
        let id: Int
        var name: String
        var was: [String] = []
        var format: Format
        var isOptional: Bool
        var isUnique = false
        var isIndexed = false
        var isSearchable = false
        var isInexact = false
        var keeping: KeptObject?
        var initial: Value?
        var replacement: Value?
    }

    struct Entity: Sendable {
        let id: Int
        var name: String
        var was: [String] = []
        var attributes: [Attribute] = []
        /// The unique constraints, each a group of attribute ids.
        var unique: [[Int]] = []
        var indexes: [[Int]] = []
        var dropping: [String] = []
        var keeping: KeptObject?

        func attribute(_ id: Int) -> Attribute? { attributes.first { $0.id == id } }

        /// The attributes of each unique constraint, sorted by column name.
        var uniqueGroups: [[Attribute]] {
            let groups = attributes.filter(\.isUnique).map { [$0] } + unique.map { $0.compactMap(attribute) }
            var known: Set<String> = []
            return groups.map { (key: $0.map(\.name).joined(separator: "\0"), group: $0) }
                .filter { known.insert($0.key).inserted }
                .sorted { $0.key < $1.key }
                .map(\.group)
        }
    }

    enum Cardinality: Sendable { case optionalOne, requiredOne, many }

    struct Side: Sendable {
        var entity: Int
        var name: String
        var was: [String] = []
        var cardinality: Cardinality
        var isOrdered = false
        var deleteRule = DeleteRule.nullify
        var keeping: KeptObject?
        /// Whether the side was renamed without a former name, so that only the other side identifies the pair.
        var isReplaced = false
        var isMany: Bool { cardinality == .many }
    }

    /// A relationship and its inverse.
    struct Pair: Sendable {
        let id: Int
        var sides: [Side]
        /// The side that names the inverse.
        var naming: Int
        /// The side of an earlier relationship whose name is reused by side 0 of this new relationship.
        var claim: (pair: Int, side: Int)?

        var hasJoinTable: Bool { sides[0].isMany && sides[1].isMany }
        /// The side whose table contains the column, or the source side of the join table.
        var holder: Int {
            hasJoinTable ? naming : sides[0].isMany ? 1 : sides[1].isMany ? 0 : 1 - naming
        }
    }

    var version = 1
    var entities: [Entity] = []
    var pairs: [Pair] = []
    var dropped: [String] = []
    /// The next identity, which is also the number in the next name.
    var next = 1

    mutating func makeID() -> Int {
        next += 1
        return next
    }

    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }
    func pair(_ id: Int) -> Pair? { pairs.first { $0.id == id } }
}

/// The tests' own record of a model's objects.
struct SketchRows: Sendable {
    struct Link: Hashable, Sendable {
        var ends: [Int64]
        /// For each end, the position of the other object in the end's list.
        var positions: [Int64?]
    }

    /// The non-nil values by entity, object and attribute.
    var values: [Int: [Int64: [Int: Value]]] = [:]
    /// The links by pair.
    var links: [Int: [Link]] = [:]
    var next: Int64 = 1

    func ids(_ entity: Int) -> [Int64] { (values[entity] ?? [:]).keys.sorted() }
}
#endif
