#if Objects
internal import Foundation

/// Functions that determine the properties that a key path passes through.
///
/// The key path is evaluated on a probe, an instance that records which properties are read.
///
/// The code that the `@Entity` macro generates lists most key paths. A probe is needed for a key path from a generic function, and for a
/// key path that passes through an optional.
enum PropertyProbe {
    @TaskLocal private static var recorder: Recorder?

    private final class Recorder: @unchecked Sendable {
        // `@unchecked Sendable` is safe because a recorder is used only inside one synchronous call on one thread.
        var properties: [PropertyReference] = []
        /// The number of objects that each to-many relationship of the probe contains.
        let members: Int
        init(members: Int) { self.members = members }
        /// The stored form of the artificial value that the probe returned last.
        var handedOut: ColumnValue?
    }

    static func record(_ property: PropertyReference) { recorder?.properties.append(property) }

    /// Records that an attribute was read, and returns an artificial value that other code is unlikely to return.
    static func value<Coding: AttributeCoding>(_ index: Int, _ coding: Coding.Type) -> Coding.Value? {
        record(.attribute(index))
        let madeUp: [ColumnValue] = [
            .text("larder-probe"), .integer(97), .real(97.25), .blob(Data(repeating: 97, count: 16)), .integer(1),
            .null,
        ]
        for column in madeUp {
            guard let value = Coding.decode(column) else { continue }
            recorder?.handedOut = Coding.encode(value)
            return value
        }
        recorder?.handedOut = nil
        return nil
    }

    /// The number of objects that each to-many relationship of a probe contains.
    static var members: Int { recorder?.members ?? 0 }

    /// The properties that a key path passes through, and how the key path ends.
    struct Path {
        enum Ending {
            /// The key path ends with the last property.
            case property
            /// The key path ends with the `count` of a to-many relationship.
            case count
            /// The key path ends with the `isEmpty` property of a to-many relationship.
            case isEmpty
        }
        var properties: [PropertyReference]
        var ending = Ending.property
    }

    /// Returns the properties that a key path passes through, or `nil` if the key path contains anything else, such as a computed property.
    static func path<Root: Object>(of keyPath: PartialKeyPath<Root>, in context: ObjectContext) throws -> Path? {
        let entity = try context.model.entity(of: Root.self)
        func read(_ recorder: Recorder) -> Any {
            let probe = Root(objectState: ObjectState(entity: entity, rowID: 0, context: context, status: .probe))
            let result = $recorder.withValue(recorder) { probe[keyPath: keyPath] }
            return (result as? any OptionalType)?.wrappedValue ?? result
        }
        let recorder = Recorder(members: 0)
        let result = read(recorder)
        guard let last = recorder.properties.last else { return nil }
        if case .attribute(let index) = last {
            var owner = entity
            for step in recorder.properties.dropLast() {
                guard case .relationship(let place) = step, owner.relationships.indices.contains(place) else {
                    return nil
                }
                owner = context.model.entities[owner.relationships[place].destination]
            }
            guard owner.description.attributes.indices.contains(index) else { return nil }
            let encode = owner.description.attributes[index].encode
            guard let expected = recorder.handedOut, encode(result) == expected else { return nil }
        }
        var path = Path(properties: recorder.properties)
        guard case .relationship = last else { return path }
        if let count = result as? Int {
            guard count == 0, read(Recorder(members: 3)) as? Int == 3 else { return nil }
            path.ending = .count
        } else if let isEmpty = result as? Bool {
            guard isEmpty, read(Recorder(members: 3)) as? Bool == false else { return nil }
            path.ending = .isEmpty
        }
        return path
    }
}
#endif
