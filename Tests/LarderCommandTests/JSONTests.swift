#if Command
import Testing

@Suite struct JSONTests {
    @Test(arguments: [
        ("1", "int", "1"), ("-9223372036854775808", "int", "-9223372036854775808"),
        ("18446744073709551615", "unsigned", "18446744073709551615"),
        ("18446744073709551616", "double", "1.8446744073709552e+19"),
        ("1.0", "double", "1"), ("1e2", "double", "100"), ("-0", "double", "-0"), (" [ ] ", "array", "[]"),
        ("{}", "dictionary", "{}"), (#"[{"a":[true,false,null]}]"#, "array", #"[{"a":[true,false,null]}]"#),
        (#"["\u00e9\ud83d\ude42\n\/\u0000\u001f\"\\"]"#, "array", "[\"\u{E9}🙂\\n/\\u0000\\u001f\\\"\\\\\"]"),
        // Two keys that are equal in Swift remain two keys.
        ("{\"\u{E9}\":1,\"e\u{301}\":2}", "dictionary", "{\"e\u{301}\":2,\"\u{E9}\":1}"),
    ])
    func jsonArgumentIsParsedWithoutLoss(text: String, kind: String, printed: String) throws {
        try withStorePath { path throws in
            let put = try CommandRun("put", "k", text, "--type", "json", "--store", path)
            #expect(put.status == 0, "\(put.complaint)")
            let get = try CommandRun("get", "k", "--as", "json", "--store", path)
            #expect(Array(get.output.utf8) == Array((printed + "\n").utf8))
            let list = try CommandRun("list", "--format", "json", "--store", path)
            #expect(list.output.contains(#""type":"\#(kind)""#))
        }
    }

    @Test(arguments: [
        "", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "01", "1.", ".5", "+1", "1e",
        "1e999",
        "tru", "nulll", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ude42\"", "\"\u{1}\"", "1 2",
        "NaN",
        String(repeating: "[", count: 100_000),
    ])
    func malformedJSONIsRejected(text: String) throws {
        try withStorePath { path throws in
            let run = try CommandRun("put", "k", text, "--type", "json", "--store", path)
            #expect(run.status == 2)
            #expect(run.complaint.hasPrefix("larder: The value is not valid JSON: "))
        }
    }
}
#endif
