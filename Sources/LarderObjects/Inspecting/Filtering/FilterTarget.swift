#if Objects
internal import LarderCore

/// What a path in a filter refers to.
struct FilterTarget {
    /// A relationship along which the path leads.
    struct Link {
        let relationship: SchemaDescription.Relationship
        let owner: SchemaDescription.Entity
        let destination: SchemaDescription.Entity

        var isToMany: Bool { relationship.cardinality == "many" }
    }

    /// The end of a path, which belongs to the object after the last link.
    enum End {
        /// The primary key.
        case key(entity: String)
        case column(SchemaDescription.Column)
        /// The number of characters of a string.
        case length(SchemaDescription.Column)
        /// Whether a string or data is empty.
        case isEmptyValue(SchemaDescription.Column)
        /// The number of related objects.
        case count(Link)
        /// Whether there are no related objects.
        case isEmpty(Link)
    }

    var links: [Link] = []
    var end: End
    /// The path as typed, for messages.
    let text: String
    let place: Range<Int>

    /// The number of links up to and including the last one to many objects.
    ///
    /// Any of these objects may satisfy a condition.
    var indexAfterLastToMany: Int { (links.lastIndex { $0.isToMany } ?? -1) + 1 }
}

extension SchemaDescription {
    /// Looks up the names of a path.
    ///
    /// - Parameters:
    ///   - path: The path. Its call is ignored.
    ///   - entity: The entity to whose objects the path belongs.
    /// - Returns: What the path refers to.
    /// - Throws: `InspectionQueryError` that names the nearest property if a name is wrong.
    func target(of path: FilterPath, from entity: Entity) throws -> FilterTarget {
        var (entity, links) = (entity, [FilterTarget.Link]())
        let text = path.steps.map(\.name).joined(separator: ".")
        let start = path.place.lowerBound
        let place = start..<(path.steps.last?.place.upperBound ?? start)
        func target(_ end: FilterTarget.End) -> FilterTarget {
            FilterTarget(links: links, end: end, text: text, place: place)
        }
        for (index, step) in path.steps.enumerated() {
            let rest = path.steps[(index + 1)...]
            if let column = entity.attributes.first(where: { $0.name == step.name }) {
                return target(try end(of: column, rest, step))
            }
            if let relationship = entity.relationships.first(where: { $0.name == step.name }) {
                let related = try self.related(relationship)
                let link = FilterTarget.Link(relationship: relationship, owner: entity, destination: related)
                if let next = rest.first, link.isToMany, related.hasNoProperty(next.name), rest.count == 1 {
                    if next.name == "count" { return target(.count(link)) }
                    if next.name == "isEmpty" { return target(.isEmpty(link)) }
                }
                if rest.isEmpty {
                    if link.isToMany { throw FilterTarget.severalObjects(step) }
                    if let column = entity.column(step.name), column.format == "reference" {
                        return target(.column(column))
                    }
                    // The reference is in the other table.
                    links.append(link)
                    return target(.key(entity: related.name))
                }
                links.append(link)
                entity = related
                continue
            }
            if step.name == ResolvedEntity.keyColumn || step.name == "id" {
                if let next = rest.first { throw FilterTarget.noProperty(next, of: "A key") }
                return target(.key(entity: entity.name))
            }
            throw FilterTarget.unknown(step, entity, isFirst: index == 0)
        }
        throw InspectionQueryError("A property is missing. Type for example name == \"Ada\".", at: path.place)
    }

    private func related(_ relationship: Relationship) throws -> Entity {
        if let entity = entity(relationship.destination) { return entity }
        throw InspectionQueryError("The model has no entity \(relationship.destination). Filter by other properties.")
    }

    /// Returns the end of a path whose last property is an attribute, which `count` or `isEmpty` may follow.
    private func end(
        of column: Column,
        _ rest: ArraySlice<FilterPath.Step>,
        _ step: FilterPath.Step
    ) throws -> FilterTarget.End {
        guard let next = rest.first else { return .column(column) }
        let isText = ["string", "url"].contains(column.format)
        if rest.count == 1, next.name == "isEmpty", isText || column.format == "data" { return .isEmptyValue(column) }
        if rest.count == 1, next.name == "count", isText { return .length(column) }
        if rest.count == 1, next.name == "rawValue" { return .column(column) }
        throw FilterTarget.noProperty(next, of: step.name)
    }
}

extension SchemaDescription.Entity {
    fileprivate func hasNoProperty(_ name: String) -> Bool {
        !attributes.contains { $0.name == name } && !relationships.contains { $0.name == name }
    }

    /// The names that a path may contain, in display order.
    var pathNames: [String] { attributes.map(\.name) + relationships.map(\.name) }
}

extension FilterTarget {
    private static let listed = 12

    fileprivate static func noProperty(_ step: FilterPath.Step, of owner: String) -> InspectionQueryError {
        InspectionQueryError("\(owner) has no property \(step.name). Remove .\(step.name).", at: step.place)
    }

    fileprivate static func severalObjects(_ step: FilterPath.Step) -> InspectionQueryError {
        InspectionQueryError(
            "\(step.name) has several objects. Type \(step.name).count > 0, \(step.name).isEmpty or a property of theirs.",
            at: step.place
        )
    }

    /// Returns the error for a name that the entity lacks.
    static func unknown(
        _ step: FilterPath.Step,
        _ entity: SchemaDescription.Entity,
        isFirst: Bool
    ) -> InspectionQueryError {
        let problem = "\(entity.name) has no property \(step.name)."
        if isFirst, step.name.lowercased() == "null" {
            return InspectionQueryError("\(problem) Type nil for a missing value.", at: step.place)
        }
        if isFirst, step.name.lowercased() == "not" {
            return InspectionQueryError("\(problem) Type ! for a negation.", at: step.place)
        }
        let names = entity.pathNames
        if let nearest = NearestName.of(step.name, in: names + [ResolvedEntity.keyColumn]) {
            return InspectionQueryError("\(problem) Type \(nearest) instead.", at: step.place)
        }
        let list = names.prefix(listed).joined(separator: ", ") + (names.count > listed ? " and others" : "")
        return InspectionQueryError(
            "\(problem) Type \(names.isEmpty ? ResolvedEntity.keyColumn : "one of \(list)"), or quotation marks around a string.",
            at: step.place
        )
    }
}
#endif
