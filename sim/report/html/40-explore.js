// SPDX-License-Identifier: GPL-2.0-or-later
// Explore mode: the reader chooses every step.

// What can be asked for: each condition of the trace, each outcome that no interleaving gives.
function targetsOf(run) {
    const targets = run.finals.map(([kind, condition], n) => ({
        name: kind === "always" ? "not (" + condition + ")" : condition,
        wanted: (ending) => ending[1] !== "" && (ending[1][n] === "1") !== (kind === "always"),
        whole: true,
    }));
    for (const outcome of run.surprises)
        targets.push({
            name: outcome,
            wanted: (ending) => ending[0] >= 0 && run.outcomes[ending[0]][0] === outcome,
        });
    return targets;
}

// How the ending of a state, or a power cut in it, agrees with the trace.
function judgements(conditions, bits) {
    return conditions.flatMap(([kind, condition, asked, line], n) => {
        const holds = bits[n] === "1";
        if (!asked || (kind === "sometimes" && !holds)) return [];
        const breaks = kind === "never" ? holds : kind === "always" ? !holds : false;
        return [{breaks, text: (breaks ? "breaks " : kind === "sometimes" ? "is what may happen: " : "meets ") +
            kind + " " + condition + " (line " + line + ")"}];
    });
}

function explorer(section, run, source) {
    const path = [{state: 0, step: null}];
    const targets = targetsOf(run).filter((target) => source.whole || !target.whole);
    const reached = new Map();
    let hinted = false;
    const say = make("p", {class: "say", "aria-live": "polite"});
    const machine = make("div", {class: "machine"});
    const end = make("div", {"aria-live": "polite"});
    const answer = make("p", {class: "hint-answer", "aria-live": "polite"});
    const history = make("ol", {class: "history", "aria-label": "Steps so far"});
    const undoButton = make("button", {type: "button", text: "Undo", click: undo});
    const restartButton = make("button", {type: "button", text: "Restart", click: restart});
    const target = make("select", {"aria-label": "Outcome to ask about"},
        ...targets.map((one, n) => make("option", {value: n, text: one.name})));
    const hintButton = make("button", {type: "button", "aria-pressed": "false", text: "Can it still be reached?",
        click: () => { hinted = !hinted; render(null); }});
    target.addEventListener("change", () => render(null));

    const here = () => path[path.length - 1].state;
    const nameOf = (cpu) => cpu < run.cpus.length ? run.cpus[cpu] : "memory";
    const describe = (step) => nameOf(step.cpu) + ": " + (step.text || step.event) + (step.detail ? ": " + step.detail : "");

    function reaches(state) {
        const wanted = targets[target.value || 0];
        if (!wanted) return false;
        if (!reached.has(wanted)) reached.set(wanted, reaching(source, wanted.wanted));
        return reached.get(wanted)[state] === 1;
    }

    function choose(step) {
        path.push({state: step.to, step});
        render(describe(step));
    }
    function undo() {
        if (path.length === 1) return;
        const undone = path.pop();
        render("Taken back: " + describe(undone.step));
    }
    function restart() {
        if (path.length === 1) return;
        path.length = 1;
        render("Back at the start");
    }
    function goTo(length) {
        path.length = length;
        render("Back after step " + (length - 1));
    }

    function listOf(strings, none) {
        if (!strings.length) return [make("span", {class: "quiet", text: none})];
        return strings.flatMap((string) => [make("span", {class: "chip", text: string}), " "]);
    }

    function choiceButton(step, number) {
        const drains = !step.text;
        const button = make("button", {type: "button", click: () => choose(step)},
            number < 9 ? make("span", {class: "key-hint", "aria-hidden": "true", text: String(number + 1)}) : "",
            make("span", {text: drains ? step.event + " " : "run "}),
            drains ? "" : make("code", {text: step.text}),
            make("span", {class: "detail", text: step.detail}));
        if (hinted && reaches(step.to)) button.classList.add("leads");
        return button;
    }

    function unitBox(unit, cpu, state) {
        const steps = state.steps.map((step, number) => [step, number]).filter(([step]) => step.cpu === cpu);
        const next = unit.status === 1 ? "nothing more" : unit.reason ? unit.reason : null;
        const box = make("div", {class: "unit", role: "group", "aria-label": run.cpus[cpu]},
            make("p", {class: "unit-name", text: run.cpus[cpu]}),
            make("dl", {},
                ...(next || unit.next ? [make("dt", {text: "next"}),
                    make("dd", {}, next ? make("span", {class: "quiet", text: next}) : make("code", {text: unit.next}))] : []),
                make("dt", {text: "buffer"}), make("dd", {}, ...listOf(unit.buffer, "empty")),
                make("dt", {text: "registers"}), make("dd", {}, ...listOf(unit.registers, "as at the start"))));
        const choices = make("div", {class: "choices"}, ...steps.map(([step, number]) => choiceButton(step, number)));
        if (source.whole && unit.status === 0 && unit.next && !steps.some(([step]) => step.text))
            choices.append(make("p", {class: "waits", text: unit.next + " has to wait"}));
        box.append(choices);
        return box;
    }

    function memoryBox(state, before) {
        const cells = state.memory.map(([name, value], n) =>
            make("span", {class: before && before.memory[n] && before.memory[n][1] !== value ? "cell changed" : "cell",
                text: name + "=" + value}));
        const box = make("div", {class: "unit", role: "group", "aria-label": "Memory"},
            make("p", {class: "unit-name", text: "Memory"}), make("p", {}, ...cells.flatMap((cell) => [cell, " "])));
        if (state.hidden) box.append(make("p", {class: "quiet", text: count(state.hidden, "more word is", "more words are") + " not shown"}));
        const own = state.steps.map((step, number) => [step, number]).filter(([step]) => step.cpu >= run.cpus.length);
        if (own.length)
            box.append(make("div", {class: "choices"}, ...own.map(([step, number]) => choiceButton(step, number))));
        return box;
    }

    function verdictList(list) {
        return make("ul", {}, ...list.map((one) => make("li", {text: one.text})));
    }

    function endBox(state) {
        if (state.steps.length) return [];
        if (state.ending < 0) {
            const stopped = state.units.find((unit) => unit.reason);
            return [make("div", {class: "outcome"}, make("b", {text: stopped ? "Here it stops: " + stopped.reason
                : source.whole ? "Nothing can happen any more, and not every CPU has ended." : "Here this execution ends."}))];
        }
        const [number, bits, values, reason] = source.endings[state.ending];
        const [text, relaxed] = number >= 0 ? run.outcomes[number] : [values, 0];
        const list = reason ? [{breaks: false, text: "the execution shown above for: " + reason}] : judgements(run.finals, bits);
        const bad = list.some((one) => one.breaks) || (!run.finals.length && relaxed);
        const box = make("div", {class: "outcome " + (bad ? "violation" : reason ? "" : "pass")},
            make("b", {text: "The end: "}), make("code", {text}));
        if (number < 0) box.append(make("span", {class: "quiet", text: " not among the report's outcomes: something is not " +
            "modelled to its end, or the clock was read early in vain"}));
        if (relaxed) box.append(make("span", {class: "relaxed", text: " relaxed: no interleaving of the instructions gives it"}));
        box.append(verdictList(list));
        return [box];
    }

    function crashBox(state) {
        if (state.crash < 0 || !source.images.length) return [];
        const broken = judgements(run.crashes, source.images[state.crash]).filter((one) => one.breaks || /^is what/.test(one.text));
        if (!broken.length) return [make("p", {class: "quiet", text: "If the power failed now, what is durable would meet all that the trace asks."})];
        return [make("div", {class: "outcome violation"}, make("b", {text: "If the power failed now, that " }), verdictList(broken))];
    }

    function hint() {
        if (!targets.length) return "";
        const yes = reaches(here());
        if (!source.whole) return yes ? "Yes, along the executions shown." : "Not along the executions shown; others are not in this page.";
        if (yes) return "Yes: from here it can still be reached.";
        return here() === 0 || !reaches(0)
            ? "No: none of the " + source.count + " states of this run leads to it."
            : "No: from here it can no longer be reached. Undo to come back.";
    }

    function render(message) {
        const state = source.state(here());
        const before = path.length > 1 ? source.state(path[path.length - 2].state) : null;
        const focused = section.contains(document.activeElement) && machine.contains(document.activeElement);
        clear(machine);
        machine.append(...state.units.map((unit, cpu) => unitBox(unit, cpu, state)), memoryBox(state, before));
        clear(end);
        end.append(...endBox(state), ...crashBox(state));
        clear(history);
        path.slice(1).forEach((one, n) => history.append(make("li", {},
            make("button", {type: "button", text: describe(one.step), "aria-label": "Back to after: " + describe(one.step),
                click: () => goTo(n + 2)}))));
        enable(path.length > 1, undoButton, restartButton);
        hintButton.setAttribute("aria-pressed", String(hinted));
        answer.textContent = hinted ? hint() : "";
        if (message !== null)
            say.textContent = message + ". " + (state.steps.length ? count(state.steps.length, "choice", "choices") + "." : "");
        section.dataset.state = String(here());
        if (focused || (document.activeElement === document.body && keyboard.used && keyboard.used.element === section))
            (machine.querySelector("button") || undoButton).focus({preventScroll: true});
    }

    section.querySelectorAll(".no-script").forEach((element) => element.remove());
    section.append(
        make("div", {class: "controls", role: "group", "aria-label": "Explore"}, undoButton, restartButton),
        say, machine, end);
    if (targets.length)
        section.append(make("div", {class: "controls", role: "group", "aria-label": "Hint"}, target, hintButton), answer);
    section.append(make("p", {class: "unit-name", text: "Steps so far"}), history,
        make("p", {class: "keys"}, "Keys: ", make("kbd", {text: "1"}), " to ", make("kbd", {text: "9"}), " choose, ",
            make("kbd", {text: "←"}), " or ", make("kbd", {text: "u"}), " undo, ", make("kbd", {text: "Home"}), " restart",
            ...(targets.length ? [", ", make("kbd", {text: "h"}), " hint."] : ["."])));
    const keys = {ArrowLeft: undo, u: undo, Backspace: undo, Home: restart, h: () => hintButton.click()};
    for (let digit = 1; digit <= 9; digit++)
        keys[digit] = () => {
            const step = source.state(here()).steps[digit - 1];
            if (step) choose(step);
        };
    keyboard.add(section, keys);
    render(null);
}
