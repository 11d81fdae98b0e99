import LarderCore
import Testing

@Suite struct IssueChannelTests {
    let issue = LarderIssue(.readFailed, "It could not be read.", key: "k", underlying: CancellationError())

    @Test func issueHandlerReceivesIssuesReportedByClosure() {
        let issues = Recorder<LarderIssue>()
        let channel = IssueChannel(label: "test")
        let result = withIssueHandler({ issues.append($0) }) {
            channel.report(issue)
            return 1
        }
        #expect(result == 1)
        #expect(issues.all.map(\.code) == [.readFailed])
    }

    @Test func issueHandlerReceivesIssuesOfChildTasks() async {
        let issues = Recorder<LarderIssue>()
        let channel = IssueChannel(label: "test")
        await withIssueHandler({ issues.append($0) }) {
            await Task { channel.report(issue) }.value
            await withTaskGroup(of: Void.self) { $0.addTask { channel.report(issue) } }
        }
        #expect(issues.all.count == 2)
    }

    @Test func innermostIssueHandlerReceivesIssue() {
        let outer = Recorder<LarderIssue>()
        let inner = Recorder<LarderIssue>()
        withIssueHandler({ outer.append($0) }) {
            withIssueHandler({ inner.append($0) }) { IssueChannel.shared.report(issue) }
        }
        #expect(outer.all.isEmpty)
        #expect(inner.all.count == 1)
    }

    @Test func withIssueHandlerRethrowsErrorOfClosure() {
        #expect(throws: CancellationError.self) {
            try withIssueHandler({ _ in }) { throw CancellationError() }
        }
    }

    @Test func issueReaderReceivesOnlyLaterIssues() async {
        let channel = IssueChannel(label: "test")
        var first = channel.makeAsyncIterator()
        channel.report(issue)
        var second = channel.makeAsyncIterator()
        channel.report(LarderIssue(.writeFailed, "It could not be written."))
        #expect(await first.next()?.code == .readFailed)
        #expect(await first.next()?.code == .writeFailed)
        #expect(await second.next()?.code == .writeFailed)
    }

    @Test func issueReadersDoNotReceiveHandledIssues() async {
        let channel = IssueChannel(label: "test")
        var reader = channel.makeAsyncIterator()
        withIssueHandler({ _ in }) { channel.report(issue) }
        channel.report(LarderIssue(.degraded, "It is late."))
        #expect(await reader.next()?.code == .degraded)
    }

    @Test func issueDescriptionIsOneLine() {
        #expect(issue.description == "readFailed: It could not be read. (CancellationError())")
        #expect(LarderIssue(.init("own"), "It is.").description == "own: It is.")
    }
}
