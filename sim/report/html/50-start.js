// SPDX-License-Identifier: GPL-2.0-or-later
// Parts begin to work when they are first seen: a page may hold many runs.

function startRun(details) {
    if (details.dataset.started) return;
    details.dataset.started = "1";
    const witnesses = [...details.querySelectorAll(".witness")];
    const section = details.querySelector(".explore");
    witnesses.forEach(stepper);
    if (section) {
        const run = JSON.parse(section.querySelector(".run-data").textContent);
        const graph = run.graph ? document.getElementById("graph-" + run.graph) : null;
        if (graph) explorer(section, run, graphSource(run, JSON.parse(graph.textContent)));
        else if (witnesses.length) explorer(section, run, witnessSource(run, witnesses));
    }
}

function openTarget() {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    const details = target && target.closest("details");
    if (!details) return;
    details.open = true;
    target.scrollIntoView();
}

document.querySelectorAll("details.run").forEach((details) => {
    if (details.open) startRun(details);
    details.addEventListener("toggle", () => { if (details.open) startRun(details); });
});
addEventListener("hashchange", openTarget);
openTarget();
