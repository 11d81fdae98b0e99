#if Objects
/// A migration step, inferred from two versions of a model.
///
/// Inference needs neither the model's classes nor the database.
struct InferredStep {
    let from: FrozenModel
    let to: FrozenModel
    /// The changes to each entity of the new version.
    var entities: [EntityStep] = []
    /// The stored entities without a counterpart in the new version.
    var droppedEntities: [SchemaDescription.Entity] = []
    /// The stored join tables without a counterpart in the new version.
    var droppedJoins: [String] = []
    /// The old and new names of the join tables that the step keeps.
    var joins: [(old: String, new: String)] = []
    /// The join tables that exist only in the new version.
    var newJoins: [String] = []
    /// The links that are moved to another table or column.
    var moves: [LinkMove] = []
    var slots: [ConversionSlot] = []
    var losses: [PossibleLoss] = []
    /// Descriptions of the differences between the two versions that can't be migrated automatically.
    var refusals: [String] = []

    let match: SchemaMatch

    /// Infers the migration step from one version of a model to another.
    ///
    /// - Parameters:
    ///   - from: The version to migrate from.
    ///   - to: The version to migrate to.
    ///   - isFirstFormat: Whether the database has format version 1, whose schema lacks former names and Swift types.
    ///   - isCustom: Whether the step includes a custom stage, which reads both the old and the new rows.
    init(from: FrozenModel, to: FrozenModel, isFirstFormat: Bool, isCustom: Bool = false) {
        self.from = from
        self.to = to
        match = SchemaMatch(
            from: from.schema,
            to: to.schema,
            // Format 1 does not record which renames are complete. If the versions are equal, all of them are complete.
            equalNamesFirst: isFirstFormat && from.version >= to.version
        )
        refusals = match.ambiguities
        entities = to.schema.entities.map { entity in
            let old = match.entities[entity.name].flatMap { name in from.schema.entities.first { $0.name == name } }
            return EntityStep(old: old, new: entity)
        }
        compareEntities()
        for index in entities.indices { compareAttributes(index, isFirstFormat) }
        compareRelationships()
        for index in entities.indices { compareConstraints(index) }
        if isCustom { separateRows() }
    }

    /// Keeps the old rows of changed entities until the step ends, so that the custom stage can read the old rows.
    ///
    /// Differences that can't be migrated automatically are left to the custom stage.
    private mutating func separateRows() {
        refusals = match.ambiguities
        for index in entities.indices where entities[index].work == .alter { entities[index].isSeparate = true }
    }

    /// Whether the stored tables already match the new version.
    var isEmpty: Bool {
        refusals.isEmpty && losses.isEmpty && droppedEntities.isEmpty && droppedJoins.isEmpty && newJoins.isEmpty
            && moves.isEmpty
            && joins.allSatisfy { $0.old == $0.new }
            && entities.allSatisfy { step in
                step.work == .keep && step.old?.name == step.new.name
                    && step.old.map { Set($0.indexNames) } == Set(step.new.indexNames)
            }
    }

    private mutating func compareEntities() {
        let kept = Set(match.entities.values)
        droppedEntities = from.schema.entities.filter { !kept.contains($0.name) }
        for entity in droppedEntities {
            losses.append(
                PossibleLoss(
                    kind: .entity,
                    entity: entity.name,
                    property: nil,
                    condition: .rows(table: entity.name),
                    isAllowed: to.declarations.dropped.contains(entity.name),
                    remedy: "ObjectModel(..., dropped: [\"\(entity.name)\"])"
                )
            )
        }
    }

    private mutating func compareAttributes(_ index: Int, _ isFirstFormat: Bool) {
        let step = entities[index]
        guard let old = step.old else { return }
        let entity = step.new
        var sources: [ColumnSource] = []
        for column in entity.columns {
            switch column.format {
            // Relationships are compared later, as pairs.
            case "reference", "position": sources.append(.null)
            case "folded": sources.append(folded(column, old, entity, sources))
            default:
                guard let earlier = match.attribute(column.name, of: entity.name).flatMap(old.column) else {
                    sources.append(added(column, of: entity))
                    continue
                }
                sources.append(continued(earlier, column, old, entity, isFirstFormat))
            }
        }
        entities[index].sources = sources
        let attributes = Set(entity.attributes.compactMap { match.attribute($0.name, of: entity.name) })
        let folded = Set(sources.compactMap { if case .column(let name) = $0 { name } else { nil } })
        for column in old.columns {
            switch column.format {
            case "reference", "position": continue
            case "folded": if !folded.contains(column.name) { entities[index].dropped.append(column.name) }
            default:
                guard !attributes.contains(column.name) else { continue }
                entities[index].dropped.append(column.name)
                losses.append(
                    PossibleLoss(
                        kind: .attribute,
                        entity: entity.name,
                        property: column.name,
                        condition: .notNull(table: old.name, column: column.name),
                        isAllowed: isDropping(column.name, of: entity.name),
                        remedy: "@Entity(dropping: [\"\(column.name)\"])"
                    )
                )
            }
        }
        // A converted column is written to a new column, and the old one is dropped.
        for case .converted(let name, _) in sources where !entities[index].dropped.contains(name) {
            entities[index].dropped.append(name)
        }
    }

