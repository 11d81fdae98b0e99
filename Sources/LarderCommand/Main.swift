import Foundation

@main
enum Main {
    static func main() {
        #if Command
        exit(Program.run(Array(CommandLine.arguments.dropFirst()), console: .standard))
        #else
        Console.standard.complain(
            "This build does not include the command-line tool. Build it with `swift build --product larder --traits Command`."
        )
        exit(2)
        #endif
    }
}
