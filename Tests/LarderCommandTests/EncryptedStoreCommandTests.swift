#if Command && Encryption
import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import Testing

@testable import LarderCommand

@Suite struct EncryptedStoreCommandTests {
    private func withKey<Result>(_ body: (_ folder: URL, _ key: [String]) throws -> Result) throws -> Result {
        try withFolder { folder throws in
            let file = folder.appending(path: "key")
            try Data((0..<32).map { UInt8($0) }).write(to: file)
            return try body(folder, ["--key-file", file.path])
        }
    }

    @Test(arguments: ["v.larder", "v.plist"])
    func encryptedValuesAreReadableOnlyWithKey(name: String) throws {
        try withKey { folder, key throws in
            let store = ["--store", folder.appending(path: name).path]
            #expect(Invocation(["put", "pin", "1234"] + store + key).status == 0)
            #expect(Invocation(["get", "pin"] + store + key).output == "1234\n")
            let without = Invocation(["get", "pin"] + store)
            #expect(without.status == 2 && without.complaint.contains("--key-file"))
            #expect(Invocation(["verify"] + store + key).status == 0)
            #expect(Invocation(["verify"] + store).status == 0)
            #expect(Invocation(["stat"] + store).output.contains("encrypted"))
        }
    }

    @Test func wrongEncryptionKeyIsRejectedAndNeverPrinted() throws {
        try withKey { folder, key throws in
            let store = ["--store", folder.appending(path: "v.larder").path]
            _ = Invocation(["put", "pin", "1234"] + store + key)
            let other = folder.appending(path: "other")
            let text = String(repeating: "ab", count: 32)
            try Data((text + "\n").utf8).write(to: other)
            let run = Invocation(["get", "pin", "--key-file", other.path] + store)
            #expect(run.status == 2 && !run.complaint.contains(text))
        }
    }

    @Test func encryptedStoreCanBeBackedUpWithoutKey() throws {
        try withKey { folder, key throws in
            let (path, copy) = (folder.appending(path: "v.larder").path, folder.appending(path: "c.larder").path)
            _ = Invocation(["put", "pin", "1234", "--store", path] + key)
            #expect(Invocation("backup", copy, "--store", path).status == 0)
            #expect(Invocation(["get", "pin", "--store", copy] + key).output == "1234\n")
            #expect(Invocation("get", "pin", "--store", copy).status == 2)
        }
    }

    private static let empty = #"<?xml version="1.0"?><plist version="1.0"><dict/></plist>"#

    @Test(arguments: [
        ["verify"], ["stat"], ["list"], ["export", "COPY"], ["import", "ENTRIES", "--dry-run"], ["get", "a"],
        ["delete", "a"], ["watch", "--count", "1"],
    ])
    func firstWriteWithKeyEncryptsEmptyStore(command: [String]) throws {
        try withKey { folder, key throws in
            let (plist, log) = (folder.appending(path: "e.plist"), folder.appending(path: "e.larder"))
            try Data(Self.empty.utf8).write(to: plist)
            try DeviceStore(path: log.path).close()
            try Data(#"{"a": 1}"#.utf8).write(to: folder.appending(path: "entries.json"))
            for (number, store) in [plist, log].enumerated() {
                let before = try Data(contentsOf: store)
                let run = Invocation(
                    command.map { word in
                        switch word {
                        case "COPY": folder.appending(path: "copy\(number).json").path
                        case "ENTRIES": folder.appending(path: "entries.json").path
                        default: word
                        }
                    } + ["--store", store.path] + key
                )
                #expect(run.status == (["get", "delete", "watch"].contains(command[0]) ? 1 : 0), "\(run.complaint)")
                #expect(
                    try !EncryptedEntries.exist(in: StoreOpener(path: store.path, kind: nil).openBase(for: .reading))
                )
                if store == plist || command[0] != "delete" && command[0] != "watch" {
                    #expect(try Data(contentsOf: store) == before)
                }
            }
        }
    }

    @Test(arguments: ["v.larder", "v.plist"])
    func statReportsEncryptionWithAndWithoutKey(name: String) throws {
        try withKey { folder, key throws in
            let store = ["--store", folder.appending(path: name).path]
            _ = Invocation(["put", "pin", "1234"] + store + key)
            for key in [[], key] {
                let facts = try Invocation(["stat", "--format", "json"] + store + key).object()
                #expect(facts["isEncrypted"] as? Bool == true)
            }
        }
    }

    @Test func undecryptableValueErrorDoesNotSuggestRepair() throws {
        try withKey { folder, key throws in
            let path = folder.appending(path: "v.larder").path
            _ = Invocation(["put", "pin", "1234", "--store", path] + key)
            let base = try DeviceStore(path: path)
            let sealed = try #require(try base.entries().first)
            guard case .data(var bytes) = sealed.value else { throw CommandFailure.storage("It is not sealed.") }
            bytes[bytes.count - 1] ^= 1
            try base.set(.data(bytes), for: StoreKey(sealed.key))
            #expect(try base.verify().isIntact)
            try base.close()
            for command in [["verify"], ["get", "pin"]] {
                let run = Invocation(command + ["--store", path] + key)
                #expect(run.status == 2 && run.complaint.contains("decrypted"))
                #expect(!run.complaint.contains("repair"), "\(run.complaint)")
            }
        }
    }

