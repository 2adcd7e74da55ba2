//go:build linux

package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// giantSize is a size that no useful object has.
func giantSize() int {
	if gittest.Proving() {
		return 96 << 20
	}
	return 24 << 20
}

// giants are scenarios with notes, plans, git trees and files that are absurdly large or deep.
func giants() []scenario {
	// Shell commands produce the large texts. If this process produced them, they would count towards the memory that the test measures.
	fill := func(text string) string { return fmt.Sprintf(`yes '%s' | tr -d '\n' | head -c %d`, text, giantSize()) }
	lines := func(text string) string { return fmt.Sprintf(`yes '%s' | head -c %d`, text, giantSize()) }
	contents := map[string]string{
		"one line":            fill("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
		"newlines":            lines(""),
		"short lines":         lines(`{"seq":"1"}`),
		"zeros":               fmt.Sprintf("head -c %d /dev/zero", giantSize()),
		"brackets":            fill("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
		"nested objects":      fill(`{"a":{"a":{"a":{"a":{"a":{"a":`),
		"nested in the limit": lines(`{"seq":"0000000099","id":"x.1","event":"task.done","x":` + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + "}"),
		"events":              lines(`{"seq":"0000000099","id":"x.1","event":"task.done","task":"a","v":1}`),
		"one long value":      `printf '{"seq":"0000000099","id":"x.1","event":"task.done","text":"'; ` + fill("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") + `; echo '"}'`,
		"long seq":            lines(`{"seq":"` + strings.Repeat("9", 15000) + `","id":"x.1","event":"task.done","task":"a","v":1}`),
	}
	var out []scenario
	for _, name := range sorted(contents) {
		out = append(out,
			scenario{"giant note of " + name, func(p *place) { p.addToJournal(p.big(contents[name]), "") }},
			scenario{"giant plan of " + name, func(p *place) {
				blob := p.big(contents[name])
				p.addToJournal(blob, blob)
			}},
		)
	}
	return append(out,
		scenario{"tree of two thousand trees", func(p *place) {
			tree := strings.TrimSpace(p.Pipe("100644 blob "+p.hash("x\n")+"\tab\n", "mktree"))
			for range 2000 {
				tree = p.rawTree("40000 ab\x00" + raw(tree))
			}
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.journal(run, tree)
			p.tour(run, "c")
		}},
		scenario{"tree that branches without end", func(p *place) {
			// Each of six levels of git trees contains the next level 256 times. Reading all of them would take far too long.
			tree := strings.TrimSpace(p.Pipe("100644 blob "+p.hash("x\n")+"\t"+strings.Repeat("0", 28)+"\n", "mktree"))
			for range 6 {
				var list strings.Builder
				for i := range 256 {
					fmt.Fprintf(&list, "040000 tree %s\t%02x\n", tree, i)
				}
				tree = strings.TrimSpace(p.Pipe(list.String(), "mktree"))
			}
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.journal(run, tree)
			p.tour(run, "c")
		}},
		scenario{"many notes", func(p *place) {
			var list strings.Builder
			blob := p.hash("{}\n")
			for i := range 20_000 {
				fmt.Fprintf(&list, "100644 blob %s\t%040x\n", blob, i)
			}
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.journal(run, strings.TrimSpace(p.Pipe(list.String(), "mktree")))
			p.tour(run, "c")
		}},
		scenario{"many runs", func(p *place) {
			var list strings.Builder
			head := p.Git("rev-parse", "HEAD")
			for i := range 3000 {
				fmt.Fprintf(&list, "create refs/notes/resume/x%d-ab2c %s\n", i, head)
			}
			p.Pipe(list.String(), "update-ref", "--stdin")
			p.Git("pack-refs", "--all")
			for _, args := range [][]string{{"status"}, {"log"}, {"doctor"}, {"x7-ab2c", "-n"}} {
				p.runReader(args...)
			}
		}},
		scenario{"giant files of other systems", func(p *place) {
			for _, name := range []string{".auto-claude/specs/001-x/implementation_plan.json", ".long-run/STATE.md", ".planning/STATE.md", "specs/002-list/tasks.md", ".aios/epic-3-state.yaml", ".agent-memory/runs/20260101-1000-run-ab12/prd.md", "specs/900-loop/.workflow/index.md", ".taskmaster/tasks/tasks.json", "_bmad-output/implementation-artifacts/sprint-status.yaml"} {
				p.Write(name, []string{"{", "- [ ] ", "[", "| a ", "a: ", "\n"}[p.chance.IntN(6)])
				p.must(os.Truncate(filepath.Join(p.Dir, name), int64(giantSize())))
			}
			for _, args := range [][]string{{"status"}, {"status", "--check"}, {"status", "--json"}, {"-n"}} {
				p.runReader(args...)
			}
		}},
		scenario{"giant message of a commit", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			tree := p.In(filepath.Join(p.root, "repo.worktrees", run))
			out, code := tree.Try("sh", "-c", fmt.Sprintf("{ printf 'x\n\nResume-Run: %s\n'; yes 'Resume-Task: c' | head -c %d; } | git commit -q --allow-empty --cleanup=verbatim -F -", run, 6<<20))
			if code != 0 {
				p.T.Fatal(out)
			}
			p.tour(run, "c")
		}},
		scenario{"giant settings", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.Write(".git/config", p.Read(".git/config")+"[resume]\n"+strings.Repeat("\tignore = \"boxes:"+strings.Repeat("*a", 100)+"\"\n", 2000))
			p.tour(run, "c")
		}},
	)
}

// addToJournal makes a run and adds a blob to its journal, as a note or as the plan. Then it runs several commands on the run.
func (p *place) addToJournal(blob, plan string) {
	p.T.Helper()
	run := p.interruptedRun(withoutCommands(markedPlan))
	if plan != "" {
		old := p.planOf(run)
		p.rewrite(run, func(text string) string { return strings.ReplaceAll(text, `"plan":"`+old, `"plan":"`+plan) })
	}
	on := plan
	if on == "" {
		on = p.Git("rev-parse", "main^{tree}")
	}
	list := p.Git("ls-tree", "-r", "refs/notes/resume/"+run) + "\n100644 blob " + blob + "\t" + on + "\n"
	p.journal(run, strings.TrimSpace(p.Pipe(list, "mktree")))
	p.tour(run, "c")
}

func (p *place) planOf(run string) string {
	p.T.Helper()
	for line := range strings.Lines(p.Git("ls-tree", "-r", "refs/notes/resume/"+run)) {
		meta, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if id := strings.Fields(meta)[2]; id == strings.ReplaceAll(path, "/", "") {
			return id
		}
	}
	p.T.Fatal("there is no plan")
	return ""
}

// big stores the output of a command as a blob.
func (p *place) big(command string) string {
	p.T.Helper()
	out, code := p.Try("sh", "-c", "{ "+command+"; } | git -c core.compression=1 hash-object -w --stdin")
	if code != 0 {
		p.T.Fatalf("exit code %d\n%s", code, out)
	}
	return strings.TrimSpace(out)
}
