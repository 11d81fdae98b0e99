#if Objects
internal import LarderCore

/// Which failures to read properties a context has reported.
///
/// A loop over thousands of objects meets the same failure at each. One of a relationship is reported once; values that do not convert
/// are reported a few times, since they differ.
struct FaultReports {
    private struct Cause: Hashable {
        let entity: Int
        let relationship: Int
        let code: String
    }

    private struct Property: Hashable {
        let entity: Int
        let column: Int
    }

    /// How many values of one property are reported.
    static let maximumValues = 10

    private var reported: Set<Cause> = []
    private var values: [Property: Int] = [:]

    /// Takes note of a value that does not convert.
    ///
    /// - Returns: Whether it is the last of its property that is reported; `nil` if it is not to be reported.
    mutating func noteValue(_ column: Int, of entity: ResolvedEntity) -> Bool? {
        let property = Property(entity: entity.index, column: column)
        let count = values[property, default: 0] + 1
        guard count <= Self.maximumValues else { return nil }
        values[property] = count
        return count == Self.maximumValues
    }

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
