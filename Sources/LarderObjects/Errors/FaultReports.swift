#if Objects
internal import LarderCore

/// A record of the failed property reads that a context has already reported as issues.
///
/// A relationship's failures are reported once per error code. For each property, the first ten undecodable values are reported.
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

    /// The maximum number of undecodable values that are reported per property.
    static let maximumValues = 10

    private var reported: Set<Cause> = []
    private var values: [Property: Int] = [:]

    /// Records that a property's stored value can't be decoded.
    ///
    /// - Returns: `nil` if ``maximumValues`` is exceeded, `true` if the value is the last one to report, otherwise `false`.
    mutating func noteValue(_ column: Int, of entity: ResolvedEntity) -> Bool? {
        let property = Property(entity: entity.index, column: column)
        let count = values[property, default: 0] + 1
        guard count <= Self.maximumValues else { return nil }
        values[property] = count
        return count == Self.maximumValues
    }

    /// Records that reading a relationship failed.
    ///
    /// - Returns: `true` if the failure must be reported because it is the first for this relationship and error code.
    mutating func note(_ relationship: ResolvedRelationship, of entity: ResolvedEntity, _ error: any Error) -> Bool {
        let code = (error as? ObjectError)?.code.description ?? String(describing: type(of: error))
        return reported.insert(Cause(entity: entity.index, relationship: relationship.index, code: code)).inserted
    }

    /// Records that reading a relationship succeeded.
    ///
    /// The next failure is reported again, unless the database is corrupt.
    mutating func forget(_ relationship: ResolvedRelationship, of entity: ResolvedEntity) {
        guard !reported.isEmpty else { return }
        reported = reported.filter {
            $0.entity != entity.index || $0.relationship != relationship.index
                || $0.code == ObjectError.Code.damaged.description
        }
    }
}
#endif
