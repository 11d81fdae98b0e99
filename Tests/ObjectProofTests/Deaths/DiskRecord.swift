#if Objects
import Foundation

/// The changes that a process made to the files of a folder, in order.
struct DiskRecord {
    enum Change {
        case write(name: String, offset: Int, bytes: [UInt8])
        case truncation(name: String, size: Int)
        case sync(name: String)
        case creation(name: String)
        case deletion(name: String)
        case renaming(name: String, destination: String)
    }

    /// A state of the disk after a power loss: the first changes, without some that were not synced.
    struct State {
        let count: Int
        let missing: Set<Int>
    }

    private struct Unreadable: Error {}

    let changes: [Change]

    /// Reads a log that `larder_faults_record` wrote.
    init(contentsOf url: URL) throws {
        let bytes = try Array(Data(contentsOf: url))
        var changes: [Change] = []
        var next = 0
        func take(_ count: Int) throws -> ArraySlice<UInt8> {
            guard count >= 0, next + count <= bytes.count else { throw Unreadable() }
            defer { next += count }
            return bytes[next..<next + count]
        }
        func name(_ bytes: ArraySlice<UInt8>) -> String {
            URL(fileURLWithPath: String(decoding: bytes, as: UTF8.self)).lastPathComponent
        }
        while next < bytes.count {
            let head = try (0..<4).map { _ in
                try take(8).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
            }
            let (path, content) = (name(try take(Int(head[1]))), try take(Int(head[3])))
            switch Unicode.Scalar(UInt8(truncatingIfNeeded: head[0])) {
            case "w": changes.append(.write(name: path, offset: Int(head[2]), bytes: Array(content)))
            case "t": changes.append(.truncation(name: path, size: Int(head[2])))
            case "s": changes.append(.sync(name: path))
            case "o": changes.append(.creation(name: path))
            case "d": changes.append(.deletion(name: path))
            case "r": changes.append(.renaming(name: path, destination: name(content)))
            default: throw Unreadable()
            }
        }
        self.changes = changes
    }

    /// The states of the files after a power loss: with all writes since the last sync, without one of them, and without all of them.
    ///
    /// Truncations are treated as writes. Files are created, deleted and renamed in order, as by a file system with a journal.
    var states: [State] {
        var states: [State] = []
        var unsynced: [String: [Int]] = [:]
        for (index, change) in changes.enumerated() {
            switch change {
            case .write(let name, _, _), .truncation(let name, _): unsynced[name, default: []].append(index)
            case .sync(let name), .deletion(let name): unsynced[name] = nil
            case .renaming(let name, let destination): unsynced[destination] = unsynced.removeValue(forKey: name)
            case .creation: break
            }
            let all = unsynced.values.flatMap(\.self).sorted()
            states.append(State(count: index + 1, missing: []))
            // Without the last change the state is the one before.
            for one in all where one != index { states.append(State(count: index + 1, missing: [one])) }
            if all.count > 1 { states.append(State(count: index + 1, missing: Set(all))) }
        }
        return states
    }

    /// Returns the contents of all files in a state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - files: The contents before the first change.
    /// - Returns: The contents of the files, keyed by name.
    func image(_ state: State, of files: [String: [UInt8]]) -> [String: [UInt8]] {
        var files = files
        for (index, change) in changes.prefix(state.count).enumerated() where !state.missing.contains(index) {
            switch change {
            case .write(let name, let offset, let bytes):
                var content = files[name] ?? []
                let end = offset + bytes.count
                if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
                content.replaceSubrange(offset..<end, with: bytes)
                files[name] = content
            case .truncation(let name, let size):
                guard let content = files[name], content.count > size else { continue }
                files[name] = Array(content[..<size])
            case .sync: break
            case .creation(let name): files[name] = files[name] ?? []
            case .deletion(let name): files[name] = nil
            case .renaming(let name, let destination): files[destination] = files.removeValue(forKey: name)
            }
        }
        return files
    }
}
#endif
