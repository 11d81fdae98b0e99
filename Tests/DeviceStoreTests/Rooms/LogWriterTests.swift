import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

@testable import LarderDeviceStore

/// Tests of the log writer on a simulated disk, without an engine.
@Suite struct LogWriterTests {
    private static let path = "/data/s.larder"
    private let disk = SimulatedFileSystem(directories: ["/data"])

    private func begin(
        reserved: Int = LogFormat.headerSize,
        io: DeviceStoreOptions.IO = .systemCalls
    ) throws -> LogWriter {
        let file = try disk.open(Self.path, FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false))
        let header = LogHeader.new()
        try file.write(header.block, at: 0)
        let log = try DeviceLog(file: file, header: header, needsFolderSync: false)
        return LogWriter(log, at: .beginning, size: reserved, mark: LogFormat.headerSize, io: io)
    }

    private static func build(_ writer: inout LogWriter, _ key: String, _ value: Int64) throws {
        writer.builder.begin()
        try StoreKey(key).withWords { try writer.builder.set($0, .int(value), size: LogValue.size(of: .int(value))) }
        writer.builder.seal(seed: writer.log.seed, sequence: writer.end.sequence)
    }

    private static func append(_ writer: inout LogWriter) throws {
        if !writer.hasRoom { try writer.reserve(live: 0) }
        try writer.append()
        writer.advance()
    }

    @Test func writtenFramesAreReadBack() throws {
        var writer = try begin()
        for number in 0..<3 {
            try Self.build(&writer, "key \(number)", Int64(number))
            try Self.append(&writer)
        }
        var keys: [String] = []
        let stop = try writer.log.reader.frames(from: .beginning, to: writer.end.offset) { found in
            found.forEachEntry { entry, _ in keys.append(String(decoding: found.bytes.slice(entry.key), as: UTF8.self))
            }
        }
        #expect(keys == ["key 0", "key 1", "key 2"])
        #expect(stop == writer.end)
    }

    @Test func logWriterReusesReservedSpace() throws {
        var writer = try begin()
        try Self.build(&writer, "key", 1)
        #expect([writer.hasRoom, writer.fitsInReserve] == [false, false])
        try writer.reserve(live: 0)
        let reserved = writer.reservedEnd
        #expect([writer.hasRoom, writer.fitsInReserve] == [true, true])
        #expect(reserved >= writer.frameEnd + LogFormat.reserve)
        try Self.append(&writer)
        try Self.build(&writer, "key", 2)
        #expect(writer.hasRoom == true)
        #expect(writer.reservedEnd == reserved)
        #expect(try writer.log.file.information().size >= reserved)
    }

    @Test func fullDiskIsDetectedBeforeFrameIsWritten() throws {
        var writer = try begin()
        try Self.build(&writer, "key", 1)
        disk.fail(at: 0, errno: 28, forever: true, only: [.resize])
        #expect(throws: FileError.self) { try writer.reserve(live: 0) }
        disk.stopFailing()
        #expect(writer.reservedEnd == LogFormat.headerSize)
        try Self.append(&writer)
        #expect(writer.end.sequence == 2)
    }

    @Test func logWriterRetriesSpaceReservationBeforeMapping() throws {
        var writer = try begin(reserved: 1 << 20, io: .mapped)
        try Self.build(&writer, "key", 1)
        disk.fail(at: 0, errno: 28, forever: true, only: [.resize])
        #expect(writer.isMapped() == false)
        disk.stopFailing()
        #expect(writer.isMapped() == true)
        #expect(try writer.log.file.information().size >= 1 << 20)
    }

    @Test(arguments: [(8_000, true), (20_000, false)])
    func longFramesAreNotMemoryMapped(size: Int, isMapped: Bool) throws {
        var writer = try begin(reserved: 1 << 20, io: .mapped)
        writer.builder.begin()
        let value = StoredValue.string(String(repeating: "a", count: size))
        try StoreKey("key").withWords { try writer.builder.set($0, value, size: LogValue.size(of: value)) }
        writer.builder.seal(seed: writer.log.seed, sequence: writer.end.sequence)
        #expect(writer.isMapped() == isMapped)
    }

    @Test func logWriterErasesFailedFrame() throws {
        var writer = try begin()
        try Self.build(&writer, "key", 1)
        try writer.reserve(live: 0)
        try writer.append()
        let range = writer.end.offset..<writer.frameEnd
        try writer.erase(range)
        #expect(try writer.log.file.read(at: range.lowerBound, count: range.count).allSatisfy { $0 == 0 })
        #expect(writer.end == .beginning)
    }

    @Test func logWriterSwitchesToAnotherFile() throws {
        var writer = try begin(reserved: 1 << 20)
        let other = try begin()
        writer.begin(other.log, at: .beginning, mark: 7, reserved: LogFormat.headerSize)
        #expect(writer.log === other.log)
        #expect(writer.mark == 7)
        #expect(writer.reservedEnd == LogFormat.headerSize)
        writer.noteReserved(9_000)
        writer.noteReserved(8_000)
        #expect(writer.reservedEnd == 9_000)
    }

    @Test func oversizedFrameIsRejectedBeforeAllocation() throws {
        let writer = try begin()
        try writer.checkLength(Self.path)
        #expect { try writer.checkLength(adding: LogFormat.maximumFrameLength, Self.path) } throws: { error in
            (error as? StoreError)?.path == Self.path
        }
    }
}
