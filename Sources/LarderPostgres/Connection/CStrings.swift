#if Postgres
/// A list of byte strings, each ended by a zero byte, for a function of C.
struct CStrings {
    private var bytes: [CChar] = []
    private var starts: [Int?] = []

    /// Creates a list of strings.
    init(_ strings: [String]) { self.init(strings.map { Array($0.utf8) }) }

    /// Creates a list of byte strings, in which `nil` becomes a null pointer.
    init(_ strings: [[UInt8]?]) {
        bytes.reserveCapacity(strings.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
        for string in strings {
            starts.append(string == nil ? nil : bytes.count)
            guard let string else { continue }
            string.withUnsafeBytes { bytes.append(contentsOf: $0.bindMemory(to: CChar.self)) }
            bytes.append(0)
        }
    }

    /// Calls `body` with the pointers to the strings, followed by a null pointer.
    func read<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            body(starts.map { start in start.flatMap { start in buffer.baseAddress.map { $0 + start } } } + [nil])
        }
    }
}
#endif
