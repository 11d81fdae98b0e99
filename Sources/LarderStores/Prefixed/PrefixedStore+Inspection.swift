public import LarderCore

// A view is not its base: it shows its own entries, and offers nothing that would copy or change the others.
extension PrefixedStore {
    /// Returns the number of entries of the view, where they are kept, and what the store guarantees.
    public func inspectionFacts() throws -> [InspectionFact] {
        try [
            InspectionFact("entries", String(entryCount())), InspectionFact("view of", base.inspectionName),
            InspectionFact("prefix", prefix),
        ] + guaranteeFacts
    }

    /// No numbers, because those of the base are about all of its entries.
    public func inspectionStatistics() -> [InspectionStatistic] { [] }

    /// No lists, because those of the base are about all of its entries.
    public func inspectionReports() -> [InspectionReport] { [] }

    /// The action "verify", which checks the whole base.
    public var inspectionActions: [InspectionAction] { [.verify] }

    /// Carries out the action "verify", and nothing else.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    public func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        guard action.name == InspectionAction.verify.name else { return [] }
        return try runVerification(telling: progress).inspectionFacts
    }
}
