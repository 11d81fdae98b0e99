import LarderCore
import LarderFiles

extension StoreError {
    /// Runs `body` and turns what it throws of files into what a store throws.
    static func wrapping<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw StoreError(error, path: path)
        }
    }

    /// What a failure with files means to the store at `path`.
    init(_ error: FileError, path: String) {
        let (code, advice): (Code, String) =
            switch error.code {
            case .notPermitted: (.notPermitted, "check the permissions of the file and its folder")
            case .diskFull: (.diskFull, "make room on the disk and try again")
            case .busy: (.busy, "try again, or end the process that holds the lock")
            case .wrongKind, .invalidPath, .unsupported: (.invalidConfiguration, "choose the path of a file")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (.tooManyOpenFiles, "close other files, or raise the limit of open files")
            case .tooManyThreads: (.tooManyThreads, "end other threads, or raise the limit of threads")
            default: (.inputOutput, "check the disk and try again")
            }
        self.init(
            code,
            "The store \(path) could not do what it was asked, and nothing was changed: \(advice).",
            path: path,
            underlying: error
        )
    }
}
