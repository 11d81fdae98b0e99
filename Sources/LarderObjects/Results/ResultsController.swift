#if Objects
public import Foundation
internal import LarderCore
public import Observation

/// A sorted, filtered and sectioned list of the view's objects, which follows every save.
///
/// Create a controller with ``ViewContext/results(_:sectionBy:title:)``. A controller belongs to its view: use it on
/// ``ObjectStorageConfiguration/viewQueue``, where it updates its list and calls its delegate after each merge. An update reads only what may
/// have changed. After the manager is closed, the list keeps its last state.
public final class ResultsController<T: Object> {
    /// The filter, the sort order and the limits of the list.
    public private(set) var request: ObjectRequest<T>
    /// The property by whose values the list is divided, or `nil` if the list has only one section.
    public private(set) var section: SortDescriptor<T>?
    /// The object to be notified of changes.
    public weak var delegate: (any ResultsControllerDelegate)?

    let context: ObjectContext
    let feed: ResultsFeed
    private let registrar = ObservationRegistrar()
    private let title: ((SectionValue) -> String)?
    private var titles: SectionTitles
    private var upkeep: ResultsUpkeep
    private var list: ResultsWindow
    private var shown: ResultsSnapshot
    private var failure: (any Error)?
    /// What was read for a merge, until it is published.
    private var prepared: Prepared?
    private var lastChanges: ResultsChanges?
    /// The objects that were read last, which the controller retains.
    var recent = RecentObjects<T>()
    /// The changes of which the delegate has not been notified yet.
    private var events: [ResultsEvent] = []
    private var isDelivering = false

    private enum Prepared {
        case changes(IndexDifference, ChangedProperties)
        case failure(any Error)
    }

    init(
        _ request: ObjectRequest<T>,
        sectionBy section: SortDescriptor<T>?,
        title: ((SectionValue) -> String)?,
        in context: ObjectContext
    ) throws {
        self.context = context
        self.request = request
        self.section = section
        self.title = title
        let upkeep = ResultsUpkeep(
            plan: try ResultsPlan(request, sectionBy: section, in: context),
            queries: context.queries
        )
        self.upkeep = upkeep
        titles = try SectionTitles(section, title, in: context)
        list = try context.readList(upkeep.list)
        shown = titles.snapshot(upkeep.plan.entity, list.index)
        feed = ResultsFeed(shown)
    }

    deinit { feed.finish() }

    /// The list after the last merge.
    ///
    /// The property is observable.
    public var snapshot: ResultsSnapshot {
        registrar.access(self, keyPath: \.snapshot)
        return shown
    }

    /// The list after the last merge in the form of a diffable data source, with the objects that the last change changed.
    ///
    /// If a data source is not updated after each change, use ``DiffableSnapshot/init(_:)`` with the elements of ``updates`` instead, which
    /// include all changes.
    public var diffable: DiffableSnapshot { DiffableSnapshot(snapshot, lastChanges) }

    /// The error of the last update, or `nil` if the update succeeded.
    ///
    /// After an error, the list keeps its last state. The next merge fetches the list again. The property is observable.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return failure
    }

    /// Replaces the request, fetches the list again, and notifies the delegate and all observers of the difference.
    ///
    /// - Parameters:
    ///   - request: The filter, the sort order and the limits.
    ///   - section: The property by whose values the list is divided, before `request.sortedBy`.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read. If the call throws, the
    ///   controller keeps its request and its list.
    public func setRequest(_ request: ObjectRequest<T>, sectionBy section: SortDescriptor<T>? = nil) throws {
        let upkeep = ResultsUpkeep(
            plan: try ResultsPlan(request, sectionBy: section, in: context),
            queries: context.queries
        )
        let titles = try SectionTitles(section, title, in: context)
        let list = try context.readList(upkeep.list)
        // The closure for titles may replace the request, too.
        let new = titles.snapshot(upkeep.plan.entity, list.index)
        // After a failure or a merge that was not published yet, any object may have changed.
        let missed = failure != nil || prepared != nil
        (self.request, self.section, self.titles, self.upkeep, self.list) = (request, section, titles, upkeep, list)
        prepared = nil
        recent.removeAll()
        let keepsSections = shown.sectionPath == new.sectionPath
        let difference = new.index.difference(from: shown.index, keepsSections: keepsSections) { _ in missed }
        show(new, ResultsChanges(difference, in: new) { _ in missed ? nil : [] })
        setFailure(nil)
        deliver()
    }
}

extension ResultsController: Observable {}

extension ResultsController: ViewList {
    func prepare(_ changes: MergedChanges, _ statements: StatementCache) {
        do {
            if failure == nil {
                let difference = try upkeep.update(&list, changes.changes, statements)
                let properties = difference.isEmpty ? .unknown : changes.properties(of: upkeep.plan.entity)
                prepared = .changes(difference, properties)
            } else {
                list = try upkeep.list(statements)
                prepared = .changes(list.index.difference(from: shown.index) { _ in true }, .unknown)
            }
        } catch {
            fail(context.health.noting(error, report: context.report))
        }
    }

    func fail(_ error: any Error) { prepared = .failure(error) }

    func publish() {
        switch prepared {
        case nil: return
        case .failure(let error):
            prepared = nil
            setFailure(error)
            context.report(
                LarderIssue(
                    .readFailed,
                    "The list of \(upkeep.plan.entity.name) could not be updated after a save, so it keeps its last state. "
                        + "Resolve the underlying error; the next save fetches the list again.",
                    underlying: error
                )
            )
        case .changes(let difference, let properties):
            let new = titles.snapshot(after: shown, list.index, difference)
            // If the closure for titles has replaced the request, the list already contains the difference.
            guard prepared != nil else { return }
            prepared = nil
            show(new, ResultsChanges(difference, in: new) { properties[$0] })
            setFailure(nil)
        }
    }

    func deliver() {
        // A call of the delegate may replace the request. The delegate is notified of that difference afterward.
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while !events.isEmpty { events.removeFirst().notify(delegate) }
    }

    func finish() { feed.finish() }

    private func show(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) {
        guard !changes.isEmpty else {
            shown = snapshot
            return
        }
        events.append(ResultsEvent(old: shown, new: snapshot, changes: changes))
        (shown, lastChanges) = (snapshot, changes)
        feed.send(snapshot, changes)
        // An observer may replace the request, so it is notified when the list is complete.
        registrar.withMutation(of: self, keyPath: \.snapshot) {}
    }

    private func setFailure(_ error: (any Error)?) {
        guard error != nil || failure != nil else { return }
        failure = error
        registrar.withMutation(of: self, keyPath: \.error) {}
    }
}
#endif
