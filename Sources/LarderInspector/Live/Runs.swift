#if Inspector
import LarderCore
import LarderFiles
import Synchronization

/// The actions that pages have started, each on a thread of its own.
package final class Runs: Sendable {
    private struct State {
        var runs: [Run] = []
        /// The runs that end at their next progress.
        var cancelled: Set<String> = []
        /// For each instance with a run, the runs that wait for it: stores refuse two long operations at a time.
        var waiting: [String: [@Sendable () -> Void]] = [:]
        var last = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let files = PrivateFiles()
    private let onChange: @Sendable (Run) -> Void

    /// The maximum number of actions that run at the same time, and of those that have ended and are remembered.
    private static let (maximumRunning, maximumEnded) = (4, 20)
    /// The minimum time between two events with the progress of a run.
    private static let interval = Duration.milliseconds(100)

    init(onChange: @escaping @Sendable (Run) -> Void) { self.onChange = onChange }

    deinit { files.removeAll() }

    /// Returns all runs that are remembered, oldest first.
    func all() -> [Run] { state.withLock(\.runs) }

    // MARK: Running

    /// Starts an action, and returns the identity of its run.
    func start(_ action: InspectionAction, of inspected: InspectedInstance) throws -> String {
        let (id, forgotten) = try state.withLock { state in
            guard !state.isClosed, state.runs.count(where: { $0.state == .running }) < Self.maximumRunning else {
                throw Refusal.busy("\(Self.maximumRunning) actions are running. Wait for one to end, or cancel it.")
            }
            state.last += 1
            let id = String(state.last)
            state.runs.append(Run(id: id, action: action.name, instance: inspected.id))
            let ended = state.runs.filter { $0.state != .running }
            let forgotten = ended.prefix(max(0, ended.count - Self.maximumEnded)).map(\.id)
            state.runs.removeAll { forgotten.contains($0.id) }
            return (id, forgotten)
        }
        for id in forgotten { files.remove(id) }
        do {
            let file = try action.fileName.map { try files.path(for: $0, of: id) }
            try begin(inspected.id) { self.carryOut(action, of: inspected.instance, id, writingTo: file) }
        } catch {
            forget(id)
            throw error
        }
        if let run = run(id) { onChange(run) }
        return id
    }

    /// Runs `work` on a thread, after the earlier work for the same instance.
    private func begin(_ instance: String, _ work: @escaping @Sendable () -> Void) throws {
        let isFirst = state.withLock { state in
            guard state.waiting[instance] == nil else {
                state.waiting[instance]?.append(work)
                return false
            }
            state.waiting[instance] = []
            return true
        }
        guard isFirst else { return }
        do {
            try BackgroundThreads.shared.run {
                work()
                while let next = self.next(of: instance) { next() }
            }
        } catch {
            state.withLock { $0.waiting[instance] = nil }
            throw error
        }
    }

    /// Returns the next work for an instance, or `nil` if none waits.
    private func next(of instance: String) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.waiting[instance]?.first else {
                state.waiting[instance] = nil
                return nil
            }
            state.waiting[instance]?.removeFirst()
            return next
        }
    }

    private func carryOut(
        _ action: InspectionAction,
        of instance: any Inspectable,
        _ id: String,
        writingTo file: String?
    ) {
        var lastEvent = ContinuousClock.now
        do {
            guard !isCancelled(id) else { throw CancellationError() }
            let facts = try instance.perform(action, writingTo: file) { progress in
                guard !isCancelled(id) else { throw CancellationError() }
                let isDue = ContinuousClock.now - lastEvent >= Self.interval
                if isDue { lastEvent = .now }
                change(id, isAnnounced: isDue) { run in
                    run.completed = progress.completed
                    run.total = progress.total
                }
            }
            let made = try file.flatMap { try files.makePrivate($0) ? action.fileName : nil }
            change(id, isAnnounced: true) { run in
                run.state = .done
                run.facts = facts
                run.file = made
                if let total = run.total { run.completed = total }
            }
        } catch {
            files.remove(id)
            let wasCancelled = isCancelled(id)
            change(id, isAnnounced: true) { run in
                run.state = wasCancelled ? .cancelled : .failed
                run.message = wasCancelled ? nil : ErrorCause.text(error)
            }
        }
        // The inspector may have ended meanwhile.
        if state.withLock(\.isClosed) { files.remove(id) }
    }

    private func isCancelled(_ id: String) -> Bool { state.withLock { $0.isClosed || $0.cancelled.contains(id) } }

    private func change(_ id: String, isAnnounced: Bool, _ body: (inout Run) -> Void) {
        let changed = state.withLock { state -> Run? in
            guard let index = state.runs.firstIndex(where: { $0.id == id }) else { return nil }
            body(&state.runs[index])
            if state.runs[index].state != .running { state.cancelled.remove(id) }
            return state.runs[index]
        }
        if isAnnounced, let changed { onChange(changed) }
    }

    private func run(_ id: String) -> Run? { state.withLock { $0.runs.first { $0.id == id } } }

    private func forget(_ id: String) {
        state.withLock { state in
            state.runs.removeAll { $0.id == id }
            state.cancelled.remove(id)
        }
        files.remove(id)
    }

    /// Cancels all actions, and removes all files.
    func close() {
        state.withLock { $0.isClosed = true }
        files.removeAll()
    }

    // MARK: Requests

    func answer(_ operation: Route.Operation, _ id: String) throws -> InspectorAnswer {
        guard let run = run(id) else {
            throw Refusal.notFound(
                "There is no run \(id.debugDescription). Start the action again; only the last \(Self.maximumEnded) runs are kept."
            )
        }
        switch operation {
        case .cancelRun:
            if run.state == .running { state.withLock { _ = $0.cancelled.insert(id) } } else { forget(id) }
        case .downloadRunFile:
            guard let name = run.file else {
                throw Refusal.notFound("The action has made no file, or has not ended. Read the run for its state.")
            }
            return InspectorAnswer(
                download: name,
                type: "application/octet-stream",
                try files.content(of: name, of: id)
            )
        default: break
        }
        var json = JSONText()
        json.run(run)
        return InspectorAnswer(json: json)
    }
}
#endif
