#if Objects
/// Data that a migration loses, or would lose if the model allowed it.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
    /// The type of data that is lost.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// All objects of an entity that the model does not contain.
        case entity
        /// The values of an attribute that the model does not contain.
        case attribute
        /// The links of a relationship that the model doesn't contain.
        case relationship
        /// The order of a relationship that is no longer ordered.
        case order
        /// Values that can't be converted to an attribute's new type.
        case value
        /// Values that an attribute's new type can't represent exactly.
        case inexactValue
        /// Missing values of a property that is no longer optional.
        case missingValue
        /// Objects with duplicate values of a property that becomes unique.
        case duplicate
        /// All but one of an object's links, when a relationship becomes to-one.
        case link
    }

    /// The type of data that is lost.
    public let kind: Kind
    /// The entity's name in the model, or its name in the database if the model does not contain the entity.
    public let entity: String
    /// The name of the property, the comma-separated names of a constraint's properties, or `nil` if an entire entity is lost.
    public let property: String?
    /// The number of lost values, objects or links, or `nil` if the number is known only after the migration.
    public let count: Int?
    /// The ids of up to five affected objects.
    public let objectIDs: [ObjectID]
    /// Whether the model allows a migration to lose this data.
    public let isAllowed: Bool
    /// The declaration that allows this loss, such as `@Entity(dropping: ["fax"])`.
    public let remedy: String

    /// A copy of this loss, marked as allowed by the model.
    var allowed: MigrationLoss {
        MigrationLoss(
            kind: kind,
            entity: entity,
            property: property,
            count: count,
            objectIDs: objectIDs,
            isAllowed: true,
            remedy: remedy
        )
    }

    /// A one-line description of the loss, with the property, the number of lost items, the first object ids and the remedy.
    public var description: String { "\(summary). Write \(remedy)." }

    /// A one-line description of the loss, without the remedy.
    package var summary: String {
        let place = property.map { "\(entity).\($0)" } ?? entity
        let first = objectIDs.map(\.description).joined(separator: ", ")
        let more = objectIDs.isEmpty ? "" : " (first: \(first)\((count ?? 0) > objectIDs.count ? ", ..." : ""))"
        return "\(place): \(subject) \(consequence)\(more)"
    }

    private var subject: String {
        let noun =
            switch kind {
            case .entity, .duplicate: "object"
            case .relationship, .link: "link"
            case .order: "order"
            case .attribute, .value, .inexactValue: "value"
            case .missingValue: "missing value"
            }
        guard let count else { return "an unknown number of \(noun)s" }
        return "\(count.formatted) \(noun)\(count == 1 ? "" : "s")"
    }

    private var consequence: String {
        switch kind {
        case .entity, .attribute, .relationship, .order, .link: "would be dropped"
        case .value: "can't be read as the new type"
        case .inexactValue: "would be changed to the nearest value"
        case .missingValue: "must be replaced"
        case .duplicate: "would be deleted as duplicates"
        }
    }
}

extension Int {
    /// The number with commas as thousands separators, independent of the locale.
    fileprivate var formatted: String {
        var groups: [Substring] = []
        var digits = Substring(String(magnitude))
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (self < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
#endif
