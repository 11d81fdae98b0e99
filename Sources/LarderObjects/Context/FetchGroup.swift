#if Objects
/// Objects that came from one fetch: the first of them whose relationship is asked for reads it for all.
final class FetchGroup: Sendable {
    let ids: [Int64]
    init(_ ids: [Int64]) { self.ids = ids }
}
#endif
