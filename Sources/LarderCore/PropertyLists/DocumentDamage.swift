/// An error thrown when bytes can't be parsed as a property list or XML document.
package struct DocumentDamage: Error, Hashable, CustomStringConvertible {
    /// The reason, as a clause that can follow "because" in a message.
    package let reason: String
    /// The byte offset at which parsing stopped.
    package let offset: Int

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason followed by the offset.
    package var description: String { "\(reason), at byte \(offset)" }
}
