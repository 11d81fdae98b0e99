import Foundation
import LarderCore
import LarderDataSources
import Testing

struct QueryTests {
    private enum Planet: String, KeyConvertible { case earth }

    @Test func idQueryKeyIsStorageKeyOfIdentifier() throws {
        let uuid = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000ABCD"))
        #expect(IdQuery("pi").key == "pi")
        #expect(IdQuery(-7).key == "-7")
        #expect(IdQuery(UInt64.max).key == "18446744073709551615")
        #expect(IdQuery(uuid).key == "00000000-0000-0000-0000-00000000ABCD")
        #expect(IdQuery(Planet.earth).key == "earth")
    }

    @Test func keyQueryFunctionCreatesStringKeyQuery() {
        #expect(KeyQuery("1").key == "1")
        #expect(KeyQuery("1") == StringKeyQuery("1"))
    }
}
