import LarderCore
import Testing

@testable import LarderDeviceStore

/// Whether an engine may be used, alone.
@Suite struct LifeTests {
    @Test func itIsUsableUntilItIsAboutToBeClosed() {
        let life = Life()
        #expect([life.isUsable, life.isOpen, life.isInItsProcess] == [true, true, true])
        #expect(life.beginClosing() == true)
        // What is under way ends in peace.
        #expect([life.isUsable, life.isOpen] == [false, true])
        #expect(life.beginClosing() == false)
        life.end()
        #expect(life.isOpen == false)
        #expect(life.error("/s.larder").code == .closed)
    }
}
