import LarderCore
import LarderFiles
import Synchronization

/// The observers of all store instances that share an engine, and the issues to report as soon as no lock is held.
struct Observers: ~Copyable, Sendable {
    let issues: IssueChannel
    /// The durations of commits and syncs, which are measured while inspection tools display them.
    let meters = CommitMeters()
    private let heldIssues = Mutex<[LarderIssue]>([])
    private let hubs = Mutex<[StoreChangeHub]>([])
    private let count = Atomic<Int>(0)
    private let isWatched = Atomic<Bool>(false)
    private let lacksWatcher = Atomic<Bool>(false)

    /// Creates an empty list of observers that reports issues to `issues`.
    init(_ issues: IssueChannel) { self.issues = issues }

    /// Whether any store instance has an observer.
    var isObserved: Bool { count.load(ordering: .relaxed) > 0 }

    /// Adds `difference`, which may be negative, to the number of observers.
    func count(_ difference: Int) { count.wrappingAdd(difference, ordering: .relaxed) }

    /// Records that a thread watches for commits made by other processes.
    ///
    /// Returns `false` if another thread already watches.
    func beginWatching() -> Bool { !isWatched.exchange(true, ordering: .acquiringAndReleasing) }

    /// Records that the thread that watches for commits is about to exit.
    ///
    /// The exchange is atomic, so that an observer that is added concurrently is not missed.
    func endWatching() { _ = isWatched.exchange(false, ordering: .acquiringAndReleasing) }

    /// Records whether starting a thread to watch for commits has failed, and returns whether the recorded state has changed.
    func noteLackOfWatcher(_ lacksWatcher: Bool) -> Bool {
        self.lacksWatcher.exchange(lacksWatcher, ordering: .relaxed) != lacksWatcher
    }

    /// Adds the observers of a store instance.
    func add(_ hub: StoreChangeHub) { hubs.withLock { $0.append(hub) } }

    /// Removes the observers of a store instance.
    func remove(_ hub: StoreChangeHub) { hubs.withLock { $0.removeAll { $0 === hub } } }

    /// Stores an issue until it can be reported while no lock is held.
    func hold(_ issue: LarderIssue) { heldIssues.withLock { $0.append(issue) } }

    private func takeHeldIssues() -> [LarderIssue] {
        heldIssues.withLock { held in
            defer { held = [] }
            return held
        }
    }

    // MARK: Under the writer's lock

    /// Publishes a change to all observers.
    static func publish(_ change: StoreChange, _ writer: inout WriterTurn) {
        for hub in writer.observers.hubs.withLock(\.self) where hub.isObserved { hub.publish(change) }
    }

    /// Notifies all observers that they missed `count` commits.
    static func publishMissed(_ count: Int, _ writer: inout WriterTurn) {
        for hub in writer.observers.hubs.withLock(\.self) where hub.isObserved { hub.publishMissed(count) }
    }

    // MARK: Outside all locks

    /// Calls the pending observer and issue handlers.
    static func deliver(_ entrance: inout Entrance) {
        let issues = entrance.observers.issues
        for issue in entrance.observers.takeHeldIssues() { issues.report(issue) }
        for hub in entrance.observers.hubs.withLock(\.self) where hub.isObserved { hub.deliver() }
    }
}
