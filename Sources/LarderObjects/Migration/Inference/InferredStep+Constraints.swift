#if Objects
extension InferredStep {
    /// Records the new unique constraints that stored objects may violate.
    mutating func compareConstraints(_ index: Int) {
        let step = entities[index]
        guard let old = step.old else { return }
        let entity = step.new
        for group in entity.unique {
            let columns = group.compactMap { name -> String? in
                guard let place = entity.columns.firstIndex(where: { $0.name == name }), place < step.sources.count
                else {
                    return nil
                }
                switch step.sources[place] {
                case .column(let name), .converted(let name, _): return name
                case .constant, .perRow, .folded, .null: return nil
                }
            }
            // Values that were different may become equal when they are converted.
            let isConverted = zip(entity.columns, step.sources).contains { column, source in
                if case .converted = source { group.contains(column.name) } else { false }
            }
            // A new attribute has no stored duplicates. Creating the index detects duplicates of the default value.
            guard columns.count == group.count, isConverted || !old.unique.contains(columns) else { continue }
            let isSingle = group.count == 1
            let kept =
                isSingle
                ? to.declarations.attribute(group[0], of: entity.name).keeping
                : to.declarations.entities[entity.name]?.keeping
            losses.append(
                PossibleLoss(
                    kind: .duplicate,
                    entity: entity.name,
                    property: group.joined(separator: ", "),
                    condition: .duplicates(table: old.name, columns: columns),
                    isAllowed: kept != nil,
                    remedy: isSingle
                        ? "@Attribute(.unique(keeping: .newest))"
                        : "@Entity(unique: ..., keeping: .newest)",
                    kept: kept,
                    group: group
                )
            )
        }
    }
}
#endif
