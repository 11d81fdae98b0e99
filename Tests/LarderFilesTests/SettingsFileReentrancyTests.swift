import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests that user code called by a settings file can use the same file, or receives an error.
struct SettingsFileReentrancyTests {
    /// An action that a type's decoding, comparison or `deinit` code runs once.
    private final class Use: Sendable {
        private let body = Mutex<(@Sendable () -> Bool)?>(nil)
        private let answers = Mutex<[Bool]>([])
        var all: [Bool] { answers.withLock(\.self) }

        func arm(_ body: @escaping @Sendable () -> Bool) { self.body.withLock { $0 = body } }

        func run() {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            guard let answer = body?() else { return }
            answers.withLock { $0.append(answer) }
        }
    }

    private struct Compared: Codable, Equatable, Sendable {
        static let use = Use()
        var number = 0

        static func == (left: Self, right: Self) -> Bool {
            use.run()
            return left.number == right.number
        }
    }

    private final class Decoded: Codable, Sendable {
        static let decoding = Use()
        static let release = Use()
        let number: Int

        init(number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            number = try decoder.singleValueContainer().decode(Int.self)
            Self.decoding.run()
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }

        deinit { Self.release.run() }
    }

    private struct Settings: Codable, Sendable {
        var launches = 0
        var compared = Compared()
    }

    private struct ClassSettings: Codable, Sendable {
        var launches = 0
        var decoded = Decoded(number: 0)
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func settings() throws -> SettingsFile<Settings> {
        try SettingsFile(directory.url("settings.plist"), defaults: Settings())
    }

    @Test func settingsUpdateCanReadSameFile() throws {
        let file = try settings()
        let other = try settings()
        try file.update { $0.launches = 1 }
        try file.update { value in
            value.launches += try file.value().launches + other.value(for: \.launches)
        }
        #expect(try other.value(for: \.launches) == 3)
    }

    @Test func writeInsideUpdateThrowsErrorNamingFile() throws {
        let file = try settings()
        let other = try settings()
        try file.update { $0.launches = 1 }
        func isRefused(_ error: any Error) -> Bool {
            (error as? FileError)?.code == .nestedUpdate && "\(error)".contains(directory.path("settings.plist"))
        }
        try file.update { value in
            #expect { try file.update { $0.launches = 7 } } throws: { isRefused($0) }
            #expect { try other.setValue(7, for: \.launches) } throws: { isRefused($0) }
            #expect { try other.reset() } throws: { isRefused($0) }
            value.launches += 1
        }
        #expect(try other.value(for: \.launches) == 2)
        #expect { try file.update { _ in try other.setValue(7, for: \.launches) } } throws: { isRefused($0) }
        try other.setValue(3, for: \.launches)
        #expect(try file.value(for: \.launches) == 3)
    }

    @Test func externalChangeReadInsideFailedUpdateIsObserved() async throws {
        let file = try settings()
        try file.update { $0.launches = 1 }
        var changes = file.changes(for: \.launches).makeAsyncIterator()
        #expect(try await changes.next() == 1)
        #expect(throws: CancellationError.self) {
            try file.update { _ in
                try PListFileStorage().write(Settings(launches: 9), to: directory.url("settings.plist"))
                #expect(try file.value(for: \.launches) == 9)
                throw CancellationError()
            }
        }
        #expect(try await changes.next() == 9)
    }

    @Test func equalityOperatorOfObservedValueCanUseSettingsFile() async throws {
        let file = try settings()
        var changes = file.changes(for: \.compared).makeAsyncIterator()
        #expect(try await changes.next()?.number == 0)
        Compared.use.arm {
            anotherThreadCan { try? file.setValue(2, for: \.compared.number) }
        }
        try file.setValue(5, for: \.launches)
        #expect(Compared.use.all == [true])
        #expect(try await changes.next()?.number == 2)
        #expect(try file.value(for: \.launches) == 5)
    }

    @Test func valueDecodingAndDeinitCanUseSettingsFile() throws {
        let file = try SettingsFile(directory.url("settings.plist"), defaults: ClassSettings())
        let other = try SettingsFile(directory.url("settings.plist"), defaults: ClassSettings())
        try file.setValue(Decoded(number: 1), for: \.decoded)
        try other.setValue(Decoded(number: 2), for: \.decoded)
        Decoded.decoding.arm { anotherThreadCan { _ = try? file.value() } }
        Decoded.release.arm { anotherThreadCan { _ = try? file.value() } }
        #expect(try file.value().decoded.number == 2)
        #expect(Decoded.decoding.all == [true])
        #expect(Decoded.release.all == [true])
    }
}
