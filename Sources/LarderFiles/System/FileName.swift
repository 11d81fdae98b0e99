import Synchronization

/// The path that errors name an open file by, which a renaming changes.
package final class FileName: Sendable {
    private let value: Mutex<String>

    package init(_ path: String) { value = Mutex(path) }

    package var path: String {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
