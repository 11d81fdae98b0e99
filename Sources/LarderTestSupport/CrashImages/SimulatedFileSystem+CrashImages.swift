/// A possible state of the disk after a simulated power loss.
package struct CrashImage: Sendable {
    /// The file system on the disk, which does not record calls or events.
    package let fileSystem: SimulatedFileSystem
    /// The number of disk events that occurred before the power loss.
    package let eventCount: Int
    /// The index of this image among the images with the same event count, or the seed of a random image.
    package let number: UInt64
}

/// An error thrown when a test scenario produces fewer crash images than the test requires.
package struct TooFewCrashImages: Error, CustomStringConvertible {
    /// The number of crash images that the test scenario produced.
    package let count: Int
    /// The minimum number of crash images that the test requires.
    package let minimum: Int

    package var description: String {
        "There \(count == 1 ? "was 1 crash image" : "were \(count) crash images"), but the test needs at least \(minimum)."
    }
}

extension SimulatedFileSystem {
    /// Calls `body` with every disk state that a power loss after any of the recorded events could produce.
    ///
    /// - Parameters:
    ///   - minimum: The number of images that the test requires.
    ///   - first: The minimum number of events before the power loss.
    ///   - tearing: The granularity at which writes are torn.
    ///   - limit: The maximum number of images for each number of events.
    ///   - body: A closure that opens and checks an image.
    /// - Returns: `true` if all possible images were created, or `false` if `limit` excluded some of them.
    /// - Throws: The error that `body` throws, or ``TooFewCrashImages``.
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
                let disk = SimulatedFileSystem(
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

    /// Calls `body` with random disk states that a power loss after any of the recorded events could produce.
    ///
    /// - Parameters:
    ///   - minimum: The number of images that the test requires.
    ///   - first: The minimum number of events before the power loss.
    ///   - seed: The seed of the first image. Each further image has the next seed.
    ///   - perPoint: The number of images for each number of events.
    ///   - tearing: The granularity at which writes are torn.
    ///   - isWanted: A closure that returns whether to create images for a number of events.
    ///   - body: A closure that opens and checks an image.
    /// - Throws: The error that `body` throws, or ``TooFewCrashImages``.
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
                let disk = SimulatedFileSystem(
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

    /// Returns a random disk state that a power loss at this moment could produce.
    ///
    /// - Parameters:
    ///   - seed: The seed of the random decisions.
    ///   - tearing: The granularity at which writes are torn.
    ///   - isRecording: Whether the new disk records calls and events, so that it can lose power again.
    /// - Returns: The file system on the disk after the power loss.
    package func afterPowerLoss(
        seed: UInt64,
        tearing: Tearing = .bytes,
        isRecording: Bool = true
    ) -> SimulatedFileSystem {
        recordMappedStores()
        var choices = SeededChoices(seed: seed)
        return SimulatedFileSystem(
            currentState().settled(&choices, tearing),
            isRecording: isRecording,
            bootNumber: bootNumber + 1
        )
    }

    /// Returns the disk state after all processes have crashed without a power loss.
    ///
    /// The crash releases all locks, but loses no changes.
    ///
    /// - Returns: The file system on the disk.
    package func afterProcessDeath() -> SimulatedFileSystem {
        recordMappedStores()
        var choices = EverythingArrived()
        return SimulatedFileSystem(
            currentState().settled(&choices, .sectors),
            isRecording: true,
            bootNumber: bootNumber
        )
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
