import LarderCore
import LarderTesting
import Testing

@testable import LarderDeviceStore

/// Tests of the compaction schedule without a log.
@Suite struct CompactionScheduleTests {
    @Test func onlyOneAutomaticCompactionRunsAtATime() {
        let schedule = CompactionSchedule()
        #expect(schedule.isUnderWay == false)
        #expect(schedule.begin() == true)
        #expect(schedule.isUnderWay == true)
        #expect(schedule.begin() == false)
        schedule.end()
        #expect(schedule.isUnderWay == false)
        #expect(schedule.begin() == true)
    }

    @Test func compactionBackoffGrowsWithEachFailure() {
        let schedule = CompactionSchedule()
        let time = ManualTimeSource()
        let failure = CompactionFailure(StoreError(.inputOutput, "broken"), "/s.larder")
        #expect(schedule.isPausing(time) == false)
        #expect(schedule.noteFailure(failure, time) == true)
        #expect(schedule.failure == failure)
        #expect(schedule.isPausing(time) == true)
        time.advance(by: LogFormat.firstCompactionPause)
        #expect(schedule.isPausing(time) == false)
        #expect(schedule.noteFailure(failure, time) == true)
        time.advance(by: LogFormat.firstCompactionPause)
        #expect(schedule.isPausing(time) == true)
        time.advance(by: LogFormat.firstCompactionPause)
        #expect(schedule.isPausing(time) == false)
    }

    @Test func successfulCompactionResetsBackoff() {
        let schedule = CompactionSchedule()
        let time = ManualTimeSource()
        _ = schedule.noteFailure(CompactionFailure(StoreError(.inputOutput, "broken"), "/s.larder"), time)
        schedule.noteSuccess()
        #expect(schedule.isPausing(time) == false)
        #expect(schedule.failure == nil)
    }

    @Test func persistentCompactionFailureIsReportedOnce() {
        let schedule = CompactionSchedule()
        let time = ManualTimeSource()
        let failure = CompactionFailure(StoreError(.invalidConfiguration, "two names"), "/s.larder")
        #expect(failure.isLasting)
        #expect(schedule.noteFailure(failure, time) == true)
        #expect(schedule.noteFailure(failure, time) == false)
        schedule.noteSuccess()
        #expect(schedule.noteFailure(failure, time) == true)
    }
}
