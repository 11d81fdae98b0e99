import LarderCore

// Lookups by a writer that holds its lock and has read all commits made by other processes. Nothing else changes the index in that state,
// so readers can continue.
extension IndexView {
    /// Returns the number of the index entry for `key`, or `nil` if the index does not contain the key.
    @inline(__always)
    func entryNumber(of key: KeyWords, _ hashed: UInt64) -> Int? {
        table.search(for: key, hashed: hashed).number
    }
}
