#if Objects
internal import LarderCore

/// A change of an observed object.
public enum ObjectUpdate: Sendable, Hashable {
    /// The properties with these names have changed, or any property if the names are `nil`.
    ///
    /// A relationship has changed if the ids of its objects, or their order, have changed.
    case changed(Set<String>?)
    /// The object was deleted.
    case deleted
}

extension ViewContext {
    /// Returns a stream of the changes of an object.
    ///
    /// The stream receives an update after the view has merged a save that changed the object. It ends when the object is deleted or the
    /// manager is closed. The stream's buffer is unbounded.
    ///
    /// - Parameter object: An object of this view. The stream of another object ends at once, and is reported as an issue.
    /// - Returns: The stream.
    public func observe<T: Object>(_ object: T) -> AsyncStream<ObjectUpdate> {
        stream(of: object, object.objectState.entity.relationships, .unbounded) { update, continuation in
            if let update { continuation.yield(update) }
        }
    }

    /// Returns a stream of the values of a property, starting with the current value.
    ///
    /// The stream receives the value after the view has merged a save that changed the value. A slow iterator receives only the newest
    /// value. The stream ends when the object is deleted or the manager is closed.
    ///
    /// - Parameters:
    ///   - object: An object of this view. The stream of another object ends at once, and is reported as an issue.
    ///   - path: The property. A path to a computed property, or through a relationship, is read after each merge.
    /// - Returns: The stream.
    public func observe<T: Object, Value: Equatable & Sendable>(
        _ object: T,
        _ path: KeyPath<T, Value>
    ) -> AsyncStream<Value> {
        let entity = object.objectState.entity
        let property = entity.description.propertiesByKeyPath[path]
        let name: String? =
            switch property {
            case .attribute(let index): entity.description.attributes[index].name
            case .relationship(let index): entity.relationships[index].name
            case .key, nil: nil
            }
        var last = object[keyPath: path]
        // The ids of other relationships are not read.
        var related: [ResolvedRelationship] = []
        if case .relationship(let index) = property { related.append(entity.relationships[index]) }
        return stream(of: object, related, .bufferingNewest(1), first: last) { update, continuation in
            switch update {
            case .deleted: return
            case .changed(let names?): if let name, !names.contains(name) { return }
            case .changed(nil): break
            case nil: if name != nil { return }
            }
            let value = object[keyPath: path]
            guard value != last else { return }
            last = value
            continuation.yield(value)
        }
    }

    private func stream<Element: Sendable>(
        of object: some Object,
        _ relationships: [ResolvedRelationship],
        _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy,
        first: Element? = nil,
        _ receive: @escaping (ObjectUpdate?, AsyncStream<Element>.Continuation) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        guard object.objectState.context === context else {
            context.report(
                LarderIssue(
                    .readFailed,
                    "An object of \(object.objectState.entity.name) can't be observed, because it does not belong to the view. "
                        + "Load the object from the view."
                )
            )
            continuation.finish()
            return stream
        }
        if let first { continuation.yield(first) }
        let observer = RetainedObserver(
            ObjectObserver(
                object,
                relationships,
                receive: { receive($0, continuation) },
                end: { continuation.finish() }
            )
        )
        // The context does not retain the observer.
        continuation.onTermination = { _ in withExtendedLifetime(observer) {} }
        // No later merge may report a deletion that was merged before.
        if object.isDeleted {
            receive(.deleted, continuation)
            continuation.finish()
        }
        return stream
    }
}

private final class RetainedObserver: @unchecked Sendable {
    // This is safe because the observer is only retained here.
    private let observer: ObjectObserver
    init(_ observer: ObjectObserver) { self.observer = observer }
}
#endif
