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