    @Test func corruptEncryptedStoreErrorSuggestsRepair() throws {
        try withKey { folder, key throws in
            let path = folder.appending(path: "v.larder").path
            _ = Invocation(["put", "pin", String(repeating: "1234", count: 400), "--store", path] + key)
            try damage(path)
            for key in [[], key] {
                let run = Invocation(["verify", "--store", path] + key)
                #expect(run.status == 2 && run.complaint.contains("larder repair"), "\(run.complaint)")
            }
        }
    }

    @Test func encryptedStoreWithoutHeaderIsNotTreatedAsEmpty() throws {
        try withKey { folder, key throws in
            let path = folder.appending(path: "v.larder").path
            let base = try DeviceStore(path: path)
            try base.set(1, for: StoreKey(reserved: ".encrypted.epoch"))
            try base.close()
            let run = Invocation(["list", "--store", path] + key)
            #expect(run.status == 2 && run.complaint.contains("header") && !run.complaint.contains("repair"))
        }
    }
}

@Suite struct EncryptionKeySourceTests {
    @Test func everyEncryptionKeyFormatYieldsSameBytes() throws {
        let bytes = (0..<32).map { UInt8($0) }
        let forms = [
            bytes.map { String($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n",
            Data(bytes).base64EncodedString(),
        ]
        for form in forms { #expect(try EncryptionKeySource.variable("K").bytes(environment: ["K": form]) == bytes) }
    }

    private static let (hexadecimal, base64) = (String(repeating: "ab", count: 16), String(repeating: "QUJD", count: 8))

    /// Returns the keys that are read from a file and a variable whose content is `text` without and with a line break.
    ///
    /// An element is `nil` if the content is rejected.
    private func keys(of text: String) throws -> [[UInt8]?] {
        try withFolder { folder throws in
            try ["", "\n", "\r\n"].flatMap { end in
                let file = folder.appending(path: "key")
                try Data((text + end).utf8).write(to: file)
                // The errors for rejected content are tested separately.
                return [
                    try? EncryptionKeySource.file(file.path).bytes(),
                    try? EncryptionKeySource.variable("K").bytes(environment: ["K": text + end]),
                ]
            }
        }
    }

    @Test(arguments: [
        String(repeating: "0aF9", count: 16), base64 + base64, String(base64.dropLast(4)), base64 + "QQ==",
        "base64:" + base64,
    ])
    func encryptionKeyIsParsedIdenticallyFromFileAndEnvironment(text: String) throws {
        let keys = try keys(of: text)
        let first = try #require(keys.first ?? nil)
        #expect(keys.allSatisfy { $0 == first })
    }

    @Test(arguments: [
        hexadecimal, base64, String(base64.dropLast(2)) + "==", String(base64.dropLast(4)) + "\n\n\n\n",
    ])
    func ambiguousEncryptionKeyErrorSuggestsFormats(text: String) throws {
        try withFolder { folder throws in
            let file = folder.appending(path: "key")
            try Data(text.utf8).write(to: file)
            #expect {
                try EncryptionKeySource.file(file.path).bytes()
            } throws: {
                let message = ($0 as? CommandFailure)?.message ?? ""
                return message.contains("64 hexadecimal digits") && message.contains("base64:")
                    && !message.contains(text)
            }
        }
    }

    @Test(arguments: [hexadecimal, base64, String(base64.dropLast(2)) + "=="])
    func ambiguousEncryptionKeyIsRejectedInFileAndEnvironment(text: String) throws {
        #expect(try keys(of: text).allSatisfy { $0 == nil })
    }

    @Test func rawEncryptionKeyIsAcceptedOnlyInFile() throws {
        let text = "correct horse battery staple 42!"
        let keys = try keys(of: text)
        #expect(keys.first == [UInt8](text.utf8))
        #expect(keys.dropFirst().allSatisfy { $0 == nil })
    }

    @Test(arguments: [nil, "", "password", "abcd"])
    func invalidEncryptionKeyIsRejectedAndNotPrinted(text: String?) {
        var environment: [String: String] = [:]
        environment["NAME"] = text
        #expect {
            try EncryptionKeySource.variable("NAME").bytes(environment: environment)
        } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.status == 2 && failure.message.contains("NAME")
                && (text ?? "").isEmpty == true || (error as? CommandFailure)?.message.contains(text ?? "?") == false
        }
    }

    @Test func missingKeyFileIsReportedWithPath() {
        #expect {
            try EncryptionKeySource.file("/nowhere/key").bytes()
        } throws: {
            ($0 as? CommandFailure)?.message.contains("/nowhere/key") == true
        }
    }
}
#endif
