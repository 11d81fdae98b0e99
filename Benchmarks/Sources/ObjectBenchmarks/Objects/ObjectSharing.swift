#if Objects
/// Measures processes that share one file.
extension Area {
    static var savingInTwoProcesses: Row {
        Row("save one new order, in one process or in two that share the file") { folder in
            let (saves, rounds) = (2_000, 7)
            let path = folder + "/shared.sqlite"
            let first = try SharingProcess(path)
            /// Returns the nanoseconds for one save of several processes that save at once.
            func time(_ processes: [SharingProcess]) throws -> Double {
                try nanoseconds {
                    for process in processes { process.begin(saves: saves / processes.count) }
                    for process in processes { try process.wait() }
                } / Double(saves)
            }
            var alone: [Double] = []
            var together: [Double] = []
            for _ in 0..<rounds {
                _ = try time([first])
                alone.append(try time([first]))
                let second = try SharingProcess(path)
                _ = try time([first, second])
                together.append(try time([first, second]))
                try second.end()
            }
            try first.end()
            return [
                Figure("Larder, one process alone", median(alone)),
                // Together at least 0.8 times the saves of one process alone.
                Figure("Larder, two processes together", median(together), goal: .timesFirst(1 / 0.8)),
            ]
        }
    }
}
#endif
