#if Command
import Foundation
import Testing

@Suite struct PutGetTests {
    /// A value of each type, as it is typed and as `get` prints it.
    static let values: [(type: String, typed: String, printed: String)] = [
        ("bool", "true", "true"),
        ("int", "-9223372036854775808", "-9223372036854775808"),
        ("uint", "18446744073709551615", "18446744073709551615"),
        ("uint", "7", "7"),
        ("float", "0.1", "0.1"),
        ("double", "3.14159265359", "3.14159265359"),
        ("double", "3.0", "3"),
        ("double", "-inf", "-inf"),
        ("double", "1e300", "1e+300"),
        ("string", "", ""),
        ("string", "e\u{301} and \u{E9}", "e\u{301} and \u{E9}"),
        ("string", "🙂 ]]> <&\u{7}", "🙂 ]]> <&\u{7}"),
        ("url", "https://a.b/c%20d?e=f#g", "https://a.b/c%20d?e=f#g"),
        ("date", "2026-11-21T09:30:00.123456Z", "2026-11-21T09:30:00.123456Z"),
        ("data", "AAH/", "AAH/"),
        ("array", "[1, [2.5, \"x\"], {}]", "[1,[2.5,\"x\"],{}]"),
        ("dictionary", "{\"b\": null, \"a\": [true]}", "{\"a\":[true],\"b\":null}"),
        ("json", "\"text\"", "text"),
        ("json", "1.0", "1"),
    ]

    @Test(arguments: values)
    func getPrintsPutValueUnchanged(type: String, typed: String, printed: String) throws {
        try withStorePath { path throws in
            let put = try CommandRun("put", "k", typed, "--type", type, "--store", path)
            #expect(put.status == 0, "\(put.complaint)")
            #expect(try Array(CommandRun("get", "k", "--store", path).output.utf8) == Array("\(printed)\n".utf8))
            #expect(try CommandRun("verify", "--store", path).status == 0)
        }
    }

    @Test(arguments: [
        ("bool", "yes"), ("int", "1.5"), ("int", "9223372036854775808"), ("uint", "-1"), ("float", "1e39"),
        ("double", "x"),
        ("url", ""), ("date", "2026-02-30"), ("date", "soon"), ("data", "?"), ("array", "{}"), ("dictionary", "[]"),
        ("json", "null"), ("json", "{\"a\":1,\"a\":2}"), ("json", "[1"),
    ])
    func invalidValueIsRejectedWithoutCreatingStore(type: String, typed: String) throws {
        try withStorePath { path throws in
            let run = try CommandRun("put", "k", typed, "--type", type, "--store", path)
            #expect(run.status == 2)
            #expect(run.complaint.hasPrefix("larder: "))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func getConvertsDoubleToString() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "pi", "3.14159265359", "--type", "double", "--prefix", "Double", "--store", path)
            let run = try CommandRun("get", "pi", "--prefix", "Double", "--as", "string", "--store", path)
            #expect(run.output == "3.14159265359\n")
        }
    }

    @Test(arguments: ["-5", "-0.5", "-.5", "-1e3", "-inf"])
    func negativeNumberIsAcceptedAsValue(number: String) throws {
        try withStorePath { path throws in
            #expect(try CommandRun("put", "t", number, "--store", path).status == 0)
            #expect(try CommandRun("get", "t", "--store", path).output == number + "\n")
        }
    }

    @Test func negativeNumberIsAcceptedAsKeyAndPrefix() throws {
        try withStorePath { path throws in
            #expect(try CommandRun("put", "-1", "x", "--prefix", "-2", "--store", path).status == 0)
            #expect(try CommandRun("get", "-2.-1", "--store", path).output == "x\n")
        }
    }

    @Test func lossyConversionPrintsValueAndWarning() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "x", "2.7", "--type", "double", "--store", path)
            let run = try CommandRun("get", "x", "--as", "int", "--store", path)
            #expect(run.status == 0)
            #expect(run.output == "2\n")
            #expect(run.complaint.contains("2.7"))
        }
    }

    @Test func failedConversionPrintsReasonAndExitsWithStatusOne() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "x", "abc", "--store", path)
            let run = try CommandRun("get", "x", "--as", "int", "--store", path)
            #expect(run.status == 1)
            #expect(
                run.complaint
                    == "larder: The value for \"x\" is of kind string and can't be read as int. Read it as string, or write a new value.\n"
            )
        }
    }

    @Test func gettingMissingKeyPrintsReasonAndExitsWithStatusOne() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "x", "abc", "--store", path)
            let run = try CommandRun("get", "y", "--store", path)
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.complaint == "larder: There is no value for \"y\".\n")
        }
    }

    @Test func trailingNewlineOfStandardInputIsDropped() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "x", "-", "--store", path, input: Data("a\nb\n".utf8))
            #expect(try CommandRun("get", "x", "--store", path).output == "a\nb\n")
        }
    }

    @Test func standardInputIsStoredAsDataUnchanged() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "x", "-", "--type", "data", "--store", path, input: Data([0, 255, 10]))
            #expect(try CommandRun("get", "x", "--store", path).output == "AP8K\n")
        }
    }

    @Test func nonUTF8StandardInputIsRejected() throws {
        try withStorePath { path throws in
            let run = try CommandRun("put", "x", "-", "--store", path, input: Data([255]))
            #expect(run.status == 2)
        }
    }

    @Test func deleteRemovesExistingKeysAndReportsMissingKeys() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "a", "1", "--store", path)
            _ = try CommandRun("put", "b", "2", "--store", path)
            let run = try CommandRun("delete", "a", "z", "--store", path)
            #expect(run.status == 1)
            #expect(run.complaint == "larder: There is no value for \"z\". List the keys with `larder list`.\n")
            #expect(try CommandRun("get", "a", "--store", path).status == 1)
            #expect(try CommandRun("get", "b", "--store", path).status == 0)
        }
    }
}
#endif
