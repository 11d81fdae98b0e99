#if Objects
internal import LarderCore

/// The condition that selects the related objects of one object.
struct RelatedObjects {
    /// The condition on the rows of the related entity.
    let condition: String
    /// The SQL of the position in an ordered relationship, or `nil` if the relationship has no order.
    let position: String?

    /// Looks up a relation.
    ///
    /// - Parameters:
    ///   - relation: The relation.
    ///   - source: The table of the related entity.
    ///   - translator: The translator to which the key is bound.
    /// - Throws: `InspectionQueryError` if the relationship does not exist or leads to another entity.
    init(
        _ relation: InspectionQuery.Relation,
        to source: FilterTranslator.Source,
        _ translator: inout FilterTranslator
    ) throws {
        let owner = try translator.schema.inspected(relation.table)
        guard let relationship = owner.relationships.first(where: { $0.name == relation.relationship }) else {
            let nearest = NearestName.of(relation.relationship, in: owner.relationships.map(\.name))
            throw InspectionQueryError(
                "\(owner.name) has no relationship \(relation.relationship). Choose \(nearest ?? "another one")."
            )
        }
        guard relationship.destination == source.entity.name else {
            throw InspectionQueryError(
                "\(owner.name).\(relationship.name) leads to \(relationship.destination), not to \(source.entity.name). "
                    + "Choose the table \(relationship.destination)."
            )
        }
        guard let key = Int64(relation.key) else {
            throw InspectionQueryError("\"\(relation.key)\" is not the key of an object. Use a number, such as 12.")
        }
        let parameter = translator.bind(.integer(key))
        let keyColumn = ResolvedEntity.quotedKeyColumn
        if let join = relationship.joinTable {
            let isSource = join == "\(owner.name).\(relationship.name)"
            let (own, other) = isSource ? ("source", "target") : ("target", "source")
            let links = "main.\(join.quotedIdentifier) WHERE \"\(own)\" = \(parameter)"
            condition = "\(source.key) IN (SELECT \"\(other)\" FROM \(links))"
            position =
                relationship.isOrdered
                ? "(SELECT \"\(own)Position\" FROM \(links) AND \"\(other)\" = \(source.key))" : nil
        } else if owner.column(relationship.name)?.format == "reference" {
            let reference = relationship.name.quotedIdentifier
            condition =
                "\(source.key) = (SELECT \(reference) FROM main.\(owner.name.quotedIdentifier) WHERE \(keyColumn) = \(parameter))"
            position = nil
        } else {
            let place = relationship.inverse + ".position"
            condition = "\(source.column(relationship.inverse)) = \(parameter)"
            position = source.entity.column(place)?.format == "position" ? source.column(place) : nil
        }
    }
}
#endif
