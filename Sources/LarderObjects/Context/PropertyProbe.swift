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

    /// The properties that reading `keyPath` goes through, in order; `nil` when it is not just those, as for a property of
    /// your own that computes something.
    static func properties<Root: Object>(
        of keyPath: PartialKeyPath<Root>,
        in context: ObjectContext
    ) throws -> [PropertyReference]? {
        let entity = try context.model.entity(of: Root.self)
        let recorder = Recorder()
        let probe = Root(objectState: ObjectState(entity: entity, rowID: 0, context: context, status: .probe))
        let result = $recorder.withValue(recorder) { probe[keyPath: keyPath] }
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
            let read: Any = (result as? any OptionalType)?.wrappedValue ?? result
            let expected = recorder.handedOut
            let encode = owner.description.attributes[index].encode
            guard let expected, encode(result) == expected || encode(read) == expected else { return nil }
        }
        return recorder.properties
    }
}
#endif
