/// Invalid files for tests of Android's shared preferences.
enum HostileFiles {
    /// Files that are not a valid document as a whole.
    static let damaged: [String] = [
        "", " \n", "\0\0\0\0", "hello", "<", "<map", "<map>", "<map></mop>", "<map></map", "<map></map><map/>",
        "<map />x", "<map />\0",
        "<?xml version='1.0'", "<!-- never ends <map />", "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n",
        "<plist version=\"1.0\"><dict/></plist>", "<string name=\"a\">b</string>", "{\"a\": 1}",
        "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n    <int name=\"launches\" val",
        "<!DOCTYPE map [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><map><string name=\"a\">&a;</string></map>",
        "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><map />",
        "<map><!DOCTYPE x><int name=\"a\" value=\"1\" /></map>", "<map><string name=\"a\">b</map>",
        "<map><string name=\"a\">b</string name=\"c\"></map>", "<map><int name=a value=1 /></map>",
        "<map><int name=\"a\"value</map>",
        "<map><int name=\"a\" value=\"<\" /></map>", "<map><int name=\"a\" value=\"1\"",
        "<map><int name=\"a\" value=\"1' /></map>",
        "<map>< name=\"a\" /></map>", "<map><string name=\"a\"><![CDATA[x</string></map>",
        "<map><string name=\"a\"><!-- x</string></map>",
        "<map><string name=\"a\"><?x</string></map>", "<map><set name=\"a\"><string>b</set></map>",
        "<map>" + String(repeating: "<list name=\"a\">", count: 66) + String(repeating: "</list>", count: 66)
            + "</map>",
    ]

    /// Entries that can't be read although the rest of the file is valid.
    static let badEntries: [String] = [
        "<int name=\"a\" value=\"2147483648\" />", "<int name=\"a\" value=\"\" />", "<int name=\"a\" value=\" 1\" />",
        "<int name=\"a\" value=\"1.0\" />", "<int name=\"a\" value=\"1👩\" />", "<int name=\"a\" value=\"٣\" />",
        "<int name=\"a\" />",
        "<int value=\"1\" />", "<string>a</string>", "<long name=\"a\" value=\"9223372036854775808\" />",
        "<float name=\"a\" value=\"x\" />", "<double name=\"a\" value=\"0x1p3\" />",
        "<boolean name=\"a\" value=\"1\" />",
        "<boolean name=\"a\" value=\"yes\" />", "<short name=\"a\" value=\"1\" />",
        "<int name=\"a\" value=\"1\">2</int>",
        "<int name=\"a\" value=\"1\"><int name=\"b\" value=\"2\" /></int>", "<string name=\"a\">x<b>y</b></string>",
        "<string name=\"a\">&unknown;</string>", "<string name=\"a\">&</string>", "<string name=\"a\">&#;</string>",
        "<string name=\"a\">&#+65;</string>", "<string name=\"a\">&#1114112;</string>",
        "<string name=\"a\">&#99999999999999;</string>",
        "<string name=\"a\">&#55357;</string>", "<string name=\"a\">&#56833;&#55357;</string>",
        "<string name=\"a\">&#55357;x&#56833;</string>",
        "<string name=\"&#55357;\">x</string>", "<string name=\"&foo;\">x</string>",
        "<set name=\"a\"><int value=\"1\" /></set>",
        "<set name=\"a\"><null /></set>", "<set name=\"a\">text<string>b</string></set>",
        "<null name=\"a\"><int /></null>", "text",
        "<list name=\"a\"><int value=\"x\" /></list>", "<list name=\"a\"><what /></list>",
        "<map name=\"a\"><int value=\"1\" /></map>",
        "<byte-array name=\"a\" num=\"1\">zz</byte-array>", "<byte-array name=\"a\" num=\"2\">00</byte-array>",
        "<byte-array name=\"a\" num=\"1\">000</byte-array>",
        "<int-array name=\"a\" num=\"2\"><item value=\"1\" /></int-array>",
        "<int-array name=\"a\" num=\"1\"><int value=\"1\" /></int-array>",
        "<long-array name=\"a\"><item /></long-array>",
        "<string-array name=\"a\" num=\"1\"><item value=\"&x;\" /></string-array>",
    ]
}
