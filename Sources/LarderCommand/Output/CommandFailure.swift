import LarderCore
import LarderFiles

#if Postgres
import LarderPostgres
#endif

/// An error message for standard error, with the exit status of the process.
struct CommandFailure: Error {
    let status: Int32
    let message: String

    /// Creates a failure for a value that does not exist or can't be converted.
    static func notFound(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

    /// Creates a failure for an invalid command line.
    static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }

    /// Creates a failure for a store that is corrupt, or that can't be read or written.
    static func storage(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }

    /// Creates a failure for a required file that does not exist.
    static func missingFile(_ path: String) -> CommandFailure {
        .notFound("There is no file at \(path.debugDescription). Check the path.")
    }

    /// Creates a failure for an output path at which a file already exists.
    static func alreadyExists(_ path: String) -> CommandFailure {
        .usage("A file already exists at \(path.debugDescription). Specify another path.")
    }

    /// Creates a failure for a new file that could not be written.
    static func notWritten(_ path: String, _ error: any Error) -> CommandFailure {
        .storage(
            "The file \(path.debugDescription) could not be written (\(error)). Make sure that its folder is writable and that the disk has free space."
        )
    }

    /// Creates a failure with an error's message and the matching exit status.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as CoreError.NotFound: self = .notFound(error.description)
        case let error as StoreError: self = .storage(Self.sentence(error))
        #if Postgres
        case let error as PostgresError where [.storeNotFound, .schemaMissing].contains(error.code):
            self = .notFound(
                "The database has no such store. Check the address; `larder put` and `larder import` create a missing store."
            )
        #endif
        default: self = .storage(String(describing: error))
        }
    }

    private init(status: Int32, message: String) {
        self.status = status
        self.message = message
    }

    /// Returns the error's message, with the path and the byte offset of the corruption added if they are missing.
    private static func sentence(_ error: StoreError) -> String {
        var sentence = error.description
        if let path = error.path, !sentence.contains(path) { sentence = "\(path.debugDescription): \(sentence)" }
        if error.code == .damaged, let offset = error.offset, !sentence.contains(String(offset)) {
            sentence += " (at byte \(offset))"
        }
        return sentence
    }
}
