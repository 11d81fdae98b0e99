#if Objects
internal import LarderCore

/// Which failures to read relationships a context has reported.
///
/// A loop over thousands of objects meets the same failure at each: it is reported once.
struct FaultReports {
    private struct Cause: Hashable {
        let entity: Int
        let relationship: Int
        let code: String
    }

    private var reported: Set<Cause> = []

    /// Takes note of a failure.
    ///
    /// - Returns: Whether it is to be reported: the first of its relationship and code.
    mutating func note(_ relationship: ResolvedRelationship, of entity: ResolvedEntity, _ error: any Error) -> Bool {
        let code = (error as? ObjectError)?.code.description ?? String(describing: type(of: error))
        return reported.insert(Cause(entity: entity.index, relationship: relationship.index, code: code)).inserted
    }

    /// Takes note that a relationship was read: its next failure is news, unless it is damage, which stays.
    mutating func forget(_ relationship: ResolvedRelationship, of entity: ResolvedEntity) {
        guard !reported.isEmpty else { return }
        reported = reported.filter {
            $0.entity != entity.index || $0.relationship != relationship.index
                || $0.code == ObjectError.Code.damaged.description
        }
    }
}
#endif
