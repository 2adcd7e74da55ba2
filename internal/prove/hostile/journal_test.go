//go:build linux

package hostile

import (
	"path/filepath"
	"strings"
)

// mark is a word in the texts of a test run. The tests replace it with harmful text, and it is valid in file, branch and task names.
const mark = "evilmark"

// interruptedRun starts a run with the word "evilmark" in its texts, reports on some of its tasks, and pauses it.
func (p *place) interruptedRun(plan string) (run string) {
	p.T.Helper()
	p.outside("plan.yaml", plan)
	p.MustResume("start", filepath.Join(p.root, "plan.yaml"))
	run = p.id()
	tree := p.In(filepath.Join(p.root, "repo.worktrees", run))
	for _, args := range [][]string{
		{"task", "start", "a"}, {"task", "done", "a", "--message", mark + " subject"},
		{"task", "fail", "b", "--cause", mark, "--message", mark + " message"}, {"task", "block", "c", "--ask", mark + " ask?", "--option", mark + " option"},
		{"task", "skip", "d", "--message", mark + " skip"}, {"task", "start", "--add", "e" + mark}, {"checkpoint", "-m", mark + " checkpoint"}, {"pause", "--message", mark + " pause"},
	} {
		tree.Write(args[1], mark+"\n")
		if out, code := tree.Resume(args...); code != 0 {
			p.T.Fatalf("%q: exit code %d\n%s", args, code, out)
		}
	}
	return run
}

const markedPlan = `name: evilmark
base: main
tasks:
- {id: a, title: evilmark title a, inputs: [evilmark], outputs: [evilmark]}
- {id: b, title: evilmark title b, run: "evilmark run", verify: "evilmark verify"}
- {id: c, title: evilmark title c}
- {id: d, title: evilmark title d, needs: [c]}
- {id: q, ask: evilmark question, options: [evilmark one, two]}
`

// withoutCommands removes the commands from a plan. Starting a plan approves its commands, but these tests check what happens with commands
// that nobody has approved.
func withoutCommands(plan string) string {
	return strings.ReplaceAll(plan, `, run: "evilmark run", verify: "evilmark verify"`, "")
}

// rewrite changes every text in a run's journal and plan. It uses only git, because an attacker does not need git-resume to do this.
func (p *place) rewrite(run string, change func(string) string) {
	p.T.Helper()
	type note struct{ on, blob string }
	var notes []note
	moved := map[string]string{}
	ref := "refs/notes/resume/" + run
	for line := range strings.Lines(p.Git("ls-tree", "-r", ref)) {
		meta, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		n := note{strings.ReplaceAll(path, "/", ""), strings.Fields(meta)[2]}
		if n.on == n.blob { // a note that is attached to its own blob is a document, such as the plan
			n.blob = p.hash(change(p.Git("cat-file", "blob", n.blob)))
			moved[n.on], n.on = n.blob, n.blob
		}
		notes = append(notes, n)
	}
	var list strings.Builder
	for _, n := range notes {
		if n.on != n.blob {
			text := p.Git("cat-file", "blob", n.blob) + "\n"
			for old, id := range moved {
				text = strings.ReplaceAll(text, old, id)
			}
			n.blob = p.hash(change(text))
		}
		list.WriteString("100644 blob " + n.blob + "\t" + n.on + "\n")
	}
	p.journal(run, strings.TrimSpace(p.Pipe(list.String(), "mktree")))
}

func (p *place) journal(run, tree string) {
	p.T.Helper()
	commit := p.Git("commit-tree", "-m", "notes", tree)
	p.Git("update-ref", "refs/notes/resume/"+run, commit)
	p.Git("update-ref", "refs/resume/journal/"+run, commit)
}

func (p *place) hash(text string) string {
	p.T.Helper()
	return strings.TrimSpace(p.Pipe(text, "hash-object", "-w", "--stdin"))
}

// cloneWithRuns returns a clone of the repository, including its runs.
func (p *place) cloneWithRuns() *place {
	p.T.Helper()
	out := *p
	out.Repo = p.In(filepath.Join(p.root, "clone"))
	p.Git("clone", "-q", p.Dir, out.Dir)
	out.Git("fetch", "-q", "origin", "+refs/notes/resume/*:refs/notes/resume/*", "+refs/heads/resume/*:refs/heads/resume/*")
	return &out
}
