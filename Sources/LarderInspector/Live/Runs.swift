#if Inspector
import LarderCore
import LarderFiles
import Synchronization

/// The actions that pages have started, each on a thread of its own.
package final class Runs: Sendable {
    private struct Waiting {
        let id: String
        let work: @Sendable () -> Void
    }

    private struct State {
        var runs: [Run] = []
        /// The runs that end at their next progress.
        var cancelled: Set<String> = []
        /// For each instance with a run, the runs that wait for it: stores refuse two long operations at a time.
        var waiting: [String: [Waiting]] = [:]
        /// The tasks that remove files after some time.
        var expiries: [String: Task<Void, Never>] = [:]
        var last = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// The announcement of changes, one at a time, so that no page receives an older state after a newer one.
    private let announcing = Mutex(())
    private let files = PrivateFiles()
    private let time: any TimeSource
    private let onChange: @Sendable (Run) -> Void

    /// The maximum number of actions that run at the same time, and of those that have ended and are remembered.
    private static let (maximumRunning, maximumEnded) = (4, 20)
    /// The minimum time between two events with the progress of a run.
    private static let interval = Duration.milliseconds(100)
    /// The time after which the file of a run is removed.
    static let lifetimeOfFiles = Duration.seconds(600)
    /// The number of bytes of all files above which the oldest ones are removed.
    private static let bytesOfFiles = 8 << 30

    init(_ time: any TimeSource, onChange: @escaping @Sendable (Run) -> Void) {
        self.time = time
        self.onChange = onChange
    }

    deinit { files.removeAll() }

    /// Returns all runs that are remembered, oldest first.
    func all() -> [Run] { state.withLock(\.runs) }

    /// Calls a closure with all runs that are remembered, and announces no change until it returns.
    func withAll<Result: Sendable>(_ body: ([Run]) -> Result) -> Result { announcing.withLock { _ in body(all()) } }

    private func announce(_ id: String) {
        announcing.withLock { _ in if let run = run(id) { onChange(run) } }
    }

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
        for id in forgotten { removeFile(of: id) }
        do {
            try begin(id, inspected.id) { self.carryOut(action, of: inspected.instance, id) }
        } catch {
            forget(id)
            throw error
        }
        announce(id)
        return id
    }

    /// Runs `work` on a thread, after the earlier work for the same instance.
    private func begin(_ id: String, _ instance: String, _ work: @escaping @Sendable () -> Void) throws {
        let isFirst = state.withLock { state in
            guard state.waiting[instance] == nil else {
                state.waiting[instance]?.append(Waiting(id: id, work: work))
                return false
            }
            state.waiting[instance] = []
            return true
        }
        guard isFirst else { return }
        do {
            try BackgroundThreads.shared.run {
                work()
                while let next = self.next(of: instance) { next.work() }
            }
        } catch {
            state.withLock { $0.waiting[instance] = nil }
            throw error
        }
    }

    /// Returns the next work for an instance, or `nil` if none waits.
    private func next(of instance: String) -> Waiting? {
        state.withLock { state in
            guard let next = state.waiting[instance]?.first else {
                state.waiting[instance] = nil
                return nil
            }
            state.waiting[instance]?.removeFirst()
            return next
        }
    }

    private func carryOut(_ action: InspectionAction, of instance: any Inspectable, _ id: String) {
        var lastEvent = ContinuousClock.now
        do {
            guard !isCancelled(id) else { throw CancellationError() }
            let file = try action.fileName.map { try files.path(for: $0, of: id) }
            let facts = try instance.perform(action, writingTo: file) { progress in
                guard !isCancelled(id) else { throw CancellationError() }
                let isDue = ContinuousClock.now - lastEvent >= Self.interval
                if isDue { lastEvent = .now }
                change(id) { run in
                    run.completed = progress.completed
                    run.total = progress.total
                }
                if isDue { announce(id) }
            }
            let size = try file.flatMap { try files.makePrivate($0) }
            change(id) { run in
                run.state = .done
                run.facts = facts
                if let total = run.total { run.completed = total }
                if let size {
                    run.file = action.fileName
                    run.fileSize = size
                }
            }
            if size != nil { keepFile(of: id) }
        } catch {
            files.remove(id)
            let wasCancelled = isCancelled(id)
            change(id) { run in
                run.state = wasCancelled ? .cancelled : .failed
                run.message = wasCancelled ? nil : ErrorCause.text(error)
            }
        }
        announce(id)
        // The inspector may have ended meanwhile.
        if state.withLock(\.isClosed) { files.remove(id) }
    }

    private func isCancelled(_ id: String) -> Bool { state.withLock { $0.isClosed || $0.cancelled.contains(id) } }

    private func change(_ id: String, _ body: (inout Run) -> Void) {
        state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.id == id }) else { return }
            body(&state.runs[index])
            if state.runs[index].state != .running { state.cancelled.remove(id) }
        }
    }

    private func run(_ id: String) -> Run? { state.withLock { $0.runs.first { $0.id == id } } }

    private func forget(_ id: String) {
        state.withLock { state in
            state.runs.removeAll { $0.id == id }
            state.cancelled.remove(id)
        }
        removeFile(of: id)
    }

    // MARK: Cancelling

    /// Cancels a run at its next progress, or at once if it waits, or forgets a run that has ended.
    private func cancel(_ id: String) {
        enum Result { case isRunning, isCancelled, hasEnded }
        let result = state.withLock { state -> Result in
            guard let index = state.runs.firstIndex(where: { $0.id == id }), state.runs[index].state == .running else {
                return .hasEnded
            }
            let instance = state.runs[index].instance
            guard let place = state.waiting[instance]?.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return .isRunning
            }
            state.waiting[instance]?.remove(at: place)
            state.runs[index].state = .cancelled
            return .isCancelled
        }
        switch result {
        case .isRunning: break
        case .isCancelled: announce(id)
        case .hasEnded: forget(id)
        }
    }

    /// Cancels all runs, and refuses later ones.
    func close() {
        let (waiting, expiries) = state.withLock { state in
            state.isClosed = true
            let waiting = state.waiting.values.flatMap { $0.map(\.id) }
            for instance in state.waiting.keys { state.waiting[instance] = [] }
            for index in state.runs.indices where waiting.contains(state.runs[index].id) {
                state.runs[index].state = .cancelled
            }
            defer { state.expiries = [:] }
            return (waiting, Array(state.expiries.values))
        }
        for id in waiting { announce(id) }
        for task in expiries { task.cancel() }
    }

    /// Waits until all runs have ended, and removes all files, but not longer than `limit`.
    func end(within limit: Duration) async {
        await BoundedWork.run(within: limit) { [self] in
            let end = ContinuousClock.now + limit
            while !state.withLock(\.waiting.isEmpty), ContinuousClock.now < end {
                CurrentProcess.sleep(for: .milliseconds(5))
            }
            files.removeAll()
        }
    }

    // MARK: Files

    /// Removes files of earlier runs that are too many beside that of a run, and this file after some time.
    private func keepFile(of id: String) {
        let removed = state.withLock { state -> [String] in
            guard !state.isClosed, let new = state.runs.first(where: { $0.id == id }) else { return [] }
            var earlier = state.runs.filter { $0.file != nil && $0.id != id }
            var removed = earlier.filter { $0.instance == new.instance && $0.action == new.action }.map(\.id)
            earlier.removeAll { removed.contains($0.id) }
            var bytes = earlier.reduce(new.fileSize) { $0 + $1.fileSize }
            while bytes > Self.bytesOfFiles, let oldest = earlier.first {
                bytes -= oldest.fileSize
                removed.append(oldest.id)
                earlier.removeFirst()
            }
            state.expiries[id] = Task { [weak self, time] in
                guard (try? await time.sleep(for: Self.lifetimeOfFiles)) != nil, let self else { return }
                BackgroundThreads.shared.perform { self.dropFile(of: id) }
            }
            return removed
        }
        for id in removed { dropFile(of: id) }
    }

    /// Removes the file of a run that stays remembered.
    private func dropFile(of id: String) {
        change(id) { run in
            run.file = nil
            run.fileSize = 0
        }
        removeFile(of: id)
        announce(id)
    }

    private func removeFile(of id: String) {
        state.withLock { $0.expiries.removeValue(forKey: id) }?.cancel()
        files.remove(id)
    }

    // MARK: Requests

    func answer(_ operation: Route.Operation, _ id: String) throws -> InspectorAnswer {
        guard let run = run(id) else {
            throw Refusal.notFound(
                "There is no run \(id.debugDescription). Start the action again; only the last \(Self.maximumEnded) runs are kept."
            )
        }
        switch operation {
        case .cancelRun: cancel(id)
        case .downloadRunFile:
            guard let name = run.file else {
                throw Refusal.notFound(
                    "The run has no file. Start the action again; the last file of an instance is kept for ten minutes."
                )
            }
            return InspectorAnswer(
                download: name,
                type: "application/octet-stream",
                try files.content(of: name, of: id)
            )
        default: break
        }
        var json = JSONText()
        json.run(self.run(id) ?? run)
        return InspectorAnswer(json: json)
    }
}
#endif
