#if Objects
import Foundation
import LarderObjects

// Benchmarks/WideModel/generate.swift generated this file from the description beside it.

@Entity final class Wide01 {
    var attribute1: String?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: String
    var attribute5: Bool?
    var attribute6: String
    var attribute7: String?
    var attribute8: String
    var attribute9: Bool?
    var attribute10: String
    var attribute11: Int64?
    var attribute12: String
    var attribute13: Bool?
    var attribute14: String
    var attribute15: String?
    var attribute16: Int64
    var attribute17: String?
    var attribute18: Int64
    var attribute19: Int64?
    var attribute20: String
    var attribute21: Bool?
    var attribute22: Double = 0
    var attribute23: String?
    var attribute24: Int64
    var attribute25: String?
    var attribute26: String
    var attribute27: Int64?
    var attribute28: String
    var attribute29: Decimal?
    var attribute30: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute31: String?
    var attribute32: Int64
    var attribute33: String?
    var attribute34: String
    var attribute35: String?
    var attribute36: String
    var attribute37: Bool?
    var attribute38: String
    var attribute39: String?
    var attribute40: String
    var attribute41: String?
    var attribute42: Int64
    var attribute43: Double?
    var attribute44: String
    var attribute45: Int64?
    var attribute46: String
    var attribute47: String?
    var attribute48: Int64
    var attribute49: String?
    var attribute50: String
    var attribute51: String?
    var attribute52: String
    var attribute53: Int64?
    var attribute54: String
    var attribute55: Int64?
    var attribute56: Decimal = 0
    var attribute57: String?
    var attribute58: [String] = []
    var attribute59: Bool?
    var attribute60: String
    var attribute61: String?
    var attribute62: Int64
    var attribute63: String?
    var attribute64: Bool = false
    @Relationship(deleteRule: .cascade, inverse: \Wide02.back0, ordered: true) var link0: [Wide02]
}

@Entity final class Wide02 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: Int64?
    var attribute6: Data = Data()
    var attribute7: String?
    var attribute8: String = ""
    @Relationship var back0: Wide01?
    @Relationship var back11: Wide78?
    @Relationship(inverse: \Wide14.back63) var link63: [Wide14]
}

@Entity final class Wide03 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute4: String?
    var attribute5: Bool = false
    var attribute6: String?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide16.back38) var link38: [Wide16]
    @Relationship var back49: Wide80?
}

@Entity final class Wide04 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: Int64 = 0
    var attribute7: Bool?
    var attribute8: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide05.back13, ordered: true) var link13: [Wide05]
}

@Entity final class Wide05 {
    var attribute1: String
    var attribute2: Decimal?
    var attribute3: String
    var attribute4: String?
    var attribute5: Int64 = 0
    var attribute6: String?
    var attribute7: Int64 = 0
    var attribute8: String?
    @Relationship var back13: Wide04?
    @Relationship var back24: Wide81?
}

@Entity final class Wide06 {
    var attribute1: Date?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: Bool?
    var attribute6: Int64 = 0
    var attribute7: String?
    var attribute8: String = ""
    @Relationship(deleteRule: .deny, inverse: \Wide19.back51) var link51: Wide19?
    @Relationship var back62: [Wide83]
}

@Entity final class Wide07 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Decimal = 0
    var attribute4: Date?
    var attribute5: Int64 = 0
    var attribute6: String?
    var attribute7: Bool = false
    var attribute8: Bool?
    @Relationship(deleteRule: .cascade, inverse: \Wide08.back26) var link26: [Wide08]
}

@Entity final class Wide08 {
    var attribute1: String?
    var attribute2: String
    var attribute3: Bool?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Int64?
    var attribute8: Int64 = 0
    @Relationship(deleteRule: .cascade, inverse: \Wide10.back1, ordered: true) var link1: [Wide10]
    @Relationship var back26: Wide07?
    @Relationship var back37: Wide84?
}

@Entity final class Wide09 {
    var attribute1: String
    var attribute2: Int64?
    var attribute3: String
    var attribute4: String?
    var attribute5: Int64 = 0
    var attribute6: String?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(inverse: \Wide22.back64) var link64: [Wide22]
}

@Entity final class Wide10 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: Bool = false
    var attribute7: String?
    var attribute8: Date = Date(timeIntervalSinceReferenceDate: 0)
    @Relationship var back1: Wide08?
    @Relationship var back12: Wide85?
    @Relationship(deleteRule: .cascade, inverse: \Wide11.back39) var link39: [Wide11]
}

@Entity final class Wide11 {
    var attribute1: Double = 0
    var attribute2: String?
    var attribute3: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide13.back14, ordered: true) var link14: [Wide13]
    @Relationship var back39: Wide10?
    @Relationship var back50: Wide87?
}

