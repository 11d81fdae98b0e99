import Foundation
package import LarderCore

/// Opens a store in a child process, whose predecessor may have been killed inside a commit.
///
/// The store reports the incomplete commit as `damaged`, as it should. Other issues are printed, so that `Scripts/test.sh` finds them.
package func openAfterKill<Store: KeyValueStore>(_ open: () throws -> Store) rethrows -> Store {
    try withIssueHandler(
        { issue in
            guard issue.code != .damaged else { return }
            FileHandle.standardError.write(Data("An error larder: \(issue)\n".utf8))
        },
        operation: open
    )
}
