/// The page that shows the flags of an instance and how a change arrives.
///
/// The page's own script and style are its only ones, because the ``policy`` forbids all others. The script sets what users have
/// entered as text and never as HTML.
package struct Page: Sendable {
    private let instance: String

    package init(instance: String) { self.instance = instance }

    /// The policy with which the page must be sent, in the header `Content-Security-Policy`.
    package static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'"

    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Flags of instance \(Self.escaped(instance))</title>
        <link rel="stylesheet" href="/page.css">
        <script src="/page.js" defer></script>
        </head>
        <body>
        <h1>Flags of instance \(Self.escaped(instance))</h1>
        <table>
        <thead><tr><th>Flag</th><th>Value</th><th>New value</th></tr></thead>
        <tbody id="flags"></tbody>
        </table>
        <p id="status" role="status">Connecting</p>
        <ol id="log"></ol>
        </body>
        </html>
        """
    }

    /// Replaces the characters that have a meaning in HTML.
    static func escaped(_ text: String) -> String {
        // By scalar: "<" with an accent is another character, but a browser reads its "<" as the start of a tag.
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    package static let style = """
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; padding: .4rem; border-bottom: 1px solid #ccc }
        .changed td { background: #fff3bf; transition: background .2s }
        input { font: inherit; width: 10rem }
        button { font: inherit }
        #log { color: #555; font-size: .9rem }

        """

    package static let script = #"""
        "use strict";
        const body = document.getElementById("flags");
        const log = document.getElementById("log");
        const status = document.getElementById("status");
        const rows = new Map();

        function row(name) {
            if (rows.has(name)) return rows.get(name);
            const line = body.insertRow();
            line.insertCell().textContent = name;
            const value = line.insertCell();
            const form = document.createElement("form");
            const input = document.createElement("input");
            const button = document.createElement("button");
            input.setAttribute("aria-label", "New value of " + name);
            button.textContent = "Set";
            form.append(input, button);
            form.addEventListener("submit", event => {
                event.preventDefault();
                change(name, input.value);
            });
            line.insertCell().append(form);
            const entry = { line, value };
            rows.set(name, entry);
            return entry;
        }

        async function change(name, value) {
            const answer = await fetch("/flags/" + encodeURIComponent(name), {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body: JSON.stringify({ value })
            });
            if (!answer.ok) note("Refused: " + await answer.text());
        }

        function note(text) {
            const line = document.createElement("li");
            line.textContent = new Date().toISOString() + "  " + text;
            log.prepend(line);
            while (log.children.length > 20) log.lastChild.remove();
        }

        const events = new EventSource("/events");
        events.addEventListener("flag", event => {
            const flag = JSON.parse(event.data);
            const entry = row(flag.name);
            if (entry.value.textContent === flag.value) return;
            const isFirst = entry.value.textContent === "";
            entry.value.textContent = flag.value;
            if (isFirst) return;
            entry.line.className = "changed";
            setTimeout(() => { entry.line.className = ""; }, 1500);
            note(flag.name + " is now " + flag.value);
        });
        events.onopen = () => { status.textContent = "Connected"; };
        events.onerror = () => { status.textContent = "The instance can't be reached. Trying again."; };

        """#
}
