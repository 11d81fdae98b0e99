#if Command && Encryption
import Foundation
import LarderCore
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
    func valuesAreReadWithTheKeyAlone(name: String) throws {
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

    @Test func anotherKeyIsRefusedAndNeverPrinted() throws {
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

    @Test func aBackupNeedsNoKeyAndIsEncrypted() throws {
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
    func onlyWhatKeepsAValueEncryptsAnEmptyStore(command: [String]) throws {
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
                #expect(try !EncryptedEntries.lie(in: StoreOpener(path: store.path, kind: nil).openBase(for: .reading)))
                if store == plist || command[0] != "delete" && command[0] != "watch" {
                    #expect(try Data(contentsOf: store) == before)
                }
            }
        }
    }

    @Test func aStoreThatLostItsHeaderIsNotTakenForAnEmptyOne() throws {
        try withKey { folder, key throws in
            let path = folder.appending(path: "v.larder").path
            let base = try DeviceStore(path: path)
            try base.set(1, for: StoreKey(reserved: ".encrypted.epoch"))
            try base.close()
            let run = Invocation(["list", "--store", path] + key)
            #expect(run.status == 2 && run.complaint.contains("header"))
        }
    }
}

@Suite struct EncryptionKeySourceTests {
    @Test func theThreeFormsOfAKeyAreTheSame() throws {
        let bytes = (0..<32).map { UInt8($0) }
        let forms = [
            bytes.map { String($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n",
            Data(bytes).base64EncodedString(),
        ]
        for form in forms { #expect(try EncryptionKeySource.variable("K").bytes(environment: ["K": form]) == bytes) }
    }

    @Test(arguments: [nil, "", "password", "abcd"])
    func whatIsNoKeyIsRefusedWithoutSayingIt(text: String?) {
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

    @Test func aKeyFileThatIsNotThereIsNamed() {
        #expect {
            try EncryptionKeySource.file("/nowhere/key").bytes()
        } throws: {
            ($0 as? CommandFailure)?.message.contains("/nowhere/key") == true
        }
    }
}
#endif
