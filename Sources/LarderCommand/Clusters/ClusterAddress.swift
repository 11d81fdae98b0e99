import Foundation

/// The address of one store in a database that several machines share, such as `postgresql://host/app#flags`.
///
/// The fragment names the store. The addresses of libpq have no fragment, so the rest is passed to libpq unchanged.
struct ClusterAddress: Sendable, Hashable {
    /// The address of the database, as libpq expects it.
    ///
    /// It may contain a password.
    let database: String
    /// The name of the store in the database.
    let store: String

    /// Returns whether a command-line argument is an address, as opposed to the path of a file.
    static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Parses an address, or returns `nil` if the argument is the path of a file.
    ///
    /// - Parameter text: The argument of the command line.
    /// - Throws: ``CommandFailure`` if the address names no store. The message does not contain the address, which may hold a password.
    init?(_ text: String) throws {
        guard Self.isAddress(text) else { return nil }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        database = String(parts[0])
        guard parts.count == 2, let name = String(parts[1]).removingPercentEncoding, !name.isEmpty else {
            throw CommandFailure.usage(
                "The address names no store. Add # and the name of the store, as in postgresql://host/app#flags."
            )
        }
        store = name
    }

    /// Parses an argument that must be an address.
    ///
    /// - Throws: ``CommandFailure`` if the argument is not the address of a store.
    init(required text: String) throws {
        guard let address = try ClusterAddress(text) else {
            throw CommandFailure.usage(
                "\(text.debugDescription) is not an address. Write the address of a store, such as postgresql://host/app#flags."
            )
        }
        self = address
    }
}
