#if Objects
import LarderObjects
import LarderTestSupport
import Testing

@Suite struct ObjectErrorTests {
    @Test func descriptionOfDeeplyNestedErrorsIsBounded() {
        let errors = NestedErrors { number, error in
            ObjectError(.faultFailed, "Try \(number) failed.", path: "/data", underlying: error)
        } underlying: {
            ($0 as? ObjectError)?.underlying
        }
        #expect(errors.areShort, "\(errors.depth) errors down to \(errors.innermost)")
    }
}
#endif
