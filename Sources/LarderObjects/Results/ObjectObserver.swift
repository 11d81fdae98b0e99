#if Objects
internal import LarderCore

/// An observer of one object of the view, which is notified after each merge.
final class ObjectObserver: ViewList {
    private let context: ObjectContext
    private let state: ObjectState
    /// The instance, which keeps the state up to date as long as the observer exists.
    private let object: AnyObject
    private let receive: (ObjectUpdate?) -> Void
    private let end: () -> Void
    /// The observed relationships whose ids other rows contain.
    private var related: [RelatedIDs]
    private var update: ObjectUpdate?

    /// Creates an observer, and adds it to the lists of the object's context.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - relationships: The relationships of which the observer is notified. Those in the object's own row are always included.
    ///   - receive: A closure that is called after each merge with the object's update, or `nil` if the object has not changed.
    ///   - end: A closure that is called when the object is deleted or the manager is closed.
    init(
        _ object: some Object,
        _ relationships: [ResolvedRelationship],
        receive: @escaping (ObjectUpdate?) -> Void,
        end: @escaping () -> Void
    ) {
        self.object = object
        self.receive = receive
        self.end = end
        let state = object.objectState
        self.state = state
        context = state.context
        related = relationships.filter { !$0.isInOwnRow }.map { RelatedIDs($0, of: state) }
        do {
            if related.contains(where: { !$0.isKnown }) { try context.readList { try readRelated($0) } }
        } catch {
            report(error)
        }
        context.add(self)
    }

    func prepare(_ changes: MergedChanges, _ statements: StatementCache) {
        guard !isGone else { return }
        do {
            guard var names = changes.properties(of: state.entity)[state.rowID] else {
                update = .changed(nil)
                forgetRelated()
                return try readRelated(statements)
            }
            for place in related.indices where try related[place].update(changes, statements) {
                names.insert(related[place].relationship.name)
            }
            update = names.isEmpty ? nil : .changed(names)
        } catch {
            update = .changed(nil)
            // The ids of the relationships that were not read yet may be outdated.
            forgetRelated()
            report(error)
        }
    }

    func fail(_ error: any Error) {
        update = .changed(nil)
        forgetRelated()
    }

    func publish() { if isGone { update = .deleted } }

    func deliver() {
        let update = update
        self.update = nil
        receive(update)
        if update == .deleted { finish() }
    }

    func finish() { end() }

    private func readRelated(_ statements: StatementCache) throws {
        for place in related.indices { try related[place].read(statements) }
    }

    private func forgetRelated() { for place in related.indices { related[place].forget() } }

    private var isGone: Bool { context.exclusively { state.status == .gone } }

    private func report(_ error: any Error) {
        context.report(
            LarderIssue(
                .readFailed,
                "The relationships of an observed \(state.entity.name) could not be read, so observers are notified of any change. "
                    + "Resolve the underlying error.",
                underlying: error
            )
        )
    }
}

extension ResolvedRelationship {
    /// Whether the object's own row contains the id of the related object.
    fileprivate var isInOwnRow: Bool { if case .reference = storage { true } else { false } }
}
#endif
