#if Objects
@testable import LarderObjects

/// A class for the entity at an index of a sketch, with key paths that are distinguished by a number.
protocol SketchObject: Object {
    subscript(number: Int) -> Int { get }
}

final class SketchClass<Tag>: SketchObject {
    let objectState: ObjectState
    init(objectState state: ObjectState) { objectState = state }
    static var entityDescription: EntityDescription {
        EntityDescription(Self.self, name: "\(Tag.self)", properties: [])
    }
    subscript(number: Int) -> Int { number }
}

enum SketchModel {
    private enum A {}
    private enum B {}
    private enum C {}
    private enum D {}
    private enum E {}
    private enum F {}
    private enum G {}
    private enum H {}

    private static let classes: [any SketchObject.Type] = [
        SketchClass<A>.self, SketchClass<B>.self, SketchClass<C>.self, SketchClass<D>.self, SketchClass<E>.self,
        SketchClass<F>.self, SketchClass<G>.self, SketchClass<H>.self,
    ]
    /// The maximum number of entities in a sketch.
    static let limit = classes.count

    private static func keyPath<Class: SketchObject>(_ type: Class.Type, _ number: Int) -> AnyKeyPath {
        \Class.[number]
    }

    /// Returns the model of a program with these classes.
    static func model(_ sketch: Sketch, plan: MigrationPlan? = nil) -> ObjectModel {
        let places = Dictionary(uniqueKeysWithValues: sketch.entities.enumerated().map { ($1.id, $0) })
        func type(_ entity: Int) -> any SketchObject.Type { classes[places[entity] ?? 0] }
        let descriptions = sketch.entities.map { entity in
            var properties = entity.attributes.map { property($0, keyPath(type(entity.id), $0.id * 2)) }
            for pair in sketch.pairs {
                for (index, side) in pair.sides.enumerated() where side.entity == entity.id {
                    let other = pair.sides[1 - index]
                    func path(_ entity: Int, _ side: Int) -> AnyKeyPath { keyPath(type(entity), pair.id * 2 + side) }
                    properties.append(
                        PropertyDescription(
                            kind: .relationship(
                                RelationshipDescription(
                                    name: side.name,
                                    keyPath: path(entity.id, index),
                                    destination: type(other.entity),
                                    cardinality: side.isMany
                                        ? .many : side.cardinality == .requiredOne ? .requiredOne : .optionalOne,
                                    isOrdered: side.isOrdered,
                                    inverse: pair.naming == index ? path(other.entity, 1 - index) : nil,
                                    deleteRule: side.deleteRule,
                                    formerNames: side.was,
                                    keeping: side.keeping
                                )
                            )
                        )
                    )
                }
            }
            func names(_ groups: [[Int]]) -> [[String]] { groups.map { $0.compactMap { entity.attribute($0)?.name } } }
            return EntityDescription(
                type(entity.id),
                name: entity.name,
                unique: names(entity.unique),
                indexes: names(entity.indexes),
                was: entity.was,
                dropping: entity.dropping,
                keeping: entity.keeping,
                properties: properties
            )
        }
        return ObjectModel(descriptions: descriptions, version: sketch.version, dropped: sketch.dropped, plan: plan)
    }

    private static func property(_ attribute: Sketch.Attribute, _ keyPath: AnyKeyPath) -> PropertyDescription {
        func make<Content: StoredType>(_ type: Content.Type) -> PropertyDescription {
            attribute.isOptional
                ? property(attribute, keyPath, Content.Coding.self) { Content($0) }
                : property(attribute, keyPath, Content.RequiredCoding.self) { Content($0) }
        }
        return make(attribute.format.type)
    }

    private static func property<Coding: AttributeCoding>(
        _ attribute: Sketch.Attribute,
        _ keyPath: AnyKeyPath,
        _ coding: Coding.Type,
        _ read: @escaping @Sendable (Value) -> Coding.Value?
    ) -> PropertyDescription {
        var options: Set<AttributeOption> = []
        if attribute.isUnique { options.insert(attribute.keeping.map { .unique(keeping: $0) } ?? .unique) }
        if attribute.isIndexed { options.insert(.indexed) }
        if attribute.isSearchable { options.insert(.searchable) }
        if attribute.isInexact { options.insert(.inexact) }
        func stored(_ value: Value?) -> (@Sendable () throws -> ColumnValue)? {
            guard let value else { return nil }
            return { read(value).map { Coding.encode($0) } ?? .null }
        }
        return PropertyDescription(
            kind: .attribute(
                AttributeDescription(
                    name: attribute.name,
                    keyPath: keyPath,
                    coding: coding,
                    options: options,
                    formerNames: attribute.was,
                    makeDefault: stored(attribute.initial),
                    makeReplacement: stored(attribute.replacement)
                )
            )
        )
    }
}
#endif
