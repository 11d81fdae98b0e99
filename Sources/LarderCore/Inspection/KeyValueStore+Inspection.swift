extension KeyValueStore {
    /// Returns the number of entries and the limitations that the store declares.
    public func inspectionFacts() throws -> [InspectionFact] {
        try [InspectionFact("entries", String(count()))]
            + capabilities.limitations.map { InspectionFact("limitation", $0) }
    }

    /// Returns up to `limit` entries, formatted as rows and sorted by key.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try entries(prefix: prefix).prefix(max(0, limit)).map {
            InspectionRow(key: $0.key, kind: $0.value.kind.rawValue, value: $0.value.description)
        }
    }
}
