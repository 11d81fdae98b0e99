#if Objects
internal import Foundation

/// Finds out which properties a key path goes through, by reading it from an instance that records what is read.
///
/// The table of key paths that the macro writes answers most questions. It does not know a key path written in a generic
/// function, and can't take one through an optional apart; reading one does.
enum PropertyProbe {
    @TaskLocal private static var recorder: Recorder?

    private final class Recorder: @unchecked Sendable {
        // Sendable: it lives inside one synchronous call on one thread.
        var properties: [PropertyReference] = []
        /// How many objects relationships to many pretend to lead to.
        let members: Int
        init(members: Int) { self.members = members }
        /// The stored form of the last value that was handed out.
        var handedOut: ColumnValue?
    }

    static func record(_ property: PropertyReference) { recorder?.properties.append(property) }

    /// Records an attribute, and makes up a value that nothing else is likely to return.
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

    /// How many objects a relationship to many of a probe leads to.
    static var members: Int { recorder?.members ?? 0 }

    /// What a key path means.
    struct Path {
        enum Ending {
            /// The last of the properties.
            case property
            /// How many objects it leads to.
            case count
            /// Whether it leads to none.
            case isEmpty
        }
        var properties: [PropertyReference]
        var ending = Ending.property
    }

    /// What reading `keyPath` goes through; `nil` when it is not just properties, as for one of your own that computes
    /// something.
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
