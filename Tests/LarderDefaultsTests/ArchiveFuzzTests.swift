import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTesting
import Synchronization
import Testing

/// Tests that reading thousands of damaged archives never ends the process.
///
/// `LARDER_FUZZ_ROUNDS` sets the number of archives of each kind, for longer runs.
struct ArchiveFuzzTests {
    private static let rounds = ProcessInfo.processInfo.environment["LARDER_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 1_000

    private func archive(_ object: Any, _ format: PropertyListSerialization.PropertyListFormat) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.outputFormat = format
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        return archiver.encodedData
    }

    private var pond: ArchivedPond {
        let pond = ArchivedPond()
        pond.frogs = [ArchivedPond(), ArchivedPond()]
        pond.other = pond.frogs[0]
        return pond
    }

    /// Counts the results of reading each input four times.
    private struct Outcome: Equatable {
        var inputs = 0
        var values = 0
        var refusals = 0
        /// The number of reads that returned `nil` without reporting an issue, which must be 0.
        var silent = 0

        /// Counts the result of a read, during which the given number of issues was reported.
        mutating func count(_ value: Any?, _ issues: Int) {
            switch (value, issues) {
            case (nil, 0): silent += 1
            case (nil, _): refusals += 1
            default: values += 1
            }
        }
    }

    private func readAll(_ bytes: Data, _ outcome: inout Outcome) {
        let defaults = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys()).defaults
        defaults.set(bytes, forKey: "a")
        outcome.inputs += 1
        func read<Value>(_ bridge: DefaultsBridge<Value>) {
            let issues = Mutex(0)
            let value = withIssueHandler({ _ in issues.withLock { $0 += 1 } }) {
                bridge.get(key: "a", userDefaults: defaults)
            }
            outcome.count(value as Any?, issues.withLock { $0 })
        }
        read(DefaultsKeyedArchiverBridge<ArchivedPond>())
        read(DefaultsKeyedArchiverBridge<[ArchivedPond]>())
        read(SecureFrog._defaults)
        read(DefaultsKeyedArchiverBridge<[String: [URL]]>())
        #expect(defaults.data(forKey: "a") == bytes)
    }

    /// Fails unless each input was read four times, as its own type and as three other types, and each failure was reported.
    private func expectAnswers(_ outcome: Outcome, ofAtLeast inputs: Int) {
        #expect(outcome.inputs >= inputs)
        #expect(outcome.silent == 0)
        #expect(outcome.values + outcome.refusals == 4 * outcome.inputs)
        // If all reads rejected the damage, or if none detected it, the damage would be in the wrong places.
        #expect(outcome.values > outcome.inputs / 100)
        #expect(outcome.refusals > 3 * outcome.inputs)
    }

    private var objects: [Any] {
        [
            pond, [pond], SecureFrog(name: "a", legs: [SecureLeg(length: 1), SecureLeg(length: 2)]),
            ["a": [URL(filePath: "/a"), URL(string: "https://example.com/?q=1") as Any], "b": []],
        ]
    }

    @Test func decodingCorruptBinaryArchiveNeverCrashes() {
        var random = SeededGenerator(seed: 4)
        var outcome = Outcome()
        for object in objects {
            let valid = [UInt8](archive(object, .binary))
            for _ in 0..<Self.rounds { readAll(Data(damaged(valid, &random)), &outcome) }
        }
        expectAnswers(outcome, ofAtLeast: 4 * Self.rounds)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func validArchiveDecodesOnlyAsArchivedType(format: PropertyListSerialization.PropertyListFormat) {
        var outcome = Outcome()
        for object in objects { readAll(archive(object, format), &outcome) }
        #expect(outcome == Outcome(inputs: 4, values: 4, refusals: 12, silent: 0))
    }

    @Test func decodingCorruptXMLArchiveNeverCrashes() {
        var random = SeededGenerator(seed: 5)
        var outcome = Outcome()
        for object in objects {
            let valid = String(decoding: archive(object, .xml), as: UTF8.self).split(separator: "\n").map(String.init)
            for _ in 0..<Self.rounds {
                readAll(Data(rearranged(valid, &random).joined(separator: "\n").utf8), &outcome)
            }
        }
        expectAnswers(outcome, ofAtLeast: 4 * Self.rounds)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func decodingTruncatedOrBitFlippedArchiveNeverCrashes(format: PropertyListSerialization.PropertyListFormat) {
        let valid = [UInt8](archive(["a": [URL(string: "https://a.b/")]], format))
        var outcome = Outcome()
        for length in 0..<(valid.count - 1) { readAll(Data(valid[..<length]), &outcome) }
        #expect(outcome.values == 0 && outcome.silent == 0)
        outcome = Outcome()
        for index in valid.indices {
            var bytes = valid
            bytes[index] ^= 1 << (index % 8)
            readAll(Data(bytes), &outcome)
        }
        #expect(outcome.silent == 0 && outcome.values + outcome.refusals == 4 * outcome.inputs)
        #expect(outcome.values < outcome.inputs)
    }

    /// Reads strings from which Foundation can create an `NSURL` but not a `URL`, or the other way round.
    @Test(
        arguments: [
            "", " ", "%", "a b", "http://[", ":", "http://a:b:c/", "//", "http://a b/", "http://%zz", "[", "?", "#",
            "a#b#c",
            "http://example.com:99999999999/", "\u{7F}", "\u{FFFD}",
        ]
    )
    func decodingUnusualURLsNeverCrashes(text: String) {
        let valid = String(decoding: archive(pond, .xml), as: UTF8.self)
        let address = "<string>https://example.com/a/page</string>"
        #expect(valid.contains(address))
        var outcome = Outcome()
        readAll(Data(valid.replacingOccurrences(of: address, with: "<string>\(text)</string>").utf8), &outcome)
        #expect(outcome.silent == 0)
    }

    private func damaged(_ valid: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = valid
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[place] = [0, 1, 0x0F, 0x7F, 0x80, 0xA1, 0xD1, 0xFF].randomElement(using: &random) ?? 0
            case 3: bytes.removeLast(Int.random(in: 0..<min(8, bytes.count), using: &random))
            case 4: bytes.remove(at: place)
            case 5: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 6:
                // Moves an object by changing the offset table, which precedes the last 32 bytes.
                let table = max(0, bytes.count - 32 - Int.random(in: 1..<200, using: &random))
                bytes[table] = UInt8(truncatingIfNeeded: place)
            default:
                let other = Int.random(in: 0..<bytes.count, using: &random)
                bytes.swapAt(place, other)
            }
        }
        return bytes
    }

    /// Returns an XML archive with changed lines, of which more remains valid than after changes to single bytes.
    private func rearranged(_ valid: [String], _ random: inout SeededGenerator) -> [String] {
        var lines = valid
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let place = Int.random(in: 0..<lines.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                // The number of another object, or a value of another type.
                let numbers = lines.indices.filter { lines[$0].contains("<integer>") }
                guard let number = numbers.randomElement(using: &random) else { break }
                let object = [Int.random(in: 0..<40, using: &random), -1, .max].randomElement(using: &random) ?? 0
                lines[number] = "<integer>\(object)</integer>"
            case 3:
                let texts = lines.indices.filter { lines[$0].contains("<string>") }
                guard let one = texts.randomElement(using: &random), let other = texts.randomElement(using: &random)
                else { break }
                lines[one] = lines[other]
            case 4:
                lines[place] = ["<true/>", "<real>1e300</real>", "<data></data>"].randomElement(using: &random) ?? ""
            default: lines.remove(at: place)
            }
        }
        return lines
    }
}
