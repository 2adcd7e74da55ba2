//go:build linux

package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// commands returns scenarios in which a fetched run contains commands that the user has not approved.
func commands() []scenario {
	return []scenario{
		{"commands of a fetched run", func(p *place) { p.unapprovedRun(func(clone *place, run string) { clone.tour(run, "b") }) }},
		{"commands of a fetched run after a start of the same name", func(p *place) {
			p.unapprovedRun(func(clone *place, run string) {
				clone.runWriter("start", "--name", "evilmark", "--task", "a")
				clone.runWriter("start", "--name", "evilmark", "--task", "a", "--auto")
				clone.runWriter("start", "--name", "evilmark", "--task", "a", "--new")
				clone.tour(run, "b")
			})
		}},
		{"commands in every other way on", func(p *place) {
			p.unapprovedRun(func(clone *place, run string) {
				for _, args := range [][]string{
					{run, "--auto", "--takeover"}, {run, "--yes", "--takeover", "--from", "b"}, {run, "--yes", "--takeover", "--restart"}, {run, "--yes", "--takeover", "--update"},
					{run, "--yes", "--takeover", "--mark-done"}, {run, "--yes", "--takeover", "--keep"}, {run, "--preflight", "--yes", "--takeover"}, {run, "--yes", "--even-idle"},
					{"task", "run", "--run", run, "b"}, {"finish", run}, {"undo", "--yes", run}, {run, "--yes", "--retry", "--takeover"},
				} {
					clone.runWriter(args...)
				}
			})
		}},
		{"a copied repository is another machine's word", func(p *place) {
			// Approvals are stored in files outside the refs, so a clone does not copy them.
			p.unapprovedRun(func(clone *place, run string) {
				if _, err := os.Stat(filepath.Join(clone.Dir, ".git", "resume", "trusted")); err == nil {
					p.T.Error("approvals came with a clone")
				}
				clone.runWriter(run, "--yes", "--takeover")
			})
		}},
		{"placeholders of a hand-off", handOff},
		{"plan of another system", func(p *place) {
			trap := p.trap("foreign")
			for name, text := range map[string]string{
				".auto-claude/specs/001-x/implementation_plan.json": fmt.Sprintf(`{"feature":"x $(%s)","phases":[{"id":"1","subtasks":[{"id":"1.1","status":"in_progress","verification":{"type":"command","run":%q,"command":%q}}]}]}`, trap, trap, trap),
				".auto-claude/specs/001-x/spec.md":                  "# x\n",
				".long-run/STATE.md":                                "# Long-Run Implementation State\n## Current Position\nPlan: 1 of 2\nStatus: Executing\nResume with: " + trap + "\n",
				".planning/STATE.md":                                "Plan: 1 of 2\nStatus: Executing\nNext: `" + trap + "`\n",
				"specs/002-list/tasks.md":                           "- [x] T001 one\n- [ ] T002 run `" + trap + "`; $(" + trap + ")\n",
				".claude/settings.json":                             `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"` + trap + `"}]}]}}`,
				"plan.yaml":                                         "name: x\nsetup: " + trap + "\ntasks: [{id: a, run: " + trap + "}]\n",
			} {
				p.Write(name, text)
			}
			p.Git("add", "-A")
			p.Git("commit", "-q", "-m", "plans")
			said := p.runReader("status", "--all", "--check")
			for _, name := range strings.Fields(said.out) {
				if source, _, ok := strings.Cut(name, ":"); ok && source != "" && source != "hint" {
					p.runReader(name, "-n")
					p.runWriter(name, "--auto")
					p.runWriter(name, "--yes")
				}
			}
		}},
	}
}

// unapprovedRun makes a paused run and puts shell commands into its plan and other texts. Then it passes a clone of the repository to the
// callback function.
func (p *place) unapprovedRun(then func(clone *place, run string)) {
	p.T.Helper()
	run := p.interruptedRun(withoutCommands(markedPlan))
	trap := quote(p.trap("run"))
	planned := 0
	p.rewrite(run, func(text string) string {
		for old, now := range map[string]string{
			`"title": "evilmark title b"`: fmt.Sprintf(`"title": "evilmark title b", "run": "%s", "verify": "%s", "on_interrupt": "verify"`, trap, trap),
			`"title": "evilmark title c"`: fmt.Sprintf(`"title": "$(%s)", "run": "%s"`, trap, trap),
			`"tasks": [`:                  fmt.Sprintf(`"setup": "%s", "tasks": [`, trap),
		} {
			planned += strings.Count(text, old)
			text = strings.Replace(text, old, now, 1)
		}
		// Use only one way of quoting in each trial. With all of them the names would be too long, and the program would refuse the plan.
		form := []string{"`%s`", "$(%s)", ";%s;", "'%s'", "\\\";%s;\\\"", "|%s"}[p.chance.IntN(6)]
		return replaceMarks(text, fmt.Sprintf(form, trap))
	})
	if planned != 3 {
		p.T.Fatalf("the plan has %d of 3 places for commands", planned)
	}
	then(p.cloneWithRuns(), run)
}

// replaceMarks replaces the word "evilmark" everywhere except in run ids. With a changed id the run would lose its branch and could not
// continue.
func replaceMarks(text, evil string) string {
	const kept = "\x00kept"
	text = strings.ReplaceAll(text, mark+"-", kept)
	return strings.ReplaceAll(strings.ReplaceAll(text, mark, evil), kept, mark+"-")
}

// handOff sets a hand-off command with placeholders such as {task}. The texts that the program fills in contain shell code. None of this
// code may run.
func handOff(p *place) {
	run := p.interruptedRun(withoutCommands(markedPlan))
	trap := quote(p.trap("handoff"))
	p.rewrite(run, func(text string) string {
		return replaceMarks(text, "$("+trap+") `"+trap+"` ';"+trap+";' \\\";"+trap+";\\\" \\n"+trap+"\\n")
	})
	p.Git("config", "resume.handoff", `printf '%s\n' {dir} {run} {task} {brief} {agent} {agent_id} {source} "{task}" '{brief}' >/dev/null`)
	for _, args := range handingOff(run) {
		p.runWriter(args...)
	}
}

// handingOff returns commands that answer the run's open questions and then continue it, so that the hand-off command runs.
func handingOff(run string) [][]string {
	return [][]string{{run, "--yes"}, {run, "--yes", "--skip"}, {"answer", "--run", run, "c", "1"}, {"answer", "--run", run, "q", "2"}, {run, "--yes"}, {run, "--auto"}, {run, "--print"}}
}
