import LarderCore
import LarderFiles
import Synchronization

/// Who is notified of changes, and issues that are reported once no lock is held.
struct Observers: ~Copyable, Sendable {
    let issues: IssueChannel
    private let heldIssues = Mutex<[LarderIssue]>([])
    private let hubs = Mutex<[StoreChangeHub]>([])
    private let count = Atomic<Int>(0)
    private let isWatched = Atomic<Bool>(false)
    private let lacksWatcher = Atomic<Bool>(false)

    /// No observers, and issues reported to `issues`.
    init(_ issues: IssueChannel) { self.issues = issues }

    /// Whether any instance has an observer.
    @inline(__always)
    var isObserved: Bool { count.load(ordering: .relaxed) > 0 }

    /// Notes so many observers more.
    func count(_ difference: Int) { count.wrappingAdd(difference, ordering: .relaxed) }

    /// Notes that a thread watches for other processes' commits; `false` if one does already.
    func beginWatching() -> Bool { !isWatched.exchange(true, ordering: .acquiringAndReleasing) }

    /// Notes that the thread is about to end.
    ///
    /// An exchange: of this and an observer that comes meanwhile, either finds what the other one did.
    func endWatching() { _ = isWatched.exchange(false, ordering: .acquiringAndReleasing) }

    /// Notes whether no thread can be started to watch; `false` if that was so before.
    func noteLackOfWatcher(_ lacksWatcher: Bool) -> Bool {
        self.lacksWatcher.exchange(lacksWatcher, ordering: .relaxed) != lacksWatcher
    }

    /// Adds the observers of one more instance.
    func add(_ hub: StoreChangeHub) { hubs.withLock { $0.append(hub) } }

    /// Removes the observers of an instance.
    func remove(_ hub: StoreChangeHub) { hubs.withLock { $0.removeAll { $0 === hub } } }

    /// Keeps an issue until no lock is held.
    func hold(_ issue: LarderIssue) { heldIssues.withLock { $0.append(issue) } }

    private func takeHeldIssues() -> [LarderIssue] {
        heldIssues.withLock { held in
            defer { held = [] }
            return held
        }
    }

    // MARK: Under the writer's lock

    /// Notes a change for all observers.
    static func publish(_ change: StoreChange, _ writer: inout WriterTurn) {
        for hub in writer.observers.hubs.withLock(\.self) where hub.isObserved { hub.publish(change) }
    }

    /// Notes for all observers that they are not told of so many commits.
    @inline(never)
    static func publishMissed(_ count: Int, _ writer: inout WriterTurn) {
        for hub in writer.observers.hubs.withLock(\.self) where hub.isObserved { hub.publishMissed(count) }
    }

    // MARK: Outside all locks

    /// Runs the handlers of observers and issues.
    static func deliver(_ entrance: inout Entrance) {
        let issues = entrance.observers.issues
        for issue in entrance.observers.takeHeldIssues() { issues.report(issue) }
        for hub in entrance.observers.hubs.withLock(\.self) where hub.isObserved { hub.deliver() }
    }
}
