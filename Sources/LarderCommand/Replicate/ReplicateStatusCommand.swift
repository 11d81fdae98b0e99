#if Command
import ArgumentParser
import LarderReplication

struct ReplicateStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows how far a replica follows its cluster, or the state of a store in a cluster.",
        discussion: """
            Nothing is changed. With --cluster, the number of commits that the replica is behind is read from the cluster.
            """
    )

    @Argument(help: "The path of a replica, or the address of a store in a cluster.")
    var target: ArgumentText

    @Option(help: ArgumentHelp("The address of the cluster to compare the replica with.", valueName: "address"))
    var cluster: ArgumentText?

    @OptionGroup var output: FormatOptions

    func validate() throws {
        if cluster != nil, ClusterAddress.isAddress(target.text) {
            throw ValidationError(
                "--cluster requires a replica. Specify the path of a replica, or leave out --cluster."
            )
        }
    }

    func run() throws {
        let console = Console.current
        if let address = try ClusterAddress(target.text) {
            let engine = try ClusterConnection.connect(address, .isAnError)
            let status = try BlockedTask.run { try await ClusterStatus(of: engine) }
            return try console.print([Fact("cluster", "cluster", engine.name)] + status.facts, output.format)
        }
        let cluster = try cluster.map { try ClusterAddress(required: $0.text) }
        try console.print(ReplicaStatus(path: target.text, cluster: cluster).facts, output.format)
    }
}
#endif
