#if Objects
internal import Foundation
internal import GRDB
internal import GRDBSQLite

extension SQLFunctions {
    /// A box for a conversion that SQLite caches between rows.
    private final class Conversion {
        let conversion: ColumnConversion

        init(_ conversion: ColumnConversion) { self.conversion = conversion }
    }

    /// Returns the SQL expression for a column whose values are converted from one format to another, or `nil` if no value can be
    /// converted.
    ///
    /// A value that can't be converted exactly is replaced with a value that the property's type can't decode. Reading the property then
    /// reports an issue.
    static func converted(_ column: String, from: String, to: String) -> String? {
        guard from != to else { return column }
        guard ColumnConversion(from: from, to: to).isPossible else { return nil }
        let formats = [from, to].map { ColumnValue.text($0).sqlLiteral }
        return "larder_converted(\(column), \(formats.joined(separator: ", ")))"
    }

    /// Registers the SQL function `larder_converted(value, from, to)`.
    static func registerConversion(on database: Database) throws {
        try add("larder_converted", 3, database) { context, _, arguments in
            guard let arguments, let from = SQLFunctions.text(arguments[1]), let to = SQLFunctions.text(arguments[2])
            else { return sqlite3_result_null(context) }
            let known: Conversion
            // The formats are constant arguments, so SQLite keeps the conversion.
            if let kept = sqlite3_get_auxdata(context, 1) {
                known = Unmanaged<Conversion>.fromOpaque(kept).takeUnretainedValue()
            } else {
                known = Conversion(ColumnConversion(from: from, to: to))
                sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(known).toOpaque()) { kept in
                    if let kept { Unmanaged<Conversion>.fromOpaque(kept).release() }
                }
            }
            switch known.conversion.convert(PreparedStatement.value(arguments[0])) {
            case .exact(let value): PreparedStatement.setResult(value, of: context)
            case .inexact, .none:
                // No type decodes an empty blob, except data.
                PreparedStatement.setResult(to == "data" ? .text("") : .blob(Data()), of: context)
            }
        }
    }
}
#endif
