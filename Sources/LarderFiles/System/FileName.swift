import Synchronization

/// The current path of an open file, used in error messages and updated when the file is renamed.
package final class FileName: Sendable {
    private let value: Mutex<String>

    package init(_ path: String) { value = Mutex(path) }

    package var path: String {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
