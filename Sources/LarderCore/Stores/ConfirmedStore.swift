/// A replicated store whose confirmed values can be read without the pending writes of this machine.
package protocol ConfirmedStore: KeyValueStore {
    /// Returns the value under `key` that the cluster has confirmed.
    ///
    /// - Throws: ``StoreError`` if the store can't be read.
    func confirmedValue(_ key: StoreKey) throws -> StoredValue?

    /// Returns the entries that the cluster has confirmed and whose keys begin with `prefix`, at one position of the cluster's order.
    ///
    /// - Throws: ``StoreError`` if the store can't be read.
    func confirmedEntries(prefix: String) throws -> [StoreEntry]
}
