import Foundation
import LarderTestSupport
import Testing

/// Tests that code that acquires locks in the wrong order doesn't compile.
@Suite(.enabled(if: CompilerCheck.isPossible)) struct LockTokenTests {
    private static func unexpectedErrors(of code: String) throws -> String {
        try CompilerCheck.unexpectedErrors(
            of: "import LarderCore\n@testable import LarderDeviceStore\n" + code,
            checkingAccesses: true
        )
    }

    @Test func acquiringLocksInOrderCompiles() throws {
        let code = """
            func compaction(_ entrance: inout Entrance) throws -> Bool? {
                try entrance.compact { compaction in
                    try compaction.tell(StoreProgress(completed: 0, total: 1))
                    let count = compaction.look { $0.commits }
                    return try compaction.commit { shared in
                        shared.writer.change { index, log in index.commits = count + UInt64(log.mark) }
                        return shared.look { $0.commits } == count
                    }
                }
            }
            func opening(_ rooms: consuming Rooms, _ opening: inout OpeningTurn) throws -> DeviceEngine {
                var rooms = rooms
                try rooms.alone(&opening) { shared in shared.writer.log.mark = 0 }
                return DeviceEngine(rooms)
            }
            func escaping(_ entrance: inout Entrance) -> @Sendable () -> UInt64 {
                let engine = entrance.engine
                return { engine.enter { $0.look { $0.commits } } }
            }
            func nested(_ engine: DeviceEngine) { engine.enter { _ in engine.enter { _ in } } }
            """
        #expect(try Self.unexpectedErrors(of: code) == "")
    }

    @Test(arguments: [
        "e.write { w in e.write { _ in } }",
        "_ = try e.compact { c in _ = try e.compact { _ in } }",
        "_ = try e.compact { c in e.write { _ in } }",
        "e.write { w in Observers.deliver(&e) }",
        "e.write { w in e.engine.enter { _ in } }",
        "e.look { index in e.write { _ in } }",
        "try e.commit { shared in _ = try e.compact { _ in } }",
    ])
    func callingEngineWhileHoldingLockDoesNotCompile(_ line: String) throws {
        let code = "func f(_ e: inout Entrance) throws {\n\(line)  // expected-error {{overlapping accesses to 'e'}}\n}"
        #expect(try Self.unexpectedErrors(of: code) == "")
    }

    @Test(arguments: [
        "c.write { w in _ = try? c.tell(StoreProgress(completed: 0, total: 1)) }",
        "try c.commit { s in c.write { _ in } }",
        "c.look { index in _ = try? c.tell(StoreProgress(completed: 0, total: 1)) }",
    ])
    func usingCompactionLockTokenUnderInnerLockDoesNotCompile(_ line: String) throws {
        let code =
            "func f(_ c: inout CompactionTurn) throws {\n\(line)  // expected-error {{overlapping accesses to 'c'}}\n}"
        #expect(try Self.unexpectedErrors(of: code) == "")
    }

    @Test(arguments: [
        "try w.share { s in w.log.mark = 0 }",
        "try w.share { s in try w.share { _ in } }",
        "w.look { index in w.log.mark = 0 }",
        "w.change { index, log in w.look { _ in } }",
    ])
    func usingWriterLockTokenUnderInnerLockDoesNotCompile(_ line: String) throws {
        let code =
            "func f(_ w: inout WriterTurn) throws {\n\(line)  // expected-error {{overlapping accesses to 'w'}}\n}"
        #expect(try Self.unexpectedErrors(of: code) == "")
    }

    @Test(arguments: [
        ("w.write { _ in }", "no member 'write'"),
        ("try s.share { _ in }", "no member 'share'"),
        ("_ = WriterTurn(w.rooms, lockTimeouts: 0)", "inaccessible due to 'fileprivate'"),
        ("_ = SharedTurn(w)", "inaccessible due to 'fileprivate'"),
        ("_ = engine.rooms.address", "inaccessible due to 'fileprivate'"),
        ("try engine.rooms.alone(&o) { _ in }", "'rooms' is a 'let' constant"),
        ("w.look { index in index.commits = 3 }", "'index' is a 'let' constant"),
        ("w.change { index, log in log.mark = 3 }", "'log' is a 'let' constant"),
        ("e.write { w in await Task.yield() }", "synchronous"),
        ("e.write { w in keep.turn = w }", "consuming"),
    ])
    func innerLockTokenRequiresOuterToken(_ line: String, _ error: String) throws {
        let code = """
            final class Keep { var turn: WriterTurn? }
            func f(
                _ engine: DeviceEngine, _ keep: Keep, _ e: inout Entrance, _ w: inout WriterTurn, _ s: inout SharedTurn,
                _ o: inout OpeningTurn
            ) async throws {
            \(line)  // expected-error {{\(error)}}
            }
            """
        #expect(try Self.unexpectedErrors(of: code) == "")
    }

    @Test func lockTokenCannotBeSentToAnotherThread() throws {
        let code = """
            func f(_ w: inout WriterTurn) {
                let g: @Sendable () -> Void = {
                    w.log.mark = 3  // expected-error {{capture of 'w'}}
                }
                g()
            }
            """
        #expect(try Self.unexpectedErrors(of: code).contains("lacks") == false)
    }
}
