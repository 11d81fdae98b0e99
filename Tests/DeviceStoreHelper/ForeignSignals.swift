import CForeignSignals
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// A program that meets SIGBUS for reasons of its own while it has a store open.
enum ForeignSignals {
    /// With a handler from before Larder was used: `DeviceStoreHelper ownHandler IO PATH HANDLER`.
    ///
    /// It meets faults of its own, and is sent the signal. A control file that is cut afterwards is an error as ever.
    static func recover(_ path: String, _ options: DeviceStoreOptions, _ handler: String) throws {
        guard foreign_handler_install(handler) == 0 else { throw Wrong("There is no handler \(handler).") }
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        guard foreign_fault() == 0 else { throw Wrong("It was not called as it should be.") }
        if handler != "once" {
            guard foreign_fault() == 0 else { throw Wrong("It was not called again as it should be.") }
            let calls = foreign_handler_calls()
            guard kill(getpid(), SIGBUS) == 0 else { throw Wrong("It can't be sent, errno \(errno).") }
            try blockUntil("the handler was called") { foreign_handler_calls() > calls }
            guard foreign_fault_in_store() == 0 else { throw Wrong("A store was not left as it should be.") }
            guard foreign_handler_calls() == calls + 3 else { throw Wrong("It was called for what it is not for.") }
        }
        let calls = foreign_handler_calls()
        try loseControl(of: store, path, options)
        guard foreign_handler_calls() == calls else { throw Wrong("It was called for what is Larder's.") }
        if let complaint = foreign_handler_complaint() { throw Wrong(String(cString: complaint)) }
        if handler == "once" { _ = foreign_fault() }
    }

    /// Without one, so that it ends by the signal: `DeviceStoreHelper noHandler IO PATH HOW`.
    static func die(_ path: String, _ options: DeviceStoreOptions, _ how: String) throws {
        // Swift's runtime has one where it prints how a process came to its end.
        signal(SIGBUS, how == "ignored" ? SIG_IGN : SIG_DFL)
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        if how == "ignored", kill(getpid(), SIGBUS) != 0 { throw Wrong("It can't be sent, errno \(errno).") }
        try loseControl(of: store, path, options)
        if how == "sent" { kill(getpid(), SIGBUS) } else { _ = foreign_fault() }
        throw Wrong("It lives.")
    }

    /// Cuts the control file, and uses the store again afterwards, which leaves a key that says so.
    private static func loseControl(of store: DeviceStore, _ path: String, _ options: DeviceStoreOptions) throws {
        guard truncate(path + ".ctl", 0) == 0 else { throw Wrong("It can't be cut, errno \(errno).") }
        guard ControlCut.isClosed({ _ = try store.get("a") }), ControlCut.isClosed({ try store.set(2, for: "a") })
        else { throw Wrong("It is not closed.") }
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        guard try again.get("a") == 1 else { throw Wrong("It has lost something.") }
        try again.set(1, for: "survived")
        try again.close()
    }
}
