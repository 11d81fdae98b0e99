#if Command && Inspector
import ArgumentParser
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles

/// A hidden command that fills the folder of `make inspect`, or keeps writing to its stores.
struct InspectionDemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "inspection-demo", shouldDisplay: false)

    @Argument var folder: String
    @Flag var writes = false

    func run() throws {
        if writes { return try InspectionDemo(folder: folder).write() }
        // What the tour prints is of no interest here.
        let console = Console.current
        let quiet = Console(
            write: { _ in },
            writeError: console.writeError,
            readInput: console.readInput,
            isTerminal: false
        )
        try Tour(folder: URL(filePath: folder), console: quiet).run()
        try InspectionDemo(folder: folder).fill()
    }
}

/// Stores of a service that does something every moment.
struct InspectionDemo {
    let folder: String

    static let visitors = ["Ada", "Grace", "Edsger", "Barbara", "Niklaus", "Tony", "Donald", "Radia"]
    private static let pages = ["/", "/orders", "/orders/17", "/cart", "/account", "/search?q=tea"]

    private func open() throws -> DeviceStore { try DeviceStore(path: folder + "/service.larder") }

    func fill() throws {
        let store = try open()
        try store.set("sk_live_0123456789", for: "payment.apiKey")
        try store.set(.date(Date()), for: "started")
        try store.set(.data(Data(Self.picture)), for: "picture")
        try store.set(#"{"theme": "dark", "columns": ["name", "date"], "limit": 20}"#, for: "page.settings")
        for number in 0..<5_000 { try store.set(.int(Int64(number * number)), for: "squares.\(number)") }
        try store.flush()
        #if Objects
        let orders = try DemoOrders(in: folder)
        try orders.fill()
        try orders.close()
        #endif
    }

    /// Writes until the process is interrupted.
    func write() throws {
        let store = try open()
        var generator = SystemRandomNumberGenerator()
        Interruption.begin()
        defer { Interruption.end() }
        var number: Int64 = 0
        #if Objects
        let orders = try DemoOrders(in: folder)
        defer { try? orders.close() }
        #endif
        while !Interruption.hasCome {
            number += 1
            let visitor = Self.visitors.randomElement(using: &generator) ?? ""
            let page = Self.pages.randomElement(using: &generator) ?? ""
            try store.set(.int(number), for: "requests")
            try store.set(
                ["page": .string(page), "at": .date(Date()), "milliseconds": .double(Double.random(in: 1...80))],
                for: "visitors.\(visitor)"
            )
            #if Objects
            if number % 10 == 0 { try orders.change(number / 10) }
            #endif
            if number % 50 == 0 { try store.remove("visitors.\(Self.visitors[0])") }
            CurrentProcess.sleep(for: .milliseconds(Int64.random(in: 5...120)))
        }
    }

    /// A picture of 16 by 16 pixels in PNG format.
    private static let picture: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x10, 0x00, 0x00, 0x00, 0x10, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x91, 0x68, 0x36, 0x00, 0x00, 0x00,
        0x67, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x95, 0xD2, 0x2B, 0x12, 0x80, 0x30, 0x10, 0x04, 0xD1, 0x1C, 0x67,
        0x4F, 0x88, 0x44, 0x22, 0x91, 0x48, 0x24, 0xA2, 0x05, 0x12, 0x89, 0x44, 0x22, 0x91, 0x1C, 0x04, 0x85, 0xDA,
        0x22, 0x05, 0xF9, 0x0C, 0x5B, 0xCF, 0x44, 0xB4, 0xCA, 0x84, 0xEB, 0xE7, 0x85, 0xF8, 0x61, 0x0D, 0x49, 0xE9,
        0xC0, 0x5A, 0x0A, 0xDE, 0x81, 0x75, 0x54, 0x3D, 0x81, 0xF5, 0x88, 0x3C, 0x18, 0x10, 0x79, 0x30, 0x22, 0xF2,
        0x60, 0x42, 0xE4, 0xC1, 0x8C, 0xC8, 0x83, 0x05, 0x91, 0x07, 0x2B, 0x22, 0x0F, 0x36, 0x44, 0xD1, 0xC7, 0xED,
        0x54, 0x7D, 0xA6, 0x71, 0x50, 0x90, 0x19, 0xDF, 0x49, 0x52, 0x76, 0xAD, 0xCA, 0xDD, 0x88, 0xFF, 0xF5, 0x78,
        0x62, 0xA6, 0xF1, 0x3A, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
}
#endif
