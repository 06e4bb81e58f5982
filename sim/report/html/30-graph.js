// SPDX-License-Identifier: GPL-2.0-or-later
// What can be explored: states with their steps, from a state graph or from witnesses.
// A state: {units: [{status, next, buffer, registers, reason}], memory: [[name, value]],
// steps: [{cpu, text, event, detail, to}], ending, crash}.

function graphSource(run, graph) {
    const cpus = run.cpus.length;
    const cache = new Map();
    function unit(cpu, number) {
        const [status, next, , buffer, registers, reason] = graph.components[cpu][number];
        return {status, next, buffer, registers, reason};
    }
    function stepsOf(row) {
        const steps = [];
        for (let n = 3 + cpus; n < row.length; n += 2) {
            const [cpu, text, event, detail] = graph.labels[row[n]];
            steps.push({cpu, text, event, detail, to: row[n + 1]});
        }
        return steps;
    }
    return {
        whole: true,
        count: graph.states.length,
        successors(state) {
            const row = graph.states[state], list = [];
            for (let n = 3 + cpus; n < row.length; n += 2) list.push(row[n + 1]);
            return list;
        },
        endingOf(state) { return graph.states[state][0]; },
        state(number) {
            if (cache.has(number)) return cache.get(number);
            const row = graph.states[number];
            const state = {
                units: run.cpus.map((_, cpu) => unit(cpu, row[3 + cpu])),
                memory: graph.cells.map(([name, durable], n) =>
                    [(durable ? "durable " : "") + name, graph.memories[row[2]][n]]),
                hidden: graph.hidden_cells,
                steps: stepsOf(row),
                ending: row[0],
                crash: row[1],
            };
            cache.set(number, state);
            return state;
        },
        endings: graph.endings,
        images: graph.images,
    };
}

// Steps that witnesses share are one step: a tree.
function witnessSource(run, witnesses) {
    const states = [];
    const endings = [];
    const idle = () => ({status: 0, next: "", buffer: [], registers: [], reason: ""});
    const memoryOf = (row) => [...row.querySelectorAll(".cell")].map((cell) => cell.textContent.trim().split("="));
    function add(units, memory) {
        states.push({units, memory, hidden: 0, steps: [], ending: -1, crash: -1});
        return states.length - 1;
    }
    function follow(state, row) {
        const cpu = Number(row.dataset.cpu);
        const act = row.querySelector(".acts");
        const code = act.querySelector("code"), event = act.querySelector(".event");
        const step = {cpu, text: code ? code.textContent : "", event: event ? event.textContent : "step",
            detail: act.querySelector(".detail").textContent};
        const known = states[state].steps.find((old) =>
            old.cpu === cpu && old.text === step.text && old.event === step.event && old.detail === step.detail);
        if (known) return known.to;
        const units = states[state].units.map((old) => ({...old}));
        [...row.querySelectorAll(".lane")].forEach((cell, n) => { units[n].buffer = chips(cell); });
        act.querySelectorAll(".reg").forEach((reg) => {
            const name = reg.textContent.split("=")[0];
            units[cpu].registers = units[cpu].registers.filter((old) => old.split("=")[0] !== name)
                .concat(reg.textContent);
        });
        step.to = add(units, memoryOf(row));
        states[state].steps.push(step);
        return step.to;
    }
    let started = false;
    for (const witness of witnesses) {
        const rows = [...witness.querySelectorAll("tbody tr")];
        if (!started) add(run.cpus.map(idle), memoryOf(rows[0]));
        started = true;
        let at = 0;
        for (const row of rows.slice(1)) at = follow(at, row);
        const outcome = Number(witness.dataset.outcome);
        if (outcome >= 0) {
            states[at].ending = endings.length;
            endings.push([outcome, "", "", witness.querySelector(".part").textContent]);
        }
    }
    return {
        whole: false,
        count: states.length,
        successors: (state) => states[state].steps.map((step) => step.to),
        endingOf: (state) => states[state].ending,
        state: (number) => states[number],
        endings,
        images: [],
    };
}

// Which states lead to an ending that `wanted` says yes to: a byte per state.
function reaching(source, wanted) {
    const before = Array.from({length: source.count}, () => []);
    const reaches = new Uint8Array(source.count);
    const queue = [];
    for (let state = 0; state < source.count; state++) {
        for (const to of source.successors(state)) before[to].push(state);
        const ending = source.endingOf(state);
        if (ending >= 0 && wanted(source.endings[ending])) {
            reaches[state] = 1;
            queue.push(state);
        }
    }
    while (queue.length)
        for (const state of before[queue.pop()])
            if (!reaches[state]) {
                reaches[state] = 1;
                queue.push(state);
            }
    return reaches;
}
