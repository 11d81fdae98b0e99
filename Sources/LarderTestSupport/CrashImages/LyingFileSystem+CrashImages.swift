/// A disk as a power loss left it.
package struct CrashImage: Sendable {
    /// The disk, to be opened again.
    ///
    /// It is not recorded.
    package let fileSystem: LyingFileSystem
    /// How many of the events had happened.
    package let eventCount: Int
    /// Which of the images after that many events: a seed, or a number from 0.
    package let number: UInt64
}

/// A test that asked for more images than a scenario has: it would have looked at little and found nothing.
package struct TooFewCrashImages: Error, CustomStringConvertible {
    /// How many there were.
    package let count: Int
    /// How many the test needs.
    package let minimum: Int

    package var description: String { "There were \(count) crash images, and the test needs at least \(minimum)." }
}

extension LyingFileSystem {
    /// Calls `body` with every disk that a power loss could leave, after each number of events.
    ///
    /// - Parameters:
    ///   - minimum: How many images the test needs to prove anything.
    ///   - first: The least number of events that have happened.
    ///   - tearing: How finely writes tear.
    ///   - limit: How many images to build after one number of events.
    ///   - body: Opens the image and looks.
    /// - Returns: Whether that were all: `false` when the limit cut some off.
    /// - Throws: What `body` throws, and ``TooFewCrashImages``.
    @discardableResult
    package func forEachCrashImage(
        atLeast minimum: Int,
        from first: Int = 0,
        tearing: Tearing = .sectors,
        limit: Int = 10_000,
        _ body: (CrashImage) throws -> Void
    ) throws -> Bool {
        var isComplete = true
        var count = 0
        try forEachState(from: first) { state, eventCount in
            var choices = ExhaustiveChoices()
            var number = 0
            repeat {
                if number == limit {
                    isComplete = false
                    break
                }
                let disk = LyingFileSystem(
                    state.settled(&choices, tearing),
                    isRecording: false,
                    bootNumber: bootNumber + 1
                )
                try body(CrashImage(fileSystem: disk, eventCount: eventCount, number: UInt64(number)))
                number += 1
                count += 1
            } while choices.advance()
        }
        guard count >= minimum else { throw TooFewCrashImages(count: count, minimum: minimum) }
        return isComplete
    }

    /// Calls `body` with some of the disks that a power loss could leave, chosen by seed, after each number of events.
    ///
    /// - Parameters:
    ///   - minimum: How many images the test needs to prove anything.
    ///   - first: The least number of events that have happened.
    ///   - seed: The first image's seed; the next has the next.
    ///   - perPoint: How many images to build after one number of events.
    ///   - tearing: How finely writes tear.
    ///   - isWanted: Leaves out numbers of events.
    ///   - body: Opens the image and looks.
    /// - Throws: What `body` throws, and ``TooFewCrashImages``.
    package func forEachSampledCrashImage(
        atLeast minimum: Int,
        from first: Int = 0,
        seed: UInt64,
        perPoint: Int,
        tearing: Tearing = .bytes,
        where isWanted: (Int) -> Bool = { _ in true },
        _ body: (CrashImage) throws -> Void
    ) throws {
        var seed = seed
        var count = 0
        try forEachState(from: first) { state, eventCount in
            guard isWanted(eventCount) else { return }
            for _ in 0..<perPoint {
                var choices = SeededChoices(seed: seed)
                let disk = LyingFileSystem(
                    state.settled(&choices, tearing),
                    isRecording: false,
                    bootNumber: bootNumber + 1
                )
                try body(CrashImage(fileSystem: disk, eventCount: eventCount, number: seed))
                seed &+= 1
                count += 1
            }
        }
        guard count >= minimum else { throw TooFewCrashImages(count: count, minimum: minimum) }
    }

    /// One disk that a power loss could leave now.
    ///
    /// - Parameters:
    ///   - seed: Which.
    ///   - tearing: How finely writes tear.
    ///   - isRecording: Whether the new disk can be crashed again.
    /// - Returns: The disk.
    package func afterPowerLoss(seed: UInt64, tearing: Tearing = .bytes, isRecording: Bool = true) -> LyingFileSystem {
        recordMappedStores()
        var choices = SeededChoices(seed: seed)
        return LyingFileSystem(
            currentState().settled(&choices, tearing),
            isRecording: isRecording,
            bootNumber: bootNumber + 1
        )
    }

    /// The disk when every process died now and the machine went on: nothing is lost but the locks.
    ///
    /// - Returns: The disk, on which everything is confirmed.
    package func afterProcessDeath() -> LyingFileSystem {
        recordMappedStores()
        var choices = EverythingArrived()
        return LyingFileSystem(currentState().settled(&choices, .sectors), isRecording: true, bootNumber: bootNumber)
    }

    private func currentState() -> DiskState {
        var state = initialState
        for event in events { state.apply(event) }
        return state
    }

    private func forEachState(from first: Int, _ body: (DiskState, Int) throws -> Void) rethrows {
        recordMappedStores()
        var state = initialState
        if first == 0 { try body(state, 0) }
        for (number, event) in events.enumerated() {
            state.apply(event)
            if number + 1 >= first { try body(state, number + 1) }
        }
    }
}
