import LarderFiles
import LarderTestSupport
import Testing

struct FileErrorTests {
    @Test func deeplyNestedFileErrorHasShortDescription() {
        let errors = NestedErrors { number, error in
            FileError(.inputOutput, .read, "/data/\(number)", underlying: error)
        } underlying: {
            ($0 as? FileError)?.underlying
        }
        #expect(errors.areShort, "\(errors.depth) errors down to \(errors.innermost)")
    }
}
