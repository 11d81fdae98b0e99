import LarderCore
import LarderFiles

extension StoreError {
    /// Runs `body`, and converts any `FileError` to a `StoreError` for the store at `path`.
    static func wrapping<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw StoreError(error, path: path)
        }
    }

    /// Creates the error to throw for a failed file operation of the store at `path`.
    init(_ error: FileError, path: String) {
        let (code, advice): (Code, String) =
            switch error.code {
            case .notPermitted: (.notPermitted, "Check the permissions of the file and its folder.")
            case .diskFull: (.diskFull, "Free disk space and try again.")
            case .busy: (.busy, "Try again later, or end the process that holds the lock.")
            case .wrongKind, .invalidPath, .unsupported: (.invalidConfiguration, "Choose the path of a regular file.")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (.tooManyOpenFiles, "Close some files, or raise the open-file limit (`ulimit -n`).")
            case .tooManyThreads:
                (.tooManyThreads, "Reduce the number of threads, or raise the thread limit (`ulimit -u`).")
            default: (.inputOutput, "Check the disk and try again.")
            }
        self.init(
            code,
            "The store \(path.debugDescription) could not be read or written, and nothing was changed. \(advice)",
            path: path,
            underlying: error
        )
    }
}
