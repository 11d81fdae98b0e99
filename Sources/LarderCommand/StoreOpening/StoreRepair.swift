import LarderCore
import LarderStores

/// Repairs a store by path, and tells what was done.
struct StoreRepair {
    let opener: StoreOpener

    /// - Returns: What was done, then what could not be kept, a line each.
    func run() throws -> [String] {
        let kind = try opener.kindOfExisting()
        guard let path = opener.path else { return [] }
        switch kind {
        case .propertyList:
            let repair = try PropertyListStore.repair(path: path)
            return [repair.description] + repair.problems.map(\.sentence)
        }
    }
}
