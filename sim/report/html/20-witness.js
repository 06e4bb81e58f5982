// SPDX-License-Identifier: GPL-2.0-or-later
// Stepping through a witness: the rows of its table, one after the other.

function chips(cell) {
    return [...cell.querySelectorAll(".buffer .chip")].map((chip) => chip.textContent);
}

function said(row, names) {
    const cells = [...row.querySelectorAll(".lane")];
    const buffers = cells.map((cell, cpu) => [names[cpu], chips(cell)]).filter(([, list]) => list.length);
    const memory = [...row.querySelectorAll(".cell")].map((cell) => cell.textContent);
    return row.dataset.say + "." +
        buffers.map(([name, list]) => " " + name + "'s buffer: " + list.join(", ") + ".").join("") +
        (memory.length ? " Memory: " + memory.join(", ") + "." : "");
}

function stepper(witness) {
    const rows = [...witness.querySelectorAll("tbody tr")];
    const names = [...witness.querySelectorAll("thead th")].slice(1, -1).map((head) => head.textContent);
    const last = rows.length - 1;
    let at = last;
    const place = make("span", {class: "place"});
    const say = make("p", {class: "say", "aria-live": "polite"});
    const button = (name, sign, action) => make("button", {type: "button", "aria-label": name, text: sign, click: action});
    const first = button("First step", "Start", () => show(0));
    const back = button("One step back", "◀ Back", () => show(at - 1));
    const forward = button("One step forward", "Forward ▶", () => show(at + 1));
    const end = button("Last step", "End", () => show(last));

    function show(step) {
        at = Math.max(0, Math.min(last, step));
        rows.forEach((row, n) => {
            row.classList.toggle("now", n === at);
            row.classList.toggle("later", n > at);
            if (n === at) row.setAttribute("aria-current", "step");
            else row.removeAttribute("aria-current");
        });
        place.textContent = "Step " + at + " of " + last;
        say.textContent = said(rows[at], names);
        enable(at > 0, first, back);
        enable(at < last, forward, end);
        const ends = witness.querySelector(".ends");
        if (ends) ends.classList.toggle("hidden", at !== last);
    }

    const controls = make("div", {class: "controls", role: "group", "aria-label": "Step through this execution"},
        first, back, forward, end, place);
    const keys = make("p", {class: "keys"}, "Keys: ", make("kbd", {text: "←"}), " ", make("kbd", {text: "→"}),
        " step, ", make("kbd", {text: "Home"}), " ", make("kbd", {text: "End"}), " first and last.");
    const scroll = witness.querySelector(".scroll");
    scroll.before(controls, say);
    scroll.after(keys);
    keyboard.add(witness, {
        ArrowLeft: () => show(at - 1),
        ArrowRight: () => show(at + 1),
        Home: () => show(0),
        End: () => show(last),
    });
    show(0);
}