@Entity final class Wide12 {
    var attribute1: Bool?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: Int64 = 0
    var attribute5: String?
    var attribute6: Int64 = 0
    var attribute7: Bool?
    var attribute8: String = ""
}

@Entity final class Wide13 {
    var attribute1: Decimal = 0
    var attribute2: String?
    var attribute3: String
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: String = ""
    var attribute8: Int64?
    @Relationship var back14: Wide11?
    @Relationship var back25: Wide88?
    @Relationship(inverse: \Wide14.back52) var link52: Wide14?
}

@Entity final class Wide14 {
    var attribute1: String?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute5: Bool?
    var attribute6: [String] = []
    var attribute7: Date?
    var attribute8: Bool = false
    @Relationship(deleteRule: .cascade, inverse: \Wide16.back27) var link27: [Wide16]
    @Relationship var back52: Wide13?
    @Relationship var back63: [Wide02]
}

@Entity final class Wide15 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Int64
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide18.back2, ordered: true) var link2: [Wide18]
}

@Entity final class Wide16 {
    var attribute1: Int64?
    var attribute2: Int64
    var attribute3: Bool?
    var attribute4: String = ""
    var attribute5: [String]?
    var attribute6: Int64 = 0
    var attribute7: String?
    var attribute8: String = ""
    @Relationship var back27: Wide14?
    @Relationship var back38: Wide03?
}

@Entity final class Wide17 {
    var attribute1: Int64
    var attribute2: String?
    var attribute3: String
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: Int64 = 0
    var attribute8: Bool?
    @Relationship(deleteRule: .cascade, inverse: \Wide19.back40) var link40: [Wide19]
}

@Entity final class Wide18 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Int64?
    var attribute6: String = ""
    var attribute7: Bool?
    var attribute8: String = ""
    @Relationship var back2: Wide15?
    @Relationship(deleteRule: .cascade, inverse: \Wide21.back15) var link15: [Wide21]
}

@Entity final class Wide19 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: Bool = false
    var attribute8: String?
    @Relationship var back40: Wide17?
    @Relationship var back51: Wide06?
}

@Entity final class Wide20 {
    var attribute1: String?
    var attribute2: Bool = false
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Int64?
    var attribute8: String = ""
    @Relationship(inverse: \Wide22.back53) var link53: Wide22?
}

@Entity final class Wide21 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Bool = false
    var attribute4: Int64?
    var attribute5: Bool = false
    var attribute6: Int64?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship var back15: Wide18?
    @Relationship(deleteRule: .cascade, inverse: \Wide24.back28) var link28: [Wide24]
}

@Entity final class Wide22 {
    var attribute1: String?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    var attribute8: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide26.back3, ordered: true) var link3: [Wide26]
    @Relationship var back53: Wide20?
    @Relationship var back64: [Wide09]
}

@Entity final class Wide23 {
    var attribute1: String
    var attribute2: Int64?
    var attribute3: String
    var attribute4: Decimal?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: String = ""
    var attribute8: String?
}

@Entity final class Wide24 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Int64?
    var attribute6: String = ""
    var attribute7: String?
    var attribute8: String = ""
    @Relationship var back28: Wide21?
    @Relationship(deleteRule: .cascade, inverse: \Wide27.back41) var link41: [Wide27]
}

@Entity final class Wide25 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide29.back16) var link16: [Wide29]
}

@Entity final class Wide26 {
    var attribute1: String?
    var attribute2: String
    var attribute3: [String]?
    var attribute4: Int64 = 0
    var attribute5: String?
    var attribute6: Double = 0
    var attribute7: String?
    var attribute8: Data = Data()
    @Relationship var back3: Wide22?
}

@Entity final class Wide27 {
    var attribute1: Int64
    var attribute2: Bool?
    var attribute3: String
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: [String]?
    var attribute7: Int64 = 0
    var attribute8: Decimal?
    @Relationship var back41: Wide24?
    @Relationship(inverse: \Wide30.back54) var link54: Wide30?
}

@Entity final class Wide28 {
    var attribute1: Int64?
    var attribute2: Int64
    var attribute3: String?
    var attribute4: [String] = []
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    var attribute8: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide32.back29) var link29: [Wide32]
}

@Entity final class Wide29 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Data = Data()
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: Int64 = 0
    var attribute8: Double?
    @Relationship(deleteRule: .cascade, inverse: \Wide34.back4, ordered: true) var link4: [Wide34]
    @Relationship var back16: Wide25?
}

@Entity final class Wide30 {
    var attribute1: Date?
    var attribute2: Int64
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Bool?
    var attribute6: Bool = false
    var attribute7: String?
    var attribute8: Int64 = 0
    @Relationship var back54: Wide27?
}

