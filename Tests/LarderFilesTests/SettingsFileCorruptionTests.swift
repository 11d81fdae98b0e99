import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

/// Tests of updating damaged settings files.
struct SettingsFileCorruptionTests {
    struct Settings: Codable, Equatable, Sendable {
        var launches = 3
        var name: String? = "shop"
        var since = Date(timeIntervalSinceReferenceDate: 0.1)
        var shops = ["é": true]
        var ratio: Float = 0.5
        var image = Data([1, 2, 3])
        var sizes = [1, 2, 300]
        var limit = UInt64.max
    }

    /// An older version of the settings, which has only one field.
    struct OlderSettings: Codable, Equatable, Sendable {
        var launches = 0
    }

    private let system = SimulatedFileSystem()
    private let path = "/settings/s"

    init() throws { try system.createDirectory(at: "/settings") }

    private func content(_ format: PListFormat) throws -> [UInt8] {
        let file = try SettingsFile(path: path, defaults: Settings(), format: format, on: system)
        try file.update { $0.launches = 3 }
        return [UInt8](try system.contents(of: path))
    }

    /// Updates one field of a damaged file, and verifies that the update throws an error or keeps all other fields of the file.
    private func expectKeptOrRefused(_ damaged: [UInt8], _ format: PListFormat, _ place: String) throws {
        try system.replaceContents(of: path, with: damaged)
        let file = try SettingsFile(path: path, defaults: OlderSettings(), format: format, on: system)
        do {
            try file.update { $0.launches &+= 1 }
        } catch let error as FileError {
            #expect(error.code == .undecodable, "\(place)")
            #expect([UInt8](try system.contents(of: path)) == damaged, "\(place)")
            return
        }
        var before = try PropertyListDocument.entries(of: damaged)
        var after = try PropertyListDocument.entries(of: [UInt8](system.contents(of: path)))
        before["launches"] = nil
        after["launches"] = nil
        #expect(after == before, "\(place)")
    }

    @Test(arguments: [PListFormat.binary, .xml])
    func updateOfBitFlippedSettingsFileThrowsOrKeepsOtherFields(format: PListFormat) throws {
        let whole = try content(format)
        for bit in 0..<(whole.count * 8) {
            var damaged = whole
            damaged[bit / 8] ^= 1 << (bit % 8)
            try expectKeptOrRefused(damaged, format, "bit \(bit)")
        }
    }

    @Test(arguments: [PListFormat.binary, .xml])
    func updateOfTruncatedSettingsFileThrowsOrKeepsOtherFields(format: PListFormat) throws {
        let whole = try content(format)
        for length in 0..<whole.count { try expectKeptOrRefused(Array(whole[..<length]), format, "\(length) bytes") }
    }

    @Test func updateKeepsUnknownFieldsOfEveryType() throws {
        let fields: StoredDictionary = [
            "launches": 1, "float": .float(0.1), "double": 0.1, "unsigned": .unsigned(.max), "negative": -5,
            "date": .date(Date(timeIntervalSinceReferenceDate: 0.25)), "data": .data(Data([0, 255])),
            "text": "\r\u{1}é",
            "e\u{301}": [true, [:], []], "é": ["a": .float(.infinity)],
        ]
        try system.replaceContents(of: path, with: PropertyListDocument.bytes(of: fields, as: .binary))
        try SettingsFile(path: path, defaults: OlderSettings(), on: system).update { $0.launches = 2 }
        var expected = fields
        expected["launches"] = 2
        #expect(try PropertyListDocument.entries(of: [UInt8](system.contents(of: path))) == expected)
    }

    @Test func xmlSettingsAcceptCarriageReturnButNoOtherControlCharacters() throws {
        let file = try SettingsFile(path: path, defaults: Settings(), format: .xml, on: system)
        try file.setValue("a\r\nb", for: \.name)
        #expect(try SettingsFile(path: path, defaults: Settings(), on: system).value(for: \.name) == "a\r\nb")
        #expect { try file.setValue("\u{1}", for: \.name) } throws: { ($0 as? FileError)?.code == .undecodable }
    }

    @Test func readingUTF16SettingsFileAgreesWithFoundation() throws {
        let text = "<plist version=\"1.0\"><dict><key>launches</key><integer>7</integer></dict></plist>"
        let content = try #require(text.data(using: .utf16))
        try system.replaceContents(of: path, with: [UInt8](content))
        #expect(try SettingsFile(path: path, defaults: OlderSettings(), on: system).value().launches == 7)
    }
}
