import LarderCore
import Testing

@testable import LarderDeviceStore

/// Tests of an engine's life cycle.
@Suite struct LifeTests {
    @Test func engineIsUsableUntilCloseBegins() {
        let life = Life()
        #expect([life.isUsable, life.isOpen, life.isInItsProcess] == [true, true, true])
        #expect(life.beginClosing() == true)
        // Calls that are running may finish.
        #expect([life.isUsable, life.isOpen] == [false, true])
        #expect(life.beginClosing() == false)
        life.end()
        #expect(life.isOpen == false)
        #expect(life.error("/s.larder").code == .closed)
    }
}
