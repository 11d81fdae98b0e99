#if Inspector
import LarderCore
import Synchronization

/// The distribution of events to pages.
///
/// Instances are observed only while a page is connected.
final class EventHub: Sendable {
    private struct State {
        var streams: [EventStream] = []
        /// The tasks that follow the instances.
        var tasks: [Task<Void, Never>] = []
        var isClosed = false
    }

    private let instances: [InspectedInstance]
    private let isLive: Bool
    private let time: any TimeSource
    private let state = Mutex(State())
    /// The threads that begin observations and read statistics, one for each instance.
    private let threads = ReadingThreads(limit: 8, ofInstance: 1, maximumWaiting: .max)

    /// The maximum number of pages.
    static let maximumStreams = 8
    /// The minimum time between two events with changes of an instance.
    static let interval = Duration.milliseconds(100)
    /// The time after which an observation that has failed is tried again, first and at most.
    static let (firstDelay, longestDelay) = (Duration.seconds(1), Duration.seconds(30))

    init(_ instances: [InspectedInstance], isLive: Bool, _ time: any TimeSource) {
        self.instances = instances
        self.isLive = isLive
        self.time = time
    }

    /// Begins a new stream with the given events after `hello`.
    ///
    /// - Parameters:
    ///   - greeting: The events after `hello`.
    ///   - catchUp: The events that a page needs after it has lost some, see ``EventStream/CatchUp``.
    ///   - report: A closure that receives an issue if an instance can't be observed.
    /// - Returns: The stream, or `nil` if there are too many.
    func connect(
        _ greeting: [InspectorEvent],
        catchingUp catchUp: @escaping EventStream.CatchUp,
        reporting report: @escaping @Sendable (LarderIssue, InspectedInstance) -> Void
    ) -> EventStream? {
        let stream = EventStream { [weak self] waiting in
            (self?.missed ?? []) + catchUp(waiting) + InspectorEvent.lost.bytes
        } onEnd: { [weak self] in
            self?.disconnect($0)
        }
        stream.add(InspectorEvent.hello(isLive: isLive).bytes)
        for event in greeting { stream.add(event.bytes) }
        return state.withLock { state in
            guard !state.isClosed, state.streams.count < Self.maximumStreams else { return nil }
            state.streams.append(stream)
            if state.tasks.isEmpty { state.tasks = following(report) }
            return stream
        }
    }

    /// The events that say that changes of each instance were missed.
    private var missed: [UInt8] {
        instances.flatMap { inspected in
            let event = ChangesEvent(instance: inspected.id, origin: "unknown", date: now, isMissed: true)
            return InspectorEvent.changes(event).bytes
        }
    }

    private func disconnect(_ stream: EventStream) {
        let ended = state.withLock { state -> [Task<Void, Never>] in
            state.streams.removeAll { $0 === stream }
            guard state.streams.isEmpty else { return [] }
            defer { state.tasks = [] }
            return state.tasks
        }
        for task in ended { task.cancel() }
    }

    /// Sends an event to all pages.
    func send(_ event: InspectorEvent) {
        let streams = state.withLock(\.streams)
        guard !streams.isEmpty else { return }
        let bytes = event.bytes
        for stream in streams { stream.add(bytes) }
    }

    /// Ends all streams, and refuses later ones.
    func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            return state.streams
        }
        for stream in streams { stream.end() }
    }

    /// The number of connected pages.
    var count: Int { state.withLock(\.streams.count) }

    private var now: String { StoredValue.date(time.now).description }

    // MARK: Following instances

    private func following(
        _ report: @escaping @Sendable (LarderIssue, InspectedInstance) -> Void
    ) -> [Task<Void, Never>] {
        let comments = Task { [weak self, time] in
            while (try? await time.sleep(for: .seconds(15))) != nil {
                for stream in self?.state.withLock(\.streams) ?? [] { stream.add(InspectorEvent.comment) }
            }
        }
        guard isLive else { return [comments] }
        return instances.flatMap { inspected in
            [
                Task { [weak self] in await self?.followChanges(of: inspected, report) },
                Task { [weak self] in await self?.followStatistics(of: inspected) },
            ]
        } + [comments]
    }

    private func followChanges(
        of inspected: InspectedInstance,
        _ report: @escaping @Sendable (LarderIssue, InspectedInstance) -> Void
    ) async {
        let buffer = ChangeBuffer(instance: inspected.id)
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observation = await self.observation(of: inspected, buffer, report) { event in
            // A page reads the counts again after the event.
            inspected.noteChange()
            buffer.add(event)
            signal.yield()
        }
        guard let observation else { return }
        defer { observation.cancel() }
        for await _ in signals {
            if let event = buffer.take(at: now) { send(.changes(event)) }
            try? await time.sleep(for: Self.interval)
        }
    }

    private func followStatistics(of inspected: InspectedInstance) async {
        while !Task.isCancelled {
            // Statistics that can't be read now may be readable later, and the page shows that they are missing.
            let statistics = try? await threads.run(of: inspected.id) {
                try inspected.instance.inspectionStatistics()
            }
            if let statistics, !statistics.isEmpty {
                send(.statistics(instance: inspected.id, statistics))
            }
            try? await time.sleep(for: .seconds(statistics?.isEmpty ?? true ? 5 : 1))
        }
    }

    /// Observes an instance, again and again until that succeeds or the task is canceled.
    private func observation(
        of inspected: InspectedInstance,
        _ buffer: ChangeBuffer,
        _ report: @Sendable (LarderIssue, InspectedInstance) -> Void,
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) async -> StoreObservation? {
        var delay = Self.firstDelay
        while !Task.isCancelled {
            do {
                let observation = try await threads.run(of: inspected.id) {
                    buffer.setKeyPrefix(try inspected.keyPrefix())
                    return try inspected.instance.observeForInspection(receive)
                }
                // What has changed since the first attempt is unknown.
                if delay > Self.firstDelay { receive(.missed) }
                return observation
            } catch {
                guard !Task.isCancelled else { return nil }
                if delay == Self.firstDelay { report(Self.issue(error, of: inspected), inspected) }
                try? await time.sleep(for: delay)
                delay = min(delay * 2, Self.longestDelay)
            }
        }
        return nil
    }

    private static func issue(_ error: any Error, of inspected: InspectedInstance) -> LarderIssue {
        LarderIssue(
            .degraded,
            "The changes of \(inspected.instance.inspectionName.debugDescription) can't be followed now. Look at the cause; the inspector tries again.",
            underlying: error
        )
    }
}
#endif
