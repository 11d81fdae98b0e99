import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Testing

/// Tests of valid property lists in forms that Larder's reader doesn't support.
@Suite struct PropertyListUnknownFormTests {
    let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("s.plist")
    }

    private static func text(_ encoding: String) -> String {
        "<?xml version=\"1.0\" encoding='\(encoding)'?>\n<plist version=\"1.0\"><dict><key>é</key><true/></dict></plist>\n"
    }

    private static func encoded(_ encoding: String.Encoding, as name: String, mark: [UInt8] = []) -> Data {
        Data(mark) + (text(name).data(using: encoding) ?? Data())
    }

    /// The archive that `NSKeyedArchiver` creates for a string.
    ///
    /// Its root has a `$top` key that refers to an object by number.
    private static let keyedArchive: Data = {
        let objects: [[UInt8]] = [
            [0xD4, 1, 2, 3, 4, 5, 6, 7, 8], [0x59] + Array("$archiver".utf8), [0x58] + Array("$objects".utf8),
            [0x54] + Array("$top".utf8), [0x58] + Array("$version".utf8),
            [0x5F, 0x10, 15] + Array("NSKeyedArchiver".utf8),
            [0xA2, 9, 10], [0xD1, 11, 12], [0x12, 0, 1, 0x86, 0xA0], [0x55] + Array("$null".utf8),
            [0x55] + Array("hello".utf8), [0x54] + Array("root".utf8), [0x80, 1],
        ]
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(objects.count), 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return Data(bytes)
    }()

    private static let lists: [Data] = [
        encoded(.utf16LittleEndian, as: "UTF-16", mark: [0xFF, 0xFE]),
        encoded(.utf16BigEndian, as: "UTF-16", mark: [0xFE, 0xFF]),
        encoded(.utf16LittleEndian, as: "UTF-16"), encoded(.utf16BigEndian, as: "UTF-16"),
        encoded(.utf32LittleEndian, as: "UTF-32", mark: [0xFF, 0xFE, 0, 0]),
        encoded(.utf32BigEndian, as: "UTF-32", mark: [0, 0, 0xFE, 0xFF]), encoded(.utf32BigEndian, as: "UTF-32"),
        encoded(.isoLatin1, as: "ISO-8859-1"), encoded(.windowsCP1252, as: "windows-1252"), keyedArchive,
    ]

    private func write(_ list: Data) throws { try list.write(to: URL(filePath: path)) }

    /// Returns the error that `body` throws for the property list `list`, and checks that the file is unchanged.
    private func refusal<Result>(of list: Data, by body: () throws -> Result) throws -> StoreError? {
        try write(list)
        let error = #expect(throws: StoreError.self) { _ = try body() }
        #expect(error?.code == .invalidConfiguration)
        #expect(try Data(contentsOf: URL(filePath: path)) == list)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        #expect(names.allSatisfy { !$0.contains("damaged") })
        return error
    }

    private func expectOnly(_ key: String, in list: Data) throws {
        try write(list)
        let store = try PropertyListStore(path: path)
        #expect(try store.entries() == [StoreEntry(key: key, value: true)])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: lists)
    func unsupportedPropertyListFormIsRejectedAndNotChanged(list: Data) throws {
        for policy in [StoreFileDamagePolicy.refuse, .quarantine] {
            let error = try refusal(of: list) { try PropertyListStore(path: path, whenDamaged: policy) }
            #expect(error?.path == path && error?.message.contains("plutil -convert") == (list != Self.keyedArchive))
        }
    }

    @Test(arguments: lists)
    func repairRejectsUnsupportedPropertyListForm(list: Data) throws {
        _ = try refusal(of: list) { try PropertyListStore.repair(path: path) }
    }

    @Test(arguments: ["UTF-8", "utf-8", "US-ASCII"])
    func fileWithSupportedEncodingDeclarationIsRead(encoding: String) throws {
        try expectOnly("é", in: Self.encoded(.utf8, as: encoding))
    }

    @Test func asciiFileWithOtherEncodingDeclarationIsRead() throws {
        try expectOnly("e", in: Data(Self.text("ISO-8859-1").replacing("é", with: "e").utf8))
    }

    @Test func objectReferenceOutsideArchiveIsRejected() throws {
        try write(Data(Array(Self.keyedArchive).replacing(Array("$archiver".utf8), with: Array("_archiver".utf8))))
        #expect(try PropertyListStore.repair(path: path).copiedTo == path + ".damaged-1")
        #expect(try PropertyListStore(path: path).verify().isIntact)
    }
}
