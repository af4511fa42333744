// Package harness is how the contract in suites is asked, recorded and judged. It holds no code itself; this is
// the account of its architecture.
//
// # The pipeline
//
//	target file ─> target starts the server ─> probe asks through wire ─> recording, one for each target
//	                                                                          │
//	                               checks, expectations, a date ─> judge ─> report
//
// What is left of the recording needs the server and takes minutes. What is right of it is a pure function and
// takes milliseconds: old recordings are judged by newer rules, and servers that never ran at the same time are
// compared. A cell that is judged while the target runs equals the cell that is judged from its files, because
// the writer of a recording builds what is judged by the reader's own steps.
//
// # The packages, in the order of the flow
//
//   - contract: the vocabulary. Check, Variant, Evidence, Finding, Facts, Plan. Standard library only.
//   - target: target files, and the runtimes that start what they describe: embedded, endpoint,
//     process, container. target/container alone speaks to a container engine.
//   - wire: one HTTP exchange, sent once, returned as it is.
//   - witness: the OpenAI SDKs, asked what they make of a target's answers; statement is what they tell.
//   - recording: the files of evidence, their writer and their reader.
//   - probe: the engine. It runs what a check asks, and what the check reads of others, once.
//   - session: one target from its start to its whole recording; target, wire, recording and probe together.
//   - parity: the distance of vectors, and the bars with their reasons.
//   - rankings: agreement of what searches find, and bounds of what a few queries show.
//   - judge: recordings to cells.
//   - expect: known deviations, which must be answered just so; expect/versions says for which versions of a server,
//     expect/standing how recordings stand to them, and what would have to change in their file.
//   - verdict: the decision on a swap, made of the cells of a pair and of its remedies.
//   - upgrade: two recordings, before and after: what is fixed, regressed or moved, and by how much.
//   - report: the published format, and its renderers, which read nothing else; report/html is the one for browsers and paper.
//   - strictyaml: the YAML files of users, parsed within bounds; bounds: what tests hold all readers of outside bytes to.
//   - spec: the Ginkgo tree and the matchers, made of checks.
//   - cmd/embedcontract: the command.
//   - bounds: for tests, how much time and memory code may take on bytes from outside.
//
// # Rules
//
//   - The harness imports neither suites nor fixtures: checks, emulators and expectations are passed in. Only the
//     command and suites/suite_test.go join them. A depguard rule in .golangci.yml holds this, and keeps test
//     frameworks and the network away from everything that judges.
//   - Two axes, never merged: does a server meet the contract (outcome of a target check), and may it stand where
//     another stands (effect on a pair). A 500 is loud and a dropped instruction is silent; a matrix of ticks
//     would hide that.
//   - Every check has a closed list of variants. What is on no list is "other", and a failure.
//   - A remedy is a change on the client's side that bridges a deviation. It stands beside the checks of its behaviour
//     and has the form of a pair check: what it asks is recorded with every run, of every target, so that a decision
//     can be made from recordings. It is verified when the candidate's answer to the changed request is the reference's
//     to the original one, and counts for the decision only, never as a cell.
//   - A decision is safe only where each deviation is bridged by a verified remedy. What was not asked, or was asked of
//     random weights where rankings are the question, is said to be unknown.
//   - A revision of the contract says which checks count. One that it does not list is provisional: asked, shown, and
//     nothing is decided by it.
//   - The plan, made of the reference's facts and texts, fixes what is asked of every target. Recordings of
//     different plans are not compared.
//   - A check may ask at the same time, wait, and act on its target (stop its worker, let an SDK ask); what it did is a
//     step of the recording like any request. One that disrupts its server gets one of its own, last.
//   - Checks of every run are asked before extended ones, so that a server which breaks under the last has answered
//     the first; none of the first reads evidence of the last.
//   - No retries, no sleeps, no equality of bits. Tolerances and limits are named constants with their reason.
//   - Whatever reads bytes from outside has a fuzz target (make fuzz), which also bounds its time and memory. What is built
//     of a number that somebody else names is bounded first.
//   - Whatever was started is stopped, also after a killed run: the next start sweeps.
//
// # How the suite itself is tested
//
// suites/kill asks hundreds of emulated servers, each wrong in one way, and requires that the check which owns the
// fault reports just that variant and every other check what it reports of an honest server. Honest servers that do
// things in their own way must stay green; no order, selection or repetition of checks may change a cell; whatever
// answer is spoilt, no check may pass on it. suites/guards breaks the classifiers themselves, one condition, number
// and variant at a time, and requires that the table turns red: what survives is listed in
// suites/kill/testdata/survivors.txt with the reason. That something else comes to the same finding, the run itself
// establishes: it counts the cells in which the faulty place comes out otherwise. suites/hostile asks servers that mean
// harm, and fuzzes whatever parses what they say. Time in the table is that of a synctest bubble: it passes when
// everybody waits.
//
// # How to add a check
//
// Write it into the file of its behaviour in suites, with all its variants and who breaks on each. Add to
// suites/kill what a server does that answers so; the emulator gets a switch where it lacks one, named
// by what the server does. Record the real servers anew (make record), correct the personalities until they
// agree, and list the deviations in fixtures/expectations. Until the next revision lists it (suites/revisions), it is
// provisional. Name the rows of the survey that it covers (suites/rows.go) in its Sources; make documents writes
// suites/CONTRACT.md anew.
package harness
