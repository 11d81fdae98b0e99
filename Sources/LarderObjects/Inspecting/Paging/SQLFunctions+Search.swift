#if Objects
internal import GRDB
internal import GRDBSQLite
internal import LarderCore

/// A search that SQLite keeps for the next row.
private final class KeptSearch {
    let search: TextSearch

    init?(_ text: String) {
        guard let search = TextSearch(text) else { return nil }
        self.search = search
    }
}

extension SQLFunctions {
    /// The name of the function that returns whether a value contains a text, by the rules of `TextSearch`.
    static let search = "larder_search"

    static func registerSearch(on database: Database) throws {
        try add(search, 2, database) { context, _, arguments in
            guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
                return sqlite3_result_int(context, 0)
            }
            let kept: KeptSearch
            // SQLite keeps the search for a constant argument.
            if let known = sqlite3_get_auxdata(context, 1) {
                kept = Unmanaged<KeptSearch>.fromOpaque(known).takeUnretainedValue()
            } else {
                guard let new = SQLFunctions.text(arguments[1]).flatMap({ KeptSearch($0) }) else {
                    return sqlite3_result_int(context, 0)
                }
                kept = new
                sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(new).toOpaque()) { known in
                    if let known { Unmanaged<KeptSearch>.fromOpaque(known).release() }
                }
            }
            sqlite3_result_int(context, kept.search.matches(PreparedStatement.bytes(arguments[0])) ? 1 : 0)
        }
    }
}
#endif