@Entity final class Wide31 {
    var attribute1: Bool = false
    var attribute2: String?
    var attribute3: [String] = []
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide35.back42) var link42: [Wide35]
}

@Entity final class Wide32 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: Bool?
    var attribute6: String = ""
    var attribute7: Date?
    var attribute8: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide37.back17) var link17: [Wide37]
    @Relationship var back29: Wide28?
}

@Entity final class Wide33 {
    var attribute1: Int64
    var attribute2: Int64?
    var attribute3: [String] = []
    var attribute4: Int64?
    var attribute5: Int64 = 0
    var attribute6: String?
    var attribute7: String = ""
    var attribute8: String?
}

@Entity final class Wide34 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: Bool = false
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    var attribute8: String = ""
    @Relationship var back4: Wide29?
    @Relationship(inverse: \Wide38.back55) var link55: Wide38?
}

@Entity final class Wide35 {
    var attribute1: Bool = false
    var attribute2: Decimal?
    var attribute3: String
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Decimal?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide40.back30) var link30: [Wide40]
    @Relationship var back42: Wide31?
}

@Entity final class Wide36 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: Decimal = 0
    var attribute5: Int64?
    var attribute6: String = ""
    var attribute7: [String]?
    var attribute8: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide42.back5, ordered: true) var link5: [Wide42]
}

@Entity final class Wide37 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String
    var attribute4: String?
    var attribute5: Int64 = 0
    var attribute6: Int64?
    var attribute7: Int64 = 0
    var attribute8: String?
    @Relationship var back17: Wide32?
}

@Entity final class Wide38 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Int64?
    var attribute6: Bool = false
    var attribute7: String?
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide43.back43) var link43: Wide43?
    @Relationship var back55: Wide34?
}

@Entity final class Wide39 {
    var attribute1: String
    var attribute2: Date?
    var attribute3: Int64
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide45.back18) var link18: [Wide45]
}

@Entity final class Wide40 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: [String] = []
    var attribute5: Int64?
    var attribute6: String = ""
    var attribute7: String?
    var attribute8: Date?
    @Relationship var back30: Wide35?
}

@Entity final class Wide41 {
    var attribute1: Data = Data()
    var attribute2: String?
    var attribute3: Int64
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: String = ""
    var attribute8: String?
    @Relationship(inverse: \Wide46.back56) var link56: Wide46?
}

@Entity final class Wide42 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship var back5: Wide36?
    @Relationship(deleteRule: .cascade, inverse: \Wide48.back31) var link31: [Wide48]
}

@Entity final class Wide43 {
    var attribute1: Int64
    var attribute2: Int64?
    var attribute3: Int64
    var attribute4: String?
    var attribute5: Int64 = 0
    var attribute6: String?
    var attribute7: Int64 = 0
    @Relationship(deleteRule: .cascade, inverse: \Wide50.back6, ordered: true) var link6: [Wide50]
    @Relationship var back43: Wide38?
}

@Entity final class Wide44 {
    var attribute1: String?
    var attribute2: String
    var attribute3: Bool?
    var attribute4: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
}

@Entity final class Wide45 {
    var attribute1: String
    var attribute2: Bool?
    var attribute3: String
    var attribute4: Date?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: String = ""
    @Relationship var back18: Wide39?
    @Relationship(deleteRule: .cascade, inverse: \Wide51.back44) var link44: Wide51?
}

@Entity final class Wide46 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide53.back19) var link19: [Wide53]
    @Relationship var back56: Wide41?
}

@Entity final class Wide47 {
    var attribute1: String
    var attribute2: Decimal?
    var attribute3: [String] = []
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: Date = Date(timeIntervalSinceReferenceDate: 0)
}

@Entity final class Wide48 {
    var attribute1: String?
    var attribute2: Bool = false
    var attribute3: Int32?
    var attribute4: String = ""
    var attribute5: Int64?
    var attribute6: Int64 = 0
    var attribute7: Int64?
    @Relationship var back31: Wide42?
    @Relationship(inverse: \Wide54.back57) var link57: Wide54?
}

@Entity final class Wide49 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String
    var attribute4: String?
    var attribute5: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute6: Date?
    var attribute7: Double = 0
    @Relationship(deleteRule: .cascade, inverse: \Wide56.back32) var link32: [Wide56]
}

@Entity final class Wide50 {
    var attribute1: Bool?
    var attribute2: Bool = false
    var attribute3: Bool?
    var attribute4: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Int64?
    @Relationship var back6: Wide43?
    @Relationship(deleteRule: .cascade, inverse: \Wide58.back7, ordered: true) var link7: [Wide58]
}

