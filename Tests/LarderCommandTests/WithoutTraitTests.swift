#if !Command
import Testing

@Suite struct WithoutTraitTests {
    @Test func commandWithoutTraitPrintsBuildInstructions() throws {
        let run = try CommandRun("list")
        #expect(run.status == 2)
        #expect(run.complaint.contains("--traits Command"))
    }
}
#endif
