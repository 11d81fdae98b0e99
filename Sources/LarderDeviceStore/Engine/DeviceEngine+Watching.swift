import LarderCore
import LarderFiles
import Synchronization

// Commits of other processes reach observers as they are made: a thread of its own sleeps on the shared state word.
extension DeviceEngine {
    func countObservers(_ difference: Int) {
        observers.wrappingAdd(difference, ordering: .relaxed)
        // Whoever commits asks whether anybody listens after it has held this: either it finds the new observer, or what it did is
        // there for whatever the observer reads from here on.
        if difference > 0 { memory.withLock { _ in } }
        watchIfObserved()
    }

    /// Sees to it that a thread watches as long as anybody listens: one that could not be started is tried again with each call.
    func watchIfObserved() {
        guard isObserved, environment.isAutomatic, let control, control.canBeWatched else { return }
        guard !isWatching.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Held until nobody listens any more, or the store is closed.
        do {
            try BackgroundThreads.shared.run { [self] in
                lacksWatcher.store(false, ordering: .relaxed)
                watch(control)
                // Somebody may have come while this one was going: an exchange, so that either of the two finds what the other one did.
                _ = isWatching.exchange(false, ordering: .acquiringAndReleasing)
                watchIfObserved()
            }
        } catch {
            _ = isWatching.exchange(false, ordering: .acquiringAndReleasing)
            guard !lacksWatcher.exchange(true, ordering: .relaxed) else { return }
            issues.report(
                LarderIssue(
                    .degraded,
                    "Observers of \(path) learn of other processes' commits up to half a second late, because no thread can be started for them: end other threads. The store tries again about twice a second.",
                    underlying: error
                )
            )
        }
    }

    private func watch(_ control: DeviceControl) {
        while isObserved, isUsable {
            let known = memory.withLock { $0.word.rawValue }
            // A sync or a compaction by this process may have read it by the way: then nothing wakes this thread for it any more.
            deliver()
            do {
                try control.watch(known, within: environment.tick)
                if stateWord.pointee.load(ordering: .acquiring) != known, isObserved, isUsable { try followOthers() }
            } catch {
                // Whoever reads or writes next is told; meanwhile this must not go round and round.
                CurrentProcess.sleep(for: environment.tick)
            }
        }
    }
}
