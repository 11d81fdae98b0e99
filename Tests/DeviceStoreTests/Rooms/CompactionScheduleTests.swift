import LarderCore
import LarderTesting
import Testing

@testable import LarderDeviceStore

/// When the log is compacted, without a log.
@Suite struct CompactionScheduleTests {
    @Test func oneCompactionAtATimeIsUnderWay() {
        let schedule = CompactionSchedule()
        #expect(!schedule.isUnderWay)
        #expect(schedule.begin())
        #expect(schedule.isUnderWay)
        #expect(!schedule.begin())
        schedule.end()
        #expect(!schedule.isUnderWay)
        #expect(schedule.begin())
    }

    @Test func failuresAreFollowedByLongerAndLongerPauses() {
        let (schedule, time) = (CompactionSchedule(), ManualTimeSource())
        let failure = CompactionFailure(StoreError(.inputOutput, "broken"), "/s.larder")
        #expect(!schedule.isPausing(time))
        #expect(schedule.noteFailure(failure, time))
        #expect(schedule.failure == failure)
        #expect(schedule.isPausing(time))
        time.advance(by: LogFormat.firstCompactionPause)
        #expect(!schedule.isPausing(time))
        #expect(schedule.noteFailure(failure, time))
        time.advance(by: LogFormat.firstCompactionPause)
        #expect(schedule.isPausing(time))
        time.advance(by: LogFormat.firstCompactionPause)
        #expect(!schedule.isPausing(time))
    }

    @Test func aSuccessEndsThePause() {
        let (schedule, time) = (CompactionSchedule(), ManualTimeSource())
        _ = schedule.noteFailure(CompactionFailure(StoreError(.inputOutput, "broken"), "/s.larder"), time)
        schedule.noteSuccess()
        #expect(!schedule.isPausing(time))
        #expect(schedule.failure == nil)
    }

    @Test func aLastingFailureIsReportedOnce() {
        let (schedule, time) = (CompactionSchedule(), ManualTimeSource())
        let failure = CompactionFailure(StoreError(.invalidConfiguration, "two names"), "/s.larder")
        #expect(failure.isLasting)
        #expect(schedule.noteFailure(failure, time))
        #expect(!schedule.noteFailure(failure, time))
        schedule.noteSuccess()
        #expect(schedule.noteFailure(failure, time))
    }
}
