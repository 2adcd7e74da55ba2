//go:build linux

package hostile

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTraps_fallForGit checks, for most traps, that a plain git command runs the command of the trap. A trap that git never runs would
// prove nothing.
func TestTraps_fallForGit(t *testing.T) {
	t.Parallel()
	tty := func(command string) []string { return []string{"script", "-qec", command, "/dev/null"} }
	fill := []string{"sh", "-c", "printf 'protocol=https\nhost=nowhere.invalid\n\n' | git credential fill"}
	for snare, c := range map[string]struct {
		falls string
		by    []string
	}{
		"filter":            {"filter.process", []string{"git", "add", "README"}},
		"textconv":          {"textconv", []string{"git", "diff"}},
		"diff command":      {"diff.command", []string{"git", "diff"}},
		"diff.external":     {"diff.external", []string{"git", "diff"}},
		"merge driver":      {"merge.driver", []string{"git", "merge", "side"}},
		"include":           {"included", []string{"git", "status"}},
		"aliases":           {"alias.evil", []string{"git", "evil"}},
		"hooks":             {"hook.pre-commit", []string{"git", "commit", "-qam", "x"}},
		"signing":           {"--status-fd=2", []string{"git", "commit", "-qam", "x"}},
		"trailers":          {"trailer.cmd", []string{"git", "interpret-trailers", "--trailer", "evil=x", "README"}},
		"other tools":       {"difftool", []string{"git", "difftool", "-y"}},
		"core.fsmonitor":    {"core.fsmonitor", []string{"git", "status"}},
		"core.sshCommand":   {"core.sshCommand", []string{"git", "fetch", "ssh://nowhere.invalid/x"}},
		"core.pager":        {"core.pager", tty("git log")},
		"pager.log":         {"pager.log", tty("git log")},
		"pager.status":      {"pager.status", tty("git status")},
		"pager.resume":      {"pager.resume", tty("git resume status")},
		"core.editor":       {"core.editor", []string{"git", "commit", "-a"}},
		"sequence.editor":   {"sequence.editor", []string{"git", "rebase", "-i", "--autostash", "--root"}},
		"credential.helper": {"credential.helper", fill},
		"core.askPass":      {"core.askPass", fill},
		"core.gitProxy":     {"core.gitProxy", []string{"git", "fetch", "git://nowhere.invalid/x"}},
	} {
		t.Run(strings.ReplaceAll(snare, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, rand.New(rand.NewPCG(1, 1)))
			p.Git("checkout", "-q", "-b", "side")
			p.Write("README", "of the side\n")
			p.Git("commit", "-q", "-a", "-m", "side")
			p.Git("checkout", "-q", "main")
			p.Write("README", "changed\n")
			if snare == "merge driver" {
				p.Git("commit", "-q", "-a", "-m", "ours")
			}
			p.trapSetters()[snare]()
			p.Env = slices.DeleteFunc(p.Env, func(v string) bool { // remove the variables that stop git from opening an editor, a pager or a password prompt
				name, _, _ := strings.Cut(v, "=")
				return slices.Contains([]string{"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PAGER", "PAGER", "GIT_TERMINAL_PROMPT"}, name)
			})
			p.Env = append(p.Env, "TERM=xterm")
			out, _ := p.Try(c.by[0], c.by[1:]...)
			if fell := p.triggeredTraps(); !slices.Contains(fell, c.falls) {
				t.Errorf("%q runs %v, not %s\n%s", c.by, fell, c.falls, out)
			}
		})
	}
}

func TestCommands_runOnceTheyAreApproved(t *testing.T) {
	t.Parallel()
	p := newPlace(t, rand.New(rand.NewPCG(1, 1)))
	p.unapprovedRun(func(clone *place, run string) {
		clone.runWriter(run, "--yes", "--takeover", "--retry")
		for _, task := range []string{"c", "q"} { // answer the questions of the run, which would otherwise stop it before it runs the commands of the plan
			clone.runWriter("answer", "--run", run, task, "1")
		}
		clone.runWriter("trust", "--dry-run", run)
		clone.runWriter("trust", "--yes", run)
		for _, args := range [][]string{{run, "--yes", "--from", "b"}, {run, "--yes", "--retry"}} {
			t.Log(clone.run(args...))
		}
		if fell := clone.triggeredTraps(); !slices.Contains(fell, "run") {
			t.Errorf("approved, and %v ran\n%s", fell, clone.run("status", run).out)
		}
	})
}

// TestHandOff_runs: the user's own hand-off command really runs. Otherwise the scenarios for hand-offs would prove nothing.
func TestHandOff_runs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, rand.New(rand.NewPCG(1, 1)))
	run := p.interruptedRun(withoutCommands(markedPlan))
	p.Git("config", "resume.handoff", filepath.Join(p.root, "trap.sh")+" handed </dev/null; : {task}")
	for _, args := range handingOff(run) {
		t.Log(p.run(args...))
	}
	if fell := p.triggeredTraps(); !slices.Contains(fell, "handed") {
		t.Errorf("%v ran", fell)
	}
}