@Entity final class Wide51 {
    var attribute1: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute2: Int64?
    var attribute3: String
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: [String]?
    var attribute7: String = ""
    @Relationship var back44: Wide45?
}

@Entity final class Wide52 {
    var attribute1: String?
    var attribute2: Int64
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Bool?
    var attribute6: Int64 = 0
    var attribute7: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide59.back45) var link45: Wide59?
}

@Entity final class Wide53 {
    var attribute1: String
    var attribute2: Int64?
    var attribute3: String
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: String = ""
    @Relationship var back19: Wide46?
    @Relationship(deleteRule: .cascade, inverse: \Wide61.back20) var link20: [Wide61]
}

@Entity final class Wide54 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Bool?
    var attribute6: Int64 = 0
    var attribute7: Int64?
    @Relationship var back57: Wide48?
}

@Entity final class Wide55 {
    var attribute1: [String] = []
    var attribute2: Int64?
    var attribute3: String
    var attribute4: String?
    var attribute5: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute6: Date?
    var attribute7: String = ""
    @Relationship(inverse: \Wide62.back58) var link58: [Wide62]
}

@Entity final class Wide56 {
    var attribute1: Date?
    var attribute2: Bool = false
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute7: Bool?
    @Relationship var back32: Wide49?
    @Relationship(deleteRule: .cascade, inverse: \Wide64.back33) var link33: [Wide64]
}

@Entity final class Wide57 {
    var attribute1: Int64
    var attribute2: String?
    var attribute3: String
    var attribute4: Bool?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: Bool = false
    @Relationship(deleteRule: .cascade, inverse: \Wide66.back8, ordered: true) var link8: [Wide66]
}

@Entity final class Wide58 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: Bool = false
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Int64?
    @Relationship var back7: Wide50?
}

@Entity final class Wide59 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: Double = 0
    @Relationship var back45: Wide52?
    @Relationship(deleteRule: .cascade, inverse: \Wide67.back46) var link46: Wide67?
}

@Entity final class Wide60 {
    var attribute1: String?
    var attribute2: Int64
    var attribute3: Int64?
    var attribute4: String = ""
    var attribute5: Bool?
    var attribute6: Int64 = 0
    var attribute7: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide69.back21) var link21: [Wide69]
}

@Entity final class Wide61 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: Int64 = 0
    var attribute6: Bool?
    var attribute7: Int64 = 0
    @Relationship var back20: Wide53?
}

@Entity final class Wide62 {
    var attribute1: Int64?
    var attribute2: [String] = []
    var attribute3: Int64?
    var attribute4: String = ""
    var attribute5: Int64?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship var back58: [Wide55]
    @Relationship(inverse: \Wide70.back59) var link59: [Wide70]
}

@Entity final class Wide63 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: Bool = false
    var attribute6: String?
    var attribute7: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide72.back34) var link34: [Wide72]
}

@Entity final class Wide64 {
    var attribute1: String?
    var attribute2: Bool = false
    var attribute3: Int64?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Date?
    @Relationship(deleteRule: .cascade, inverse: \Wide74.back9, ordered: true) var link9: [Wide74]
    @Relationship var back33: Wide56?
}

@Entity final class Wide65 {
    var attribute1: [String] = []
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: Bool?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: Bool = false
}

@Entity final class Wide66 {
    var attribute1: String?
    var attribute2: Double = 0
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Double?
    @Relationship var back8: Wide57?
    @Relationship(deleteRule: .cascade, inverse: \Wide75.back47) var link47: Wide75?
}

@Entity final class Wide67 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: Bool = false
    var attribute6: String?
    var attribute7: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide77.back22) var link22: [Wide77]
    @Relationship var back46: Wide59?
}

@Entity final class Wide68 {
    var attribute1: Bool?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: Bool?
    var attribute6: String = ""
    var attribute7: Bool?
}

@Entity final class Wide69 {
    var attribute1: Int64
    var attribute2: [String]?
    var attribute3: [String] = []
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: String = ""
    @Relationship var back21: Wide60?
    @Relationship(inverse: \Wide78.back60) var link60: [Wide78]
}

@Entity final class Wide70 {
    var attribute1: String?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: Date?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide80.back35) var link35: [Wide80]
    @Relationship var back59: [Wide62]
}

@Entity final class Wide71 {
    var attribute1: Bool = false
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: Int64?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: Int64 = 0
    @Relationship(deleteRule: .cascade, inverse: \Wide82.back10, ordered: true) var link10: [Wide82]
}

@Entity final class Wide72 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: Decimal = 0
    var attribute5: Bool?
    var attribute6: Int64 = 0
    var attribute7: String?
    @Relationship var back34: Wide63?
}

