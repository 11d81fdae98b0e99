import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

/// Tests of reading damaged files with a property list storage.
///
/// The tests run in child processes, because Foundation's decoder would crash on some of these files.
struct PListFileCorruptionTests {
    /// A recursive type, whose property list may contain itself if the file is damaged.
    struct Tree: Codable, Equatable {
        var name = "root"
        var count = UInt64.max
        var since = Date(timeIntervalSinceReferenceDate: 1)
        var image = Data([1, 2, 3])
        var ratio: Float = 0.5
        var sizes = ["é": [1, -2, 300]]
        var branches: [Tree] = []
    }

    private static let path = "/lists/l"
    private static let value = Tree(branches: [Tree(name: "a", branches: [Tree(name: "b")]), Tree(name: "🙂")])

    /// Reads a file after each kind of damage, and verifies that the storage returns a value or throws an error, leaving the file
    /// unchanged.
    private static func readAll(_ format: PListFormat, _ damage: ([UInt8]) -> [[UInt8]]) throws {
        let system = SimulatedFileSystem()
        try system.createDirectory(at: "/lists")
        let storage = PListFileStorage(format: format, on: system)
        let url = URL(fileURLWithPath: path)
        try storage.write(value, to: url)
        let whole = [UInt8](try system.contents(of: path))
        for damaged in damage(whole) {
            try system.replaceContents(of: path, with: damaged)
            do {
                let read: Tree = try storage.data(for: url)
                #expect(damaged.count == whole.count || read == value)
            } catch let error as FileError {
                #expect(error.code == .undecodable && error.underlying is DecodingError)
            }
            #expect([UInt8](try system.contents(of: path)) == damaged)
        }
    }

    private static func flipped(_ whole: [UInt8]) -> [[UInt8]] {
        (0..<(whole.count * 8)).map { bit in
            var damaged = whole
            damaged[bit / 8] ^= 1 << (bit % 8)
            return damaged
        }
    }

    @Test func binaryPropertyListWithFlippedBitIsReadOrRejected() async {
        await #expect(processExitsWith: .success) {
            try PListFileCorruptionTests.readAll(.binary, PListFileCorruptionTests.flipped)
        }
    }

    @Test func xmlPropertyListWithFlippedBitIsReadOrRejected() async {
        await #expect(processExitsWith: .success) {
            try PListFileCorruptionTests.readAll(.xml, PListFileCorruptionTests.flipped)
        }
    }

    /// Overwrites each byte with 0, which makes a container in a binary property list contain the root, or with 0xFF, which never occurs in
    /// XML.
    @Test func propertyListWithOverwrittenByteIsReadOrRejected() async {
        for isXML in [true, false] {
            await #expect(processExitsWith: .success) { [isXML = isXML as Bool] in
                try PListFileCorruptionTests.readAll(isXML ? .xml : .binary) { whole in
                    whole.indices.flatMap { index in
                        [UInt8(0), 0xFF].map { byte in
                            var damaged = whole
                            damaged[index] = byte
                            return damaged
                        }
                    }
                }
            }
        }
    }

    @Test func truncatedPropertyListIsReadOrRejected() async {
        await #expect(processExitsWith: .success) {
            for format in [PListFormat.binary, .xml] {
                try PListFileCorruptionTests.readAll(format) { whole in whole.indices.map { Array(whole[..<$0]) } }
            }
        }
    }

    @Test(arguments: [PListFormat.binary, .xml])
    func propertyListWrittenByFoundationIsReadIdentically(format: PListFormat) throws {
        let system = SimulatedFileSystem()
        try system.createDirectory(at: "/lists")
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        struct Numbers: Codable, Equatable {
            var float = Float.greatestFiniteMagnitude
            var doubles = [0.1, -.infinity, 1e300, .leastNonzeroMagnitude]
            var bounds = [Int64.min, Int64.max]
            var date = Date(timeIntervalSinceReferenceDate: 700_000_000)
            var text = "a\r\nb\u{7}<&>\"'"
            var nothing: [Int?] = [nil, 1]
        }
        let content = try encoder.encode(Numbers())
        try system.replaceContents(of: Self.path, with: content)
        let read: Numbers = try PListFileStorage(on: system).data(for: URL(fileURLWithPath: Self.path))
        #expect(read == (try PropertyListDecoder().decode(Numbers.self, from: content)))
    }

    @Test func writingExcessivelyNestedValueThrows() throws {
        let system = SimulatedFileSystem()
        try system.createDirectory(at: "/lists")
        var deep = Tree()
        for _ in 0..<100 { deep = Tree(branches: [deep]) }
        let url = URL(fileURLWithPath: Self.path)
        #expect { try PListFileStorage(on: system).write(deep, to: url) } throws: {
            ($0 as? FileError)?.code == .undecodable && ($0 as? FileError)?.underlying is EncodingError
        }
    }
}