    func isDropping(_ property: String, of entity: String) -> Bool {
        to.declarations.entities[entity]?.dropping.contains(property) ?? false
    }

    /// Returns the source of the values for an attribute's case-folded search column.
    ///
    /// If the attribute's values are unchanged, the step copies the existing search column.
    private func folded(
        _ column: SchemaDescription.Column,
        _ old: SchemaDescription.Entity,
        _ entity: SchemaDescription.Entity,
        _ sources: [ColumnSource]
    ) -> ColumnSource {
        let attribute = String(column.name.dropLast(".folded".count))
        let place = entity.columns.firstIndex { $0.name == attribute }
        // A new attribute without a default has no case-folded string.
        if let place, place < sources.count, sources[place] == .null { return .null }
        guard let place, place < sources.count, case .column(let name) = sources[place],
            old.column(name + ".folded")?.format == "folded"
        else { return .folded(of: attribute) }
        return .column(name + ".folded")
    }

    private mutating func added(
        _ column: SchemaDescription.Column,
        of entity: SchemaDescription.Entity
    ) -> ColumnSource {
        let label = "\(entity.name).\(column.name)"
        switch to.declarations.attribute(column.name, of: entity.name).initial {
        case .constant(.null)?, nil:
            if column.isRequired {
                refusals.append(
                    "\(label) is new and not optional, but has no default. Make it optional, or give it a default."
                )
            }
            return .null
        case .constant(let value)?: return .constant(value)
        case .perRow?: return .perRow(column.name)
        case .unstorable(let problem)?:
            refusals.append("\(label) is new, and its default is \(problem).")
            return .null
        }
    }

    private mutating func continued(
        _ earlier: SchemaDescription.Column,
        _ column: SchemaDescription.Column,
        _ old: SchemaDescription.Entity,
        _ entity: SchemaDescription.Entity,
        _ isFirstFormat: Bool
    ) -> ColumnSource {
        let declared = to.declarations.attribute(column.name, of: entity.name)
        let conversion = ColumnConversion(from: earlier.format, to: column.format)
        let isMissing = column.isRequired && !earlier.isRequired
        let slot = slots.count
        let isUnlikely = conversion.isTotal && column.valueType == nil
        func note(_ kind: MigrationLoss.Kind, _ condition: LossCondition, _ isAllowed: Bool, _ remedy: String) {
            losses.append(
                PossibleLoss(
                    kind: kind,
                    entity: entity.name,
                    property: column.name,
                    condition: condition,
                    isAllowed: isAllowed,
                    remedy: remedy,
                    isUnlikely: isUnlikely && kind != .missingValue
                )
            )
        }
        let canReplace = declared.replacement != nil
        if isMissing {
            note(
                .missingValue,
                .isNull(table: old.name, column: earlier.name),
                canReplace,
                "@Attribute(default: VALUE)"
            )
        }
        // Format 1 does not record Swift types.
        let isRetyped =
            !conversion.isIdentity
            || !isFirstFormat && column.valueType != nil
                && (earlier.valueType != column.valueType || earlier.values != column.values)
        if isRetyped {
            note(
                .value,
                .outcome(table: old.name, column: earlier.name, slot: slot, isInexact: false),
                canReplace,
                "@Attribute(default: VALUE)"
            )
            if !conversion.isIdentity, conversion.isPossible {
                note(
                    .inexactValue,
                    .outcome(table: old.name, column: earlier.name, slot: slot, isInexact: true),
                    declared.isInexact,
                    "@Attribute(.inexact)"
                )
            }
        }
        guard isRetyped || isMissing && canReplace else { return .column(earlier.name) }
        slots.append(
            ConversionSlot(
                entity: entity.name,
                attribute: column.name,
                conversion: conversion,
                isRequired: column.isRequired,
                isInexactAllowed: declared.isInexact,
                replacement: declared.replacement,
                values: isRetyped ? column.values.map(Set.init) : nil,
                isPlain: column.valueType == nil
            )
        )
        return .converted(earlier.name, slot: slot)
    }
}
#endif