@Entity final class Wide73 {
    var attribute1: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute2: Bool?
    var attribute3: Int64 = 0
    var attribute4: Int64?
    var attribute5: Bool = false
    var attribute6: String?
    var attribute7: Int64 = 0
    @Relationship(deleteRule: .cascade, inverse: \Wide83.back48) var link48: Wide83?
}

@Entity final class Wide74 {
    var attribute1: String?
    var attribute2: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship var back9: Wide64?
    @Relationship(deleteRule: .cascade, inverse: \Wide85.back23) var link23: [Wide85]
}

@Entity final class Wide75 {
    var attribute1: [String] = []
    var attribute2: String?
    var attribute3: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Bool?
    var attribute7: Int64 = 0
    @Relationship var back47: Wide66?
}

@Entity final class Wide76 {
    var attribute1: Bool?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: [String] = []
    var attribute7: [String]?
    @Relationship(inverse: \Wide86.back61) var link61: [Wide86]
}

@Entity final class Wide77 {
    var attribute1: String
    var attribute2: Bool?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: Bool = false
    var attribute6: Int64?
    var attribute7: String = ""
    @Relationship var back22: Wide67?
    @Relationship(deleteRule: .cascade, inverse: \Wide88.back36) var link36: [Wide88]
}

@Entity final class Wide78 {
    var attribute1: Int64?
    var attribute2: Bool = false
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: Int64?
    var attribute6: Bool = false
    var attribute7: Int64?
    @Relationship(deleteRule: .cascade, inverse: \Wide02.back11, ordered: true) var link11: [Wide02]
    @Relationship var back60: [Wide69]
}

@Entity final class Wide79 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Decimal = 0
    var attribute4: String?
    var attribute5: String = ""
    var attribute6: Int64?
    var attribute7: Double = 0
}

@Entity final class Wide80 {
    var attribute1: String?
    var attribute2: String
    var attribute3: Int64?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship var back35: Wide70?
    @Relationship(deleteRule: .cascade, inverse: \Wide03.back49) var link49: Wide03?
}

@Entity final class Wide81 {
    var attribute1: String
    var attribute2: String?
    var attribute3: Int64 = 0
    var attribute4: String?
    var attribute5: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute6: Double?
    var attribute7: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide05.back24) var link24: [Wide05]
}

@Entity final class Wide82 {
    var attribute1: Int64?
    var attribute2: String
    var attribute3: String?
    var attribute4: Int64 = 0
    var attribute5: String?
    var attribute6: Decimal = 0
    var attribute7: String?
    @Relationship var back10: Wide71?
}

@Entity final class Wide83 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: Int64 = 0
    var attribute6: Int64?
    var attribute7: Int64 = 0
    @Relationship var back48: Wide73?
    @Relationship(inverse: \Wide06.back62) var link62: [Wide06]
}

@Entity final class Wide84 {
    var attribute1: Int64?
    var attribute2: Int64
    var attribute3: Decimal?
    var attribute4: String = ""
    var attribute5: Bool?
    var attribute6: String = ""
    var attribute7: String?
    @Relationship(deleteRule: .cascade, inverse: \Wide08.back37) var link37: [Wide08]
}

@Entity final class Wide85 {
    var attribute1: String
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: String?
    var attribute5: [String] = []
    var attribute6: Int64?
    var attribute7: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Wide10.back12, ordered: true) var link12: [Wide10]
    @Relationship var back23: Wide74?
}

@Entity final class Wide86 {
    var attribute1: Int64?
    var attribute2: Bool = false
    var attribute3: String?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: String = ""
    var attribute7: Int64?
    @Relationship var back61: [Wide76]
}

@Entity final class Wide87 {
    var attribute1: Int64
    var attribute2: String?
    var attribute3: String = ""
    var attribute4: Bool?
    var attribute5: String = ""
    var attribute6: String?
    var attribute7: URL = URL(fileURLWithPath: "/")
    @Relationship(deleteRule: .deny, inverse: \Wide11.back50) var link50: Wide11?
}

@Entity final class Wide88 {
    var attribute1: Bool?
    var attribute2: String
    var attribute3: Bool?
    var attribute4: String = ""
    var attribute5: String?
    var attribute6: Date = Date(timeIntervalSinceReferenceDate: 0)
    var attribute7: Bool?
    @Relationship(deleteRule: .cascade, inverse: \Wide13.back25) var link25: [Wide13]
    @Relationship var back36: Wide77?
}

