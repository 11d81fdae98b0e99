#if Objects
internal import Foundation

/// The titles of a list's sections.
struct SectionTitles {
    /// The path of the property by whose values the list is divided, or an empty path in a list without sections.
    let path: [PropertyReference]
    /// The attribute at the end of the path, or `nil` if the path ends in an id.
    private let attribute: AttributeDescription?
    private let title: ((SectionValue) -> String)?

    /// Creates the titles of a list.
    ///
    /// - Parameters:
    ///   - section: The property by whose values the list is divided.
    ///   - title: Returns the title of a section, or `nil` to use the description of the section's value.
    ///   - context: The context of the list.
    /// - Throws: ``ObjectError`` if the property can't sort a request.
    init<T: Object>(
        _ section: SortDescriptor<T>?,
        _ title: ((SectionValue) -> String)?,
        in context: ObjectContext
    ) throws {
        self.title = title
        path = try ResolvedSort(section.map { [$0] } ?? [], in: context).keys.first?.path ?? []
        var entity = try context.model.entity(of: T.self)
        var attribute: AttributeDescription?
        for step in path {
            switch step {
            case .key: break
            case .attribute(let index): attribute = entity.description.attributes[index]
            case .relationship(let index): entity = context.model.entities[entity.relationships[index].destination]
            }
        }
        self.attribute = attribute
    }

    /// Returns the snapshot of a list.
    ///
    /// This calls client code.
    func snapshot(_ entity: ResolvedEntity, _ index: ResultsIndex) -> ResultsSnapshot {
        var titles: [SectionValue: String] = [:]
        for section in index.sections where index.isSectioned {
            let value = SectionValue(section.value)
            titles[value] = title(of: value)
        }
        return ResultsSnapshot(entity.name, index, sectionPath: path, titles: titles)
    }

    /// Returns the snapshot that follows an earlier one.
    ///
    /// This calls client code for inserted sections.
    func snapshot(
        after earlier: ResultsSnapshot,
        _ index: ResultsIndex,
        _ difference: IndexDifference
    ) -> ResultsSnapshot {
        var titles = earlier.titles
        for section in difference.deletedSections { titles[SectionValue(earlier.index.sections[section].value)] = nil }
        for section in difference.insertedSections {
            let value = SectionValue(index.sections[section].value)
            titles[value] = title(of: value)
        }
        return ResultsSnapshot(earlier.entityName, index, sectionPath: path, titles: titles)
    }

    private func title(of value: SectionValue) -> String {
        title?(value) ?? attribute?.describe(value.column) ?? value.description
    }
}
#endif
