/// Why bytes are no property list, and where the reader stopped.
struct PropertyListDamage: Error, Hashable {
    /// What is wrong, to stand behind "because".
    let reason: String
    /// In bytes from the beginning.
    let offset: Int
}
