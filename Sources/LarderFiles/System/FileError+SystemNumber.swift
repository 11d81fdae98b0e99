extension FileError {
    /// The error for a number that the operating system left in `errno`.
    package init(errno number: Int32, _ operation: Operation, _ path: String, detail: String? = nil) {
        self.init(SystemCalls.code(of: number), operation, path, errno: number, detail: detail)
    }

    /// Whether no file could be opened because too many are open, which says nothing about the file.
    package var isOfTooManyOpenFiles: Bool { code == .tooManyOpenFiles || code == .tooManyOpenFilesInSystem }

    /// The same error with another sentence added.
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

    /// The error for a path that no operating system call can be given.
    static func containsNull(_ path: String, _ operation: Operation) -> FileError {
        FileError(.invalidPath, operation, path, detail: "it contains a NUL character")
    }
}
