import Testing

@testable import LarderDeviceStore

/// Whether an engine may be used, alone.
@Suite struct LifeTests {
    @Test func itIsUsableUntilItIsAboutToBeClosed() {
        let life = Life()
        #expect(life.isUsable && life.isOpen && life.isInItsProcess)
        #expect(life.beginClosing())
        // What is under way ends in peace.
        #expect(!life.isUsable && life.isOpen)
        #expect(!life.beginClosing())
        life.end()
        #expect(!life.isOpen)
        #expect(life.error("/s.larder").code == .closed)
    }
}
