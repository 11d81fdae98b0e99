import CForeignSignals
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// A program that causes SIGBUS itself while it has a store open.
enum ForeignSignals {
    /// Runs with a signal handler that was installed before Larder was used: `DeviceStoreHelper ownHandler IO PATH HANDLER`.
    ///
    /// The program causes its own faults and also receives the signal from outside. Afterwards, truncating the control file must still
    /// throw an error as usual.
    static func recover(_ path: String, _ options: DeviceStoreOptions, _ handler: String) throws {
        guard foreign_handler_install(handler) == 0 else { throw Wrong("There is no handler \(handler).") }
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        guard foreign_fault() == 0 else { throw Wrong("The program's handler was not called correctly.") }
        if handler != "once" {
            guard foreign_fault() == 0 else {
                throw Wrong("The program's handler was not called correctly the second time.")
            }
            let calls = foreign_handler_calls()
            guard kill(getpid(), SIGBUS) == 0 else { throw Wrong("SIGBUS can't be sent, errno \(errno).") }
            try blockUntil("the handler was called") { foreign_handler_calls() > calls }
            guard foreign_fault_in_store() == 0 else {
                throw Wrong("A fault inside a store was not passed on correctly.")
            }
            guard foreign_handler_calls() == calls + 3 else {
                throw Wrong("The program's handler had unexpected calls.")
            }
        }
        let calls = foreign_handler_calls()
        try loseControl(of: store, path, options)
        guard foreign_handler_calls() == calls else {
            throw Wrong("The program's handler was called for a fault of Larder.")
        }
        if let complaint = foreign_handler_complaint() { throw Wrong(String(cString: complaint)) }
        if handler == "once" { _ = foreign_fault() }
    }

    /// Runs without a signal handler, so that the signal ends the program: `DeviceStoreHelper noHandler IO PATH HOW`.
    static func die(_ path: String, _ options: DeviceStoreOptions, _ how: String) throws {
        // Swift's runtime may install a handler that prints backtraces.
        signal(SIGBUS, how == "ignored" ? SIG_IGN : SIG_DFL)
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        if how == "ignored", kill(getpid(), SIGBUS) != 0 { throw Wrong("SIGBUS can't be sent, errno \(errno).") }
        try loseControl(of: store, path, options)
        if how == "sent" { kill(getpid(), SIGBUS) } else { _ = foreign_fault() }
        throw Wrong("The process survived the signal.")
    }

    /// Truncates the control file, and checks that the store can then be opened and used again.
    private static func loseControl(of store: DeviceStore, _ path: String, _ options: DeviceStoreOptions) throws {
        guard truncate(path + ".ctl", 0) == 0 else {
            throw Wrong("The control file can't be truncated, errno \(errno).")
        }
        guard ControlCut.isClosed({ _ = try store.get("a") }), ControlCut.isClosed({ try store.set(2, for: "a") })
        else { throw Wrong("The store was not closed.") }
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        guard try again.get("a") == 1 else { throw Wrong("A value was lost.") }
        try again.set(1, for: "survived")
        try again.close()
    }
}
