import LarderCore
import Testing

@testable import LarderDeviceStore

/// Tests of the list of observers without an engine.
@Suite struct ObserversTests {
    @Test func observerCountTracksAdditionsAndRemovals() {
        let observers = Observers(IssueChannel(label: "test"))
        #expect(observers.isObserved == false)
        observers.count(2)
        observers.count(-1)
        #expect(observers.isObserved == true)
        observers.count(-1)
        #expect(observers.isObserved == false)
    }

    @Test func onlyOneThreadWatchesForCommits() {
        let observers = Observers(IssueChannel(label: "test"))
        #expect(observers.beginWatching() == true)
        #expect(observers.beginWatching() == false)
        observers.endWatching()
        #expect(observers.beginWatching() == true)
    }

    @Test func watcherThreadStartFailureIsReportedOnce() {
        let observers = Observers(IssueChannel(label: "test"))
        #expect(observers.noteLackOfWatcher(true) == true)
        #expect(observers.noteLackOfWatcher(true) == false)
        #expect(observers.noteLackOfWatcher(false) == true)
        #expect(observers.noteLackOfWatcher(true) == true)
    }
}
