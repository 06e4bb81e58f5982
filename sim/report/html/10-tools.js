// SPDX-License-Identifier: GPL-2.0-or-later
"use strict";

// An element: tag, attributes (class, text, or any other), children.
function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name === "text") element.textContent = value;
        else if (name === "click") element.addEventListener("click", value);
        else if (value !== null && value !== false) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

function clear(element) {
    while (element.firstChild) element.firstChild.remove();
}

// Not `disabled`, with which a button that was just pressed would lose the focus.
function enable(able, ...buttons) {
    for (const button of buttons) button.setAttribute("aria-disabled", String(!able));
}

function count(number, one, many) {
    return number + " " + (number === 1 ? one : many);
}

// Keys go to the part that has the focus; else to the last one that was used.
const keyboard = {
    parts: [],
    used: null,
    add(element, keys) {
        const part = {element, keys};
        this.parts.push(part);
        element.addEventListener("focusin", () => { this.used = part; });
        element.addEventListener("click", () => { this.used = part; });
    },
    visible(part) {
        return part.element.getClientRects().length > 0;
    },
    press(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
            return;
        const part = this.used && this.visible(this.used) ? this.used : this.parts.find((p) => this.visible(p));
        const action = part && part.keys[event.key];
        if (!action || !(document.activeElement === document.body || part.element.contains(document.activeElement)))
            return;
        event.preventDefault();
        action();
    },
};
document.addEventListener("keydown", (event) => keyboard.press(event));
