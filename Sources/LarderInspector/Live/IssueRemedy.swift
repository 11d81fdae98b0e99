#if Inspector
import LarderCore

/// A namespace for the remedies of issues, as the article "Error codes" of LarderCore lists them.
enum IssueRemedy {
    private static let remedies = [
        "readFailed": "Use the variant that throws, and handle its error.",
        "writeFailed": "Use the variant that throws, and handle its error.",
        "notConvertible": "Read the value as its stored type.",
        "lossyConversion": "Read the value as its stored type.",
        "unsupportedValue": "Store another type.",
        "damaged": "Repair the file or restore a backup.",
        "degraded": "Look at the cause; Larder retries.",
        "unavailable": "Open the store with the call that throws, and handle its error.",
        "earlierValues": "Migrate the values.",
        "testProcess": "Pass a store of your own in tests.",
        "unhandledFailure": "Call `fail`, or await the future's `value`.",
        "overlappingPrefixes": "Use other prefixes or `escapedPrefix`.",
        "conflictingKeys": "Rename one key.",
        "lostUpdate": "Use `modify`.",
        "repeatedQuery": "Fetch once for all objects, or prefetch.",
        "rolledBack": "Look at `rejected()`, and commit again what is still needed.",
        "rejectedDropped": "Call `discardRejected(through:)` after handling them, or raise `maximumRejected`.",
    ]

    static func text(for code: LarderIssue.Code) -> String {
        remedies[code.description] ?? "Do what the message says."
    }
}
#endif
