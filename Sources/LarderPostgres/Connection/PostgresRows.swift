#if Postgres
internal import CPostgres

/// The rows that a statement has returned, in binary format.
struct PostgresRows: ~Copyable {
    /// The number of rows.
    let count: Int
    private let result: OpaquePointer?

    /// Takes a result of libpq, which is released with this value.
    init(taking result: OpaquePointer?) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    /// Calls `body` with the bytes of a column, or returns `nil` if the value is null.
    private func read<Value>(
        _ row: Int,
        _ column: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value?
    ) throws -> Value? {
        guard row < count, column < Int(PQnfields(result)) else { throw Self.unexpected }
        let (row, column) = (Int32(row), Int32(column))
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column),
            count: Int(PQgetlength(result, row, column))
        )
        guard let value = try body(bytes) else { throw Self.unexpected }
        return value
    }

    /// Returns the bytes in a column, or `nil` if the value is null.
    func bytes(_ row: Int, _ column: Int) throws -> [UInt8]? { try read(row, column) { Array($0) } }

    /// Returns the string in a column, or `nil` if the value is null.
    func text(_ row: Int, _ column: Int) throws -> String? {
        try read(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the Boolean in a column, or `nil` if the value is null.
    func boolean(_ row: Int, _ column: Int) throws -> Bool? { try read(row, column) { $0.first.map { $0 != 0 } } }

    /// Returns the integer in a column of the matching type, or `nil` if the value is null.
    func integer<Number: FixedWidthInteger>(_ row: Int, _ column: Int, as type: Number.Type) throws -> Number? {
        try read(row, column) { Number(networkBytes: $0) }
    }

    /// Returns the numbers of a column of the type `bigint[]`.
    func int8Array(_ row: Int, _ column: Int) throws -> [Int64] {
        let bytes = try bytes(row, column) ?? []
        // Twelve bytes before the dimensions, eight for the only dimension, and each number with its length.
        guard bytes.count > 20 else { return [] }
        return try stride(from: 24, to: bytes.count, by: 12).map { start in
            guard start + 8 <= bytes.count, let number = Int64(networkBytes: bytes[start..<start + 8]) else {
                throw Self.unexpected
            }
            return number
        }
    }

    /// Returns a value that a function of the schema never leaves out.
    static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw unexpected }
        return value
    }

    static var unexpected: PostgresError {
        PostgresError(
            .statement,
            "A function of the schema larder returned something unexpected. Check that nothing but Larder has changed the schema, or update Larder."
        )
    }
}
#endif
