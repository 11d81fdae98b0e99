#if Command
import Testing

@Suite struct DateTests {
    /// Arguments that are numbers are seconds since 2001-01-01 00:00:00 UTC.
    @Test(arguments: [
        ("0", "2001-01-01T00:00:00Z"), ("0.5", "2001-01-01T00:00:00.5Z"), ("-0.25", "2000-12-31T23:59:59.75Z"),
        ("-1", "2000-12-31T23:59:59Z"), ("-978307200", "1970-01-01T00:00:00Z"), ("94694399", "2004-01-01T23:59:59Z"),
        ("-31622400", "2000-01-01T00:00:00Z"), ("inf", "inf"), ("1e+300", "1e+300"), ("-0.0", "-0.0"),
        ("2001-01-01", "2001-01-01T00:00:00Z"), ("2001-01-01T01:00:00+01:00", "2001-01-01T00:00:00Z"),
        ("2000-12-31 23:59:59.750", "2000-12-31T23:59:59.75Z"), ("2000-02-29", "2000-02-29T00:00:00Z"),
        ("784974600.1234567", "2025-11-16T08:30:00.1234567Z"), ("-784974600.1234567", "1976-02-16T15:29:59.8765433Z"),
        ("0.00001", "1e-05"), ("-63113904000", "0001-01-01T00:00:00Z"), ("-63113904001", "-63113904001.0"),
        ("252423993599", "9999-12-31T23:59:59Z"), ("252423993600", "252423993600.0"),
    ])
    func dateIsPrintedInISO8601Format(typed: String, printed: String) throws {
        try withStorePath { path throws in
            let put = try CommandRun("put", "d", typed, "--type", "date", "--store", path)
            #expect(put.status == 0, "\(put.complaint)")
            #expect(try CommandRun("get", "d", "--store", path).output == printed + "\n")
        }
    }

    /// Putting a printed date stores exactly the same date again.
    @Test(arguments: [
        0.1, -0.1, 1.0 / 3, -1.0 / 3, Double.leastNonzeroMagnitude, 784_974_600.123, -784_974_600.123, 1e15 + 1,
    ])
    func printedDateRoundTrips(interval: Double) throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "a", "\(interval)", "--type", "date", "--store", path)
            let text = try CommandRun("get", "a", "--store", path).output.dropLast()
            _ = try CommandRun("put", "b", String(text), "--type", "date", "--store", path)
            let list = try CommandRun("list", "--store", path).output.split(separator: "\n").dropFirst()
            #expect(list.first?.dropFirst() == list.last?.dropFirst())
            #expect(try CommandRun("get", "b", "--store", path).output.dropLast() == text)
        }
    }

    @Test(arguments: [
        "", "2026-02-30", "2026-13-01", "2025-02-29", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "tomorrow",
        "2026-01-01T00:00:00+99:00",
    ])
    func invalidDateIsRejected(text: String) throws {
        try withStorePath { path throws in
            let run = try CommandRun("put", "d", text, "--type", "date", "--store", path)
            #expect(run.status == 2)
        }
    }
}
#endif
