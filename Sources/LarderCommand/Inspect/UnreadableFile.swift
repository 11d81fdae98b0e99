#if Command && Inspector
import LarderCore

/// A file that can't be opened, shown with the reason.
struct UnreadableFile: Inspectable {
    let path: String
    let failure: CommandFailure

    var inspectionName: String { path }
    var inspectionKind: String { "unreadable file" }

    func inspectionFacts() throws -> [InspectionFact] { [InspectionFact("problem", failure.message)] }
    func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] { [] }
}
#endif
