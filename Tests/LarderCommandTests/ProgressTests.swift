#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct ProgressTests {
    /// The commands and the titles of their progress bars.
    private static let titles = [
        ["verify"]: "verifying", ["compact"]: "compacting", ["stat"]: "reading", ["repair"]: "repairing",
        ["backup", "COPY"]: "backing up", ["export", "COPY"]: "copying",
    ]
    private static let commands = titles.keys.sorted { $0[0] < $1[0] }

    private func arguments(_ command: [String], _ path: String, _ folder: URL) -> [String] {
        command.map { $0 == "COPY" ? folder.appending(path: "copy.larder").path : $0 } + ["--store", path]
    }

    @Test(arguments: commands)
    func longOperationDrawsAndRemovesProgressBar(command: [String]) throws {
        try withDeviceStore { path, folder throws in
            if command == ["repair"] { try damage(path) }
            let run = Invocation(arguments(command, path, folder), showsProgress: true)
            #expect(run.status == 0)
            #expect(run.complaint.contains("[################################] 100 %"))
            #expect(run.complaint.hasSuffix("\r\u{1B}[K"))
            #expect(!run.output.contains("%"))
        }
    }

    /// `stat` is excluded, because its progress bar advances in a single step.
    @Test(arguments: commands.filter { $0 != ["stat"] })
    func everyLongCommandShowsProgress(command: [String]) throws {
        try withFolder { folder in
            let path = folder.appending(path: "s.larder").path
            // The store is several times larger than the largest block that these commands process at once, which is 1 MiB.
            let store = try DeviceStore(path: path)
            for number in 0..<400 { try store.set(.data(Data(count: 10_000)), for: StoreKey("key\(number)")) }
            try store.close()
            if command == ["repair"] { try damage(path) }
            let run = Invocation(arguments(command, path, folder), showsProgress: true)
            #expect(run.status == 0)
            let shown = run.complaint.matches(of: /(\d+) %/).compactMap { Int($0.1) }
            #expect(shown.contains { 0 < $0 && $0 < 100 }, "\(shown)")
            #expect(shown == shown.sorted(), "\(shown)")
            #expect(try DeviceStore(path: path).verify().isIntact)
        }
    }

    @Test(arguments: commands)
    func progressBarIsHiddenWithoutTerminal(command: [String]) throws {
        try withDeviceStore { path, folder throws in
            if command == ["repair"] { try damage(path) }
            let run = Invocation(arguments(command, path, folder))
            #expect(run.status == 0 && run.complaint.isEmpty)
        }
    }

    #if canImport(Glibc)
    @Test(arguments: commands)
    func progressBarIsDrawnOnTerminalButNotInPipe(command: [String]) throws {
        let title = try #require(Self.titles[command])
        try withDeviceStore { path, folder throws in
            if command == ["repair"] { try damage(path) }
            let piped = try CommandRun(arguments(command, path, folder))
            #expect(piped.status == 0 && piped.complaint.isEmpty && !piped.output.contains("%"))
        }
        try withDeviceStore { path, folder throws in
            if command == ["repair"] { try damage(path) }
            let terminal = try Terminal()
            let process = Process()
            process.executableURL = try CommandRun.program()
            process.arguments = arguments(command, path, folder)
            process.environment = ["LLVM_PROFILE_FILE": "/dev/null", "TERM": "xterm"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = terminal.other
            try process.start()
            let shown = try terminal.everything()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(shown.contains("\(title) [") && shown.contains("100 %"))
            #expect(shown.hasSuffix("\r\u{1B}[K"))
        }
    }
    #endif
}

#if canImport(Glibc)
/// A pair of devices, one of which is the terminal of a program while the test reads from the other one.
private struct Terminal {
    /// The end that the program uses as its terminal.
    let other: FileHandle
    private let mine: Int32

    struct NotMade: Error {}

    init() throws {
        mine = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        // These calls replace `unlockpt` and `ptsname`, which Swift does not import. The codes are TIOCSPTLCK and TIOCGPTN.
        guard mine >= 0, ioctl(mine, 0x4004_5431, &isLocked) == 0, ioctl(mine, 0x8004_5430, &number) == 0 else {
            throw NotMade()
        }
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { throw NotMade() }
        other = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns all output that the program writes until it ends.
    func everything() throws -> String {
        try other.close()
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(mine, &buffer, buffer.count), count > 0 { shown += buffer[..<count] }
        close(mine)
        return String(decoding: shown, as: UTF8.self)
    }
}
#endif
#endif
