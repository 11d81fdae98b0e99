/// Why bytes are no document of the kind they should be, and where the reader stopped.
package struct DocumentDamage: Error, Hashable, CustomStringConvertible {
    /// What is wrong, to stand behind "because".
    package let reason: String
    /// In bytes from the beginning.
    package let offset: Int

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the place.
    package var description: String { "\(reason), at byte \(offset)" }
}
