/// Why bytes are no document of the kind they should be, and where the reader stopped.
struct DocumentDamage: Error, Hashable {
    /// What is wrong, to stand behind "because".
    let reason: String
    /// In bytes from the beginning.
    let offset: Int
}
