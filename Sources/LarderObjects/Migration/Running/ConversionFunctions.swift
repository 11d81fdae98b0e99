#if Objects
internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// The SQL functions that a migration uses: `larder_convert(slot, objectID, value)` and `larder_default(entity, attribute)`.
///
/// An instance must be used by only one connection and on one thread at a time.
final class ConversionFunctions {
    /// A function that returns a closure for evaluating an attribute's default value, or `nil` if the attribute has no default.
    typealias MakeDefault = (_ entity: String, _ attribute: String) -> (@Sendable () throws -> ColumnValue)?

    private(set) var ledger = LossLedger()
    /// The first error thrown by client code, for example by a default value.
    private(set) var error: (any Error)?
    private let slots: [ConversionSlot]
    /// The functions that check whether an attribute's new type can decode a value, indexed by conversion.
    ///
    /// An element is `nil` if the new type can decode every value of its stored format.
    private let accepts: [((ColumnValue) -> Bool)?]
    private let makeDefault: MakeDefault
    private let replacements: [(() throws -> ColumnValue)?]

    /// Creates the SQL functions for a migration step.
    ///
    /// - Parameters:
    ///   - slots: The attribute conversions of the step.
    ///   - model: The program's model, which decodes values and provides defaults, or `nil` if the step leads to a frozen version.
    ///   - makeDefault: A function that returns a closure for evaluating an attribute's default value. If it is `nil`, the defaults
    ///     declared in `model` are used.
    init(_ slots: [ConversionSlot], model: ResolvedModel?, makeDefault: MakeDefault? = nil) {
        self.slots = slots
        self.makeDefault =
            makeDefault ?? { entity, attribute in
                model?.entity(named: entity)?.description.attributes.first { $0.name == attribute }?.makeDefault
            }
        func attribute(_ slot: ConversionSlot) -> AttributeDescription? {
            model?.entity(named: slot.entity)?.description.attributes.first { $0.name == slot.attribute }
        }
        accepts = slots.map { slot -> ((ColumnValue) -> Bool)? in
            if let attribute = attribute(slot) {
                // A plain type can decode every value of its stored format.
                guard attribute.storedTypeName != nil else { return nil }
                return { attribute.canDecode($0) }
            }
            guard let values = slot.values else { return nil }
            return { $0.isCase(of: values) }
        }
        replacements = slots.map { slot in
            switch slot.replacement {
            case .constant(let value)?: return { value }
            case .perRow?:
                return attribute(slot)?.makeReplacement ?? {
                    throw ObjectError(
                        .modelMismatch,
                        "The replacement value of \(slot.entity).\(slot.attribute) is computed by code that this program no longer "
                            + "contains, so nothing was changed. Write a custom migration stage."
                    )
                }
            case .unstorable?, nil: return nil
            }
        }
    }

    /// Converts an attribute's stored value, and records a data loss if the value can't be converted exactly.
    func convert(_ value: ColumnValue, slot index: Int, objectID: Int64) -> ColumnValue {
        func replaced(_ kind: MigrationLoss.Kind) -> ColumnValue {
            ledger.note(.init(slot: index, kind: kind), objectID: objectID)
            guard let make = replacements[index] else { return .null }
            do { return try make() } catch {
                self.error = self.error ?? error
                return .null
            }
        }
        func isAccepted(_ result: ColumnValue) -> Bool { accepts[index]?(result) ?? true }
        if value.isNull { return slots[index].isRequired ? replaced(.missingValue) : .null }
        switch slots[index].conversion.convert(value) {
        case .exact(let result) where isAccepted(result): return result
        case .inexact(let result) where isAccepted(result):
            ledger.note(.init(slot: index, kind: .inexactValue), objectID: objectID)
            return result
        case .exact, .inexact, .none: return replaced(.value)
        }
    }

    /// Returns the default value of an attribute for one object, or NULL if the attribute has no default.
    func makeDefault(_ entity: String, _ attribute: String) -> ColumnValue {
        guard let make = makeDefault(entity, attribute) else { return .null }
        do { return try make() } catch {
            self.error = self.error ?? error
            return .null
        }
    }

    /// Runs `body` while the SQL functions are registered on a connection.
    func withFunctions<Result>(on database: Database, _ body: () throws -> Result) throws -> Result {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try add("larder_convert", 3, database, context) { context, _, arguments in
            guard let arguments, let this = ConversionFunctions.of(context) else { return sqlite3_result_null(context) }
            let result = this.convert(
                PreparedStatement.value(arguments[2]),
                slot: Int(sqlite3_value_int(arguments[0])),
                objectID: sqlite3_value_int64(arguments[1])
            )
            PreparedStatement.setResult(result, of: context)
        }
        try add("larder_default", 2, database, context) { context, _, arguments in
            guard let arguments, let this = ConversionFunctions.of(context),
                case .text(let entity) = PreparedStatement.value(arguments[0]),
                case .text(let attribute) = PreparedStatement.value(arguments[1])
            else { return sqlite3_result_null(context) }
            PreparedStatement.setResult(this.makeDefault(entity, attribute), of: context)
        }
        // The registered functions do not retain this object, so they are removed before this method returns.
        defer {
            for (name, count) in [("larder_convert", Int32(3)), ("larder_default", Int32(2))] {
                sqlite3_create_function_v2(
                    database.sqliteConnection,
                    name,
                    count,
                    SQLITE_UTF8,
                    nil,
                    nil,
                    nil,
                    nil,
                    nil
                )
            }
        }
        return try withExtendedLifetime(self) { try body() }
    }

    private static func of(_ context: OpaquePointer?) -> ConversionFunctions? {
        sqlite3_user_data(context).map { Unmanaged<ConversionFunctions>.fromOpaque($0).takeUnretainedValue() }
    }

    private func add(
        _ name: String,
        _ count: Int32,
        _ database: Database,
        _ context: UnsafeMutableRawPointer,
        _ function: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws {
        let result = sqlite3_create_function_v2(
            database.sqliteConnection,
            name,
            count,
            SQLITE_UTF8,
            context,
            function,
            nil,
            nil,
            nil
        )
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }
}

extension PreparedStatement {
    /// Returns the value of an SQL function argument.
    static func value(_ value: OpaquePointer?) -> ColumnValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .real(sqlite3_value_double(value))
        case SQLITE_TEXT: .text(String(decoding: bytes(value), as: UTF8.self))
        case SQLITE_BLOB: .blob(Data(bytes(value)))
        default: .null
        }
    }

    /// Sets the result of an SQL function.
    static func setResult(_ value: ColumnValue, of context: OpaquePointer?) {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let integer): sqlite3_result_int64(context, integer)
        case .real(let real): sqlite3_result_double(context, real)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // With a null pointer, SQLite would return NULL instead of the empty string.
                    guard let start = characters.baseAddress else { return sqlite3_result_text(context, "", 0, copied) }
                    sqlite3_result_text(context, start, Int32(characters.count), copied)
                }
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return sqlite3_result_zeroblob(context, 0)
                }
                sqlite3_result_blob(context, start, Int32(bytes.count), copied)
            }
        }
    }
}
#endif