enum WideModel {
    static let model = ObjectModel([
        Wide01.self,
        Wide02.self,
        Wide03.self,
        Wide04.self,
        Wide05.self,
        Wide06.self,
        Wide07.self,
        Wide08.self,
        Wide09.self,
        Wide10.self,
        Wide11.self,
        Wide12.self,
        Wide13.self,
        Wide14.self,
        Wide15.self,
        Wide16.self,
        Wide17.self,
        Wide18.self,
        Wide19.self,
        Wide20.self,
        Wide21.self,
        Wide22.self,
        Wide23.self,
        Wide24.self,
        Wide25.self,
        Wide26.self,
        Wide27.self,
        Wide28.self,
        Wide29.self,
        Wide30.self,
        Wide31.self,
        Wide32.self,
        Wide33.self,
        Wide34.self,
        Wide35.self,
        Wide36.self,
        Wide37.self,
        Wide38.self,
        Wide39.self,
        Wide40.self,
        Wide41.self,
        Wide42.self,
        Wide43.self,
        Wide44.self,
        Wide45.self,
        Wide46.self,
        Wide47.self,
        Wide48.self,
        Wide49.self,
        Wide50.self,
        Wide51.self,
        Wide52.self,
        Wide53.self,
        Wide54.self,
        Wide55.self,
        Wide56.self,
        Wide57.self,
        Wide58.self,
        Wide59.self,
        Wide60.self,
        Wide61.self,
        Wide62.self,
        Wide63.self,
        Wide64.self,
        Wide65.self,
        Wide66.self,
        Wide67.self,
        Wide68.self,
        Wide69.self,
        Wide70.self,
        Wide71.self,
        Wide72.self,
        Wide73.self,
        Wide74.self,
        Wide75.self,
        Wide76.self,
        Wide77.self,
        Wide78.self,
        Wide79.self,
        Wide80.self,
        Wide81.self,
        Wide82.self,
        Wide83.self,
        Wide84.self,
        Wide85.self,
        Wide86.self,
        Wide87.self,
        Wide88.self,
    ])

