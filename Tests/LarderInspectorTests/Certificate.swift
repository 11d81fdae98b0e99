#if Inspector
import Foundation
import LarderTestSupport

/// The files of a certificate for "*.box.example" and "box.example", which is of no use but in tests.
struct Certificate {
    let chain: String
    let key: String
    /// The private key of another certificate.
    let otherKey: String

    init(in folder: TemporaryDirectory) throws {
        chain = folder.path("chain.pem")
        key = folder.path("key.pem")
        otherKey = folder.path("other.pem")
        for (path, text) in [(chain, Self.chainText), (key, Self.keyText), (otherKey, Self.otherKeyText)] {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
    }

    private static let chainText = """
        -----BEGIN CERTIFICATE-----
        MIIBsTCCAVegAwIBAgIUCIWLKXG5bAWfO8VSmoxu0YXQfC4wCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLYm94LmV4YW1wbGUwIBcNMjYxMTI4MjIxNzQxWhgPMjEyNjEx
        MDQyMjE3NDFaMBYxFDASBgNVBAMMC2JveC5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAE2EM3fjCrZzKRWXoaf5dBwk6yQNhG5iFHboVwGqM/Uog7BwPM
        DXgde5Rw/c22mfIyPMdJrT21XzuIQJWgTl0jVaOBgDB+MB0GA1UdDgQWBBRtmr9c
        dyB6Eca1zvp6xXzfxyUHwzAfBgNVHSMEGDAWgBRtmr9cdyB6Eca1zvp6xXzfxyUH
        wzAPBgNVHRMBAf8EBTADAQH/MCsGA1UdEQQkMCKCDSouYm94LmV4YW1wbGWCC2Jv
        eC5leGFtcGxlhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIQDYKSFcuWqewRm2OaQ2
        oegGaKij+pn5m5fRqdbDRngTCQIgV/JIjeeNAaI/cDOfb8Tzu0Brdt2yj3M4aguI
        l6mdMMU=
        -----END CERTIFICATE-----
        """
    private static let keyText = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkV+Jsn13+nzxOmHX
        pL/mLanTEwlw9OF4RSlbH4pfhVuhRANCAATYQzd+MKtnMpFZehp/l0HCTrJA2Ebm
        IUduhXAaoz9SiDsHA8wNeB17lHD9zbaZ8jI8x0mtPbVfO4hAlaBOXSNV
        -----END PRIVATE KEY-----
        """
    private static let otherKeyText = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgblpNlD/ZKbORyKJT
        76zcglgVoRX/IH6ENCmjfCdH5DGhRANCAAS4pRffaUIEoOEqJ4aE96VdJfBnqlZ1
        bH88iQ6KOY4KCUUsc6Of2WWDGhIV1/8dmlOc/DZS9W/IpxPPd1nok1AN
        -----END PRIVATE KEY-----
        """
}
#endif
