extension FileError {
    /// Creates a file error from an `errno` value.
    package init(errno number: Int32, _ operation: Operation, _ path: String, detail: String? = nil) {
        self.init(SystemCalls.code(of: number), operation, path, errno: number, detail: detail)
    }

    /// Whether the operation failed because too many files are open in the process or the system.
    package var isOfTooManyOpenFiles: Bool { code == .tooManyOpenFiles || code == .tooManyOpenFilesInSystem }

    /// Returns a copy of this error with `detail` appended to its details.
    package func adding(detail: String) -> FileError {
        FileError(
            code,
            operation,
            path,
            errno: errno,
            underlying: underlying,
            detail: [self.detail, detail].compactMap { $0 }.joined(separator: "; ")
        )
    }

    /// Returns the error for a path that contains a NUL character and therefore can't be passed to the operating system.
    static func containsNull(_ path: String, _ operation: Operation) -> FileError {
        FileError(.invalidPath, operation, path, detail: "it contains a NUL character")
    }
}