    /// Inserts one object of each entity and sets all relationships.
    static func fill(_ storage: any WritableStorageType) throws {
        let object0 = try storage.insertNewObject(ofType: Wide01.self)
        object0.attribute2 = "text"
        object0.attribute4 = "text"
        object0.attribute6 = "text"
        object0.attribute8 = "text"
        object0.attribute10 = "text"
        object0.attribute12 = "text"
        object0.attribute14 = "text"
        object0.attribute16 = 7
        object0.attribute18 = 7
        object0.attribute20 = "text"
        object0.attribute24 = 7
        object0.attribute26 = "text"
        object0.attribute28 = "text"
        object0.attribute32 = 7
        object0.attribute34 = "text"
        object0.attribute36 = "text"
        object0.attribute38 = "text"
        object0.attribute40 = "text"
        object0.attribute42 = 7
        object0.attribute44 = "text"
        object0.attribute46 = "text"
        object0.attribute48 = 7
        object0.attribute50 = "text"
        object0.attribute52 = "text"
        object0.attribute54 = "text"
        object0.attribute60 = "text"
        object0.attribute62 = 7
        let object1 = try storage.insertNewObject(ofType: Wide02.self)
        object1.attribute2 = "text"
        let object2 = try storage.insertNewObject(ofType: Wide03.self)
        object2.attribute1 = "text"
        let object3 = try storage.insertNewObject(ofType: Wide04.self)
        object3.attribute2 = "text"
        let object4 = try storage.insertNewObject(ofType: Wide05.self)
        object4.attribute1 = "text"
        object4.attribute3 = "text"
        let object5 = try storage.insertNewObject(ofType: Wide06.self)
        object5.attribute2 = "text"
        let object6 = try storage.insertNewObject(ofType: Wide07.self)
        object6.attribute1 = "text"
        let object7 = try storage.insertNewObject(ofType: Wide08.self)
        object7.attribute2 = "text"
        let object8 = try storage.insertNewObject(ofType: Wide09.self)
        object8.attribute1 = "text"
        object8.attribute3 = "text"
        let object9 = try storage.insertNewObject(ofType: Wide10.self)
        object9.attribute2 = "text"
        let object10 = try storage.insertNewObject(ofType: Wide11.self)
        let object11 = try storage.insertNewObject(ofType: Wide12.self)
        object11.attribute2 = "text"
        let object12 = try storage.insertNewObject(ofType: Wide13.self)
        object12.attribute3 = "text"
        let object13 = try storage.insertNewObject(ofType: Wide14.self)
        object13.attribute2 = "text"
        let object14 = try storage.insertNewObject(ofType: Wide15.self)
        object14.attribute1 = "text"
        object14.attribute3 = 7
        let object15 = try storage.insertNewObject(ofType: Wide16.self)
        object15.attribute2 = 7
        let object16 = try storage.insertNewObject(ofType: Wide17.self)
        object16.attribute1 = 7
        object16.attribute3 = "text"
        let object17 = try storage.insertNewObject(ofType: Wide18.self)
        object17.attribute2 = "text"
        let object18 = try storage.insertNewObject(ofType: Wide19.self)
        object18.attribute1 = "text"
        object18.attribute3 = "text"
        let object19 = try storage.insertNewObject(ofType: Wide20.self)
        let object20 = try storage.insertNewObject(ofType: Wide21.self)
        object20.attribute1 = "text"
        let object21 = try storage.insertNewObject(ofType: Wide22.self)
        object21.attribute2 = "text"
        let object22 = try storage.insertNewObject(ofType: Wide23.self)
        object22.attribute1 = "text"
        object22.attribute3 = "text"
        let object23 = try storage.insertNewObject(ofType: Wide24.self)
        object23.attribute2 = "text"
        let object24 = try storage.insertNewObject(ofType: Wide25.self)
        object24.attribute1 = "text"
        object24.attribute3 = "text"
        let object25 = try storage.insertNewObject(ofType: Wide26.self)
        object25.attribute2 = "text"
        let object26 = try storage.insertNewObject(ofType: Wide27.self)
        object26.attribute1 = 7
        object26.attribute3 = "text"
        let object27 = try storage.insertNewObject(ofType: Wide28.self)
        object27.attribute2 = 7
        let object28 = try storage.insertNewObject(ofType: Wide29.self)
        object28.attribute1 = "text"
        let object29 = try storage.insertNewObject(ofType: Wide30.self)
        object29.attribute2 = 7
        let object30 = try storage.insertNewObject(ofType: Wide31.self)
        let object31 = try storage.insertNewObject(ofType: Wide32.self)
        object31.attribute2 = "text"
        let object32 = try storage.insertNewObject(ofType: Wide33.self)
        object32.attribute1 = 7
        let object33 = try storage.insertNewObject(ofType: Wide34.self)
        object33.attribute2 = "text"
        let object34 = try storage.insertNewObject(ofType: Wide35.self)
        object34.attribute3 = "text"
        let object35 = try storage.insertNewObject(ofType: Wide36.self)
        object35.attribute2 = "text"
        let object36 = try storage.insertNewObject(ofType: Wide37.self)
        object36.attribute1 = "text"
        object36.attribute3 = "text"
        let object37 = try storage.insertNewObject(ofType: Wide38.self)
        object37.attribute2 = "text"
        let object38 = try storage.insertNewObject(ofType: Wide39.self)
        object38.attribute1 = "text"
        object38.attribute3 = 7
        let object39 = try storage.insertNewObject(ofType: Wide40.self)
        object39.attribute2 = "text"
        let object40 = try storage.insertNewObject(ofType: Wide41.self)
        object40.attribute3 = 7
        let object41 = try storage.insertNewObject(ofType: Wide42.self)
        object41.attribute2 = "text"
        let object42 = try storage.insertNewObject(ofType: Wide43.self)
        object42.attribute1 = 7
        object42.attribute3 = 7
        let object43 = try storage.insertNewObject(ofType: Wide44.self)
        object43.attribute2 = "text"
        let object44 = try storage.insertNewObject(ofType: Wide45.self)
        object44.attribute1 = "text"
        object44.attribute3 = "text"
        let object45 = try storage.insertNewObject(ofType: Wide46.self)
        object45.attribute2 = "text"
        let object46 = try storage.insertNewObject(ofType: Wide47.self)
        object46.attribute1 = "text"
        let object47 = try storage.insertNewObject(ofType: Wide48.self)
        let object48 = try storage.insertNewObject(ofType: Wide49.self)
        object48.attribute1 = "text"
        object48.attribute3 = "text"
        let object49 = try storage.insertNewObject(ofType: Wide50.self)
        let object50 = try storage.insertNewObject(ofType: Wide51.self)
        object50.attribute3 = "text"
        let object51 = try storage.insertNewObject(ofType: Wide52.self)
        object51.attribute2 = 7
        let object52 = try storage.insertNewObject(ofType: Wide53.self)
        object52.attribute1 = "text"
        object52.attribute3 = "text"
        let object53 = try storage.insertNewObject(ofType: Wide54.self)
        object53.attribute2 = "text"
        let object54 = try storage.insertNewObject(ofType: Wide55.self)
        object54.attribute3 = "text"
        let object55 = try storage.insertNewObject(ofType: Wide56.self)
        let object56 = try storage.insertNewObject(ofType: Wide57.self)
        object56.attribute1 = 7
        object56.attribute3 = "text"
        let object57 = try storage.insertNewObject(ofType: Wide58.self)
        object57.attribute2 = "text"
        let object58 = try storage.insertNewObject(ofType: Wide59.self)
        object58.attribute1 = "text"
        let object59 = try storage.insertNewObject(ofType: Wide60.self)
        object59.attribute2 = 7
        let object60 = try storage.insertNewObject(ofType: Wide61.self)
        object60.attribute1 = "text"
        let object61 = try storage.insertNewObject(ofType: Wide62.self)
        let object62 = try storage.insertNewObject(ofType: Wide63.self)
        object62.attribute1 = "text"
        let object63 = try storage.insertNewObject(ofType: Wide64.self)
        _ = try storage.insertNewObject(ofType: Wide65.self)
        let object65 = try storage.insertNewObject(ofType: Wide66.self)
        let object66 = try storage.insertNewObject(ofType: Wide67.self)
        object66.attribute1 = "text"
        let object67 = try storage.insertNewObject(ofType: Wide68.self)
        object67.attribute2 = "text"
        let object68 = try storage.insertNewObject(ofType: Wide69.self)
        object68.attribute1 = 7
        let object69 = try storage.insertNewObject(ofType: Wide70.self)
        object69.attribute2 = "text"
        let object70 = try storage.insertNewObject(ofType: Wide71.self)
        let object71 = try storage.insertNewObject(ofType: Wide72.self)
        object71.attribute2 = "text"
        let object72 = try storage.insertNewObject(ofType: Wide73.self)
        let object73 = try storage.insertNewObject(ofType: Wide74.self)
        let object74 = try storage.insertNewObject(ofType: Wide75.self)
        let object75 = try storage.insertNewObject(ofType: Wide76.self)
        object75.attribute2 = "text"
        let object76 = try storage.insertNewObject(ofType: Wide77.self)
        object76.attribute1 = "text"
        let object77 = try storage.insertNewObject(ofType: Wide78.self)
        let object78 = try storage.insertNewObject(ofType: Wide79.self)
        object78.attribute1 = "text"
        let object79 = try storage.insertNewObject(ofType: Wide80.self)
        object79.attribute2 = "text"
        let object80 = try storage.insertNewObject(ofType: Wide81.self)
        object80.attribute1 = "text"
        let object81 = try storage.insertNewObject(ofType: Wide82.self)
        object81.attribute2 = "text"
        let object82 = try storage.insertNewObject(ofType: Wide83.self)
        object82.attribute1 = "text"
        let object83 = try storage.insertNewObject(ofType: Wide84.self)
        object83.attribute2 = 7
        let object84 = try storage.insertNewObject(ofType: Wide85.self)
        object84.attribute1 = "text"
        let object85 = try storage.insertNewObject(ofType: Wide86.self)
        let object86 = try storage.insertNewObject(ofType: Wide87.self)
        object86.attribute1 = 7
        let object87 = try storage.insertNewObject(ofType: Wide88.self)
        object87.attribute2 = "text"
        object0.link0 = [object1]
        object7.link1 = [object9]
        object14.link2 = [object17]
        object21.link3 = [object25]
        object28.link4 = [object33]
        object35.link5 = [object41]
        object42.link6 = [object49]
        object49.link7 = [object57]
        object56.link8 = [object65]
        object63.link9 = [object73]
        object70.link10 = [object81]
        object77.link11 = [object1]
        object84.link12 = [object9]
        object3.link13 = [object4]
        object10.link14 = [object12]
        object17.link15 = [object20]
        object24.link16 = [object28]
        object31.link17 = [object36]
        object38.link18 = [object44]
        object45.link19 = [object52]
        object52.link20 = [object60]
        object59.link21 = [object68]
        object66.link22 = [object76]
        object73.link23 = [object84]
        object80.link24 = [object4]
        object87.link25 = [object12]
        object6.link26 = [object7]
        object13.link27 = [object15]
        object20.link28 = [object23]
        object27.link29 = [object31]
        object34.link30 = [object39]
        object41.link31 = [object47]
        object48.link32 = [object55]
        object55.link33 = [object63]
        object62.link34 = [object71]
        object69.link35 = [object79]
        object76.link36 = [object87]
        object83.link37 = [object7]
        object2.link38 = [object15]
        object9.link39 = [object10]
        object16.link40 = [object18]
        object23.link41 = [object26]
        object30.link42 = [object34]
        object37.link43 = object42
        object44.link44 = object50
        object51.link45 = object58
        object58.link46 = object66
        object65.link47 = object74
        object72.link48 = object82
        object79.link49 = object2
        object86.link50 = object10
        object5.link51 = object18
        object12.link52 = object13
        object19.link53 = object21
        object26.link54 = object29
        object33.link55 = object37
        object40.link56 = object45
        object47.link57 = object53
        object54.link58 = [object61]
        object61.link59 = [object69]
        object68.link60 = [object77]
        object75.link61 = [object85]
        object82.link62 = [object5]
        object1.link63 = [object13]
        object8.link64 = [object21]
    }
}
#endif
