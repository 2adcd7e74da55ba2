package advice

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// commandWithFlag returns the command that continues the run with the given flag. It keeps the flags that the user has already given, except
// another answer to what happens to an interrupted task.
func commandWithFlag(id string, d assess.Decision, flag string) string {
	answers := []string{"--retry", "--keep", "--" + resume.FlagSkip, "--" + resume.FlagMarkDone}
	isAnswer := func(f string) bool { return slices.Contains(answers, f) }
	format, values := "git resume %s", []any{id}
	for _, g := range d.Given {
		name, value, valued := strings.Cut(g, "=")
		if slices.Contains(strings.Fields(flag), g) || isAnswer(name) && slices.ContainsFunc(strings.Fields(flag), isAnswer) {
			continue
		}
		format += " " + name
		switch {
		case valued && (name == "--"+resume.FlagSkip || name == "--"+resume.FlagMarkDone):
			format, values = format+"=%s", append(values, value) // their value is optional, so it cannot be a word of its own
		case valued:
			format, values = format+" %s", append(values, value)
		}
	}
	return quote.Command(format+" "+flag, values...)
}

func Ways(a *assess.Assessment, d assess.Decision) [][2]string {
	id := a.Summary.Called()
	drop := [2]string{quote.Command("git resume --discard %s", id), "discard the run (can be undone)"}
	if a.Summary.Found != nil {
		drop[1] = "hide it in this clone (can be undone)"
		if a.Summary.Found.Worktree != "" && a.Summary.Found.Branch != "" {
			drop[1] = "hide it and discard its worktree (can be undone)"
		}
	}
	if a.Summary.Found != nil && (d.Why == assess.WhyConflicts || d.Why == assess.WhyUnrecoverable) {
		if ways := treeWays(a, drop); ways != nil {
			return ways
		}
		return append(append(waysDespiteConflict(a, id, d), foreignWays(a)...), waysToHide(a, drop)...)
	}
	switch d.Why {
	case assess.WhyConflicts:
		if ways := treeWays(a, drop); ways != nil {
			return ways
		}
		out := [][2]string{{quote.Command("git resume review %s", id), "look at its changes"}}
		if a.Has(candidate.FindConflict, candidate.FindCannotTell) {
			out = append(out, waysPastConflicts(a, id, d)...)
		}
		if n, t := a.Summary.Run.Current(); t != nil && t.State == checkpoint.Active && a.Snapshot.ID != "" && a.SettingAsideHelps() {
			out = append(out, [2]string{quote.Command("git resume %s --from %s", id, t.ID), fmt.Sprintf("set task %d's edits aside and redo it", n)})
		}
		return append(out, drop)
	case assess.WhyBusy:
		out := [][2]string{{quote.Command("git resume status %s", id), "see why it seems to be in use"}}
		if a.Summary.Found != nil && !a.Summary.Run.HandedAt.IsZero() {
			out = append(out, [2]string{quote.Command("git resume %s --print", id), "print again what to do next"})
		}
		if a.Summary.Handed {
			out = append(out, [2]string{quote.Command("git resume undo %s", id), "undo the handover if nobody has started the work"})
		}
		if pids := a.Summary.Life.TaskPIDs; len(pids) > 0 {
			out = append(out, [2]string{"kill " + strings.Trim(fmt.Sprint(pids), "[]"), "end the running task; its results are then checked"})
		}
		for _, f := range a.Findings {
			if f.Code == candidate.FindLeft {
				out = append(out, [2]string{fmt.Sprintf("kill %d", f.Note.Facts.PID), "end the process that the worker left; then continue"})
			}
		}
		if d.Flag != "" {
			text := "continue, but only if nobody is working on it"
			if slices.ContainsFunc(d.Reasons, func(r assess.Reason) bool { return r.Case == assess.ReasonLimited }) {
				text = "continue now, although the usage limit of its agent has not ended"
			} else if a.Has(candidate.FindLeft) {
				text = "continue although this process may still change files"
			}
			for flag := range strings.SplitSeq(d.Flag, " or ") {
				does := text
				if means := flagMeans()[flag[strings.LastIndexByte(flag, ' ')+1:]]; strings.HasPrefix(flag, "--even-idle ") && means != "" {
					does = "only if nobody is working on it: " + means
				}
				out = append(out, [2]string{commandWithFlag(id, d, flag), does})
			}
		}
		if l := a.Summary.Life; l.Driver == proc.Alive && !l.Held() {
			out = append(out, [2]string{quote.Command("git resume pause %s", id), "release the run from its worker, so that it can be continued"})
		}
		return out
	case assess.WhyUnrecoverable:
		out := [][2]string{{quote.Command("git resume %s --restart", id), "start again from task 1; existing work is kept"}}
		if n := a.Redo; n > 1 && n <= len(a.Summary.Run.Tasks) {
			task := a.Summary.Run.Tasks[n-1].ID
			out = append(out, [2]string{quote.Command("git resume %s --from %s", id, task), fmt.Sprintf("recreate the branch at %s and redo from task %d", a.Survivor.Short(), n)})
		}
		return append(out, drop)
	case assess.WhyDecision:
		if a.Has(candidate.FindElsewhere, candidate.FindLinesMissing) { // only a takeover is possible for this run
			return [][2]string{{quote.Command("git resume log %s", id), "see what was recorded, and by whom"}, {quote.Command("git resume %s --takeover", id), "take it over; then it can be continued here"}}
		}
		ways := decisionWays(a, d, drop)
		if len(words.Unsaved(a.Snapshot.Left)) > 0 { // --retry cleans the worktree and would lose files that are in no snapshot
			ways = slices.DeleteFunc(ways, func(w [2]string) bool { return w[1] == flagMeans()["--retry"] })
		}
		if a.Has(candidate.FindRebuilt) && a.Summary.Found == nil { // a run that was rebuilt from its commits has no journal yet, so it cannot be discarded
			ways = ways[:len(ways)-1]
		}
		return ways
	}
	return nil
}

// waysToHide offers to hide work of another system. It returns nil for work with a worktree, and for an operation of git. It also returns
// nil if the system itself offers to discard or hide the work.
func waysToHide(a *assess.Assessment, drop [2]string) [][2]string {
	if f := a.Summary.Found; f.Worktree != "" || f.Source == candidate.GitSource || f.Offers(sources.Discard) || f.Offers(sources.Hide) {
		return nil
	}
	return [][2]string{drop}
}

// Chooses returns the command with which the user chooses an alternative. If other work must be handled first, the command is about that
// work.
func Chooses(m *candidate.Summary, alt sources.Alternative) string {
	switch {
	case alt.On != "" && alt.Does == sources.Discard:
		return quote.Command("git resume --discard %s", alt.On)
	case alt.On != "" && alt.Does == sources.MergeIt:
		return quote.Command("git resume merge %s", alt.On)
	case alt.On != "":
		return quote.Command("git resume review %s", alt.On)
	}
	return quote.Command("git resume %s --choose %s", m.Called(), shownName(m, alt.Name))
}

// shownName returns the name under which users see an alternative. For our own runs it is the stored name.
func shownName(m *candidate.Summary, name string) string {
	if m.Found == nil {
		return name
	}
	return sources.ShownName(name)
}

// foreignWays returns the alternatives that another system offers, except the one that continues the work.
func foreignWays(a *assess.Assessment) [][2]string {
	var out [][2]string
	for _, alt := range a.Summary.Alternatives() {
		if alt.Name != sources.Continue {
			out = append(out, [2]string{Chooses(&a.Summary, alt), quote.Clean(alt.Text)})
		}
	}
	return out
}

// waysPastConflicts returns the commands that continue a run although its base has conflicting changes.
func waysPastConflicts(a *assess.Assessment, id string, d assess.Decision) [][2]string {
	var out [][2]string
	if a.Conflicts != nil { // offer --update only if the base could be compared; that needs a common ancestor
		out = append(out, [2]string{commandWithFlag(id, d, "--update"), "merge the base into the run; you resolve conflicts"})
	}
	return append(out, [2]string{commandWithFlag(id, d, "--despite-conflicts"), "continue on the old base, merge later"})
}

// waysDespiteConflict returns the commands that continue another system's work despite a conflict. It returns nil if there are other
// problems too.
func waysDespiteConflict(a *assess.Assessment, id string, d assess.Decision) [][2]string {
	if d.Why != assess.WhyConflicts || !a.OnlyConflicts() {
		return nil
	}
	return waysPastConflicts(a, id, d)
}

// treeWays returns the commands that help with a problem of the worktree, or nil.
func treeWays(a *assess.Assessment, drop [2]string) [][2]string {
	path := a.Tree.Path
	then := "then continue with: " + phrase.Unbroken(quote.Command("git resume %s", a.Summary.Called()))
	switch {
	case a.Has(candidate.FindTreeMoved) && a.Has(candidate.FindOperation, candidate.FindOtherBranch): // a moved worktree must be repaired first
		return [][2]string{{quote.Command("git worktree repair %s", path), then}}
	case a.Has(candidate.FindTreePlace) && a.Link != "":
		return [][2]string{{quote.Command("rm %s", a.Link), "remove the link if it is not needed; " + then}}
	case a.Has(candidate.FindTreeForeign) && a.Tree.Of != "":
		return [][2]string{{quote.Command("git -C %s resume", path), "continue in the original repository; this one seems to be a copy"}}
	case a.Has(candidate.FindTreeForeign) && a.Tree.Taken:
		return [][2]string{{quote.Command("git worktree move %s %s.mine", path, path), then}}
	case a.Has(candidate.FindTreeForeign):
		return [][2]string{{quote.Command("mv %s %s.mine", path, path), then}}
	case a.Has(candidate.FindOperation):
		drop[0] = quote.Command("git resume --discard %s --force", a.Summary.Called())
		look := quote.Command("git resume %s", fmt.Sprintf("git:%s@%s", a.Tree.Operation, gitops.Where(treePlace(a))))
		return [][2]string{{look, "finish or abort the operation; " + then}, drop}
	case a.Has(candidate.FindRestore):
		return words.FinishRestore(a.Restore)
	case a.Has(candidate.FindOtherBranch):
		r := &a.Summary.Run
		back := quote.Command("git -C %s switch %s", path, words.ShortBranch(r.Branch))
		if a.Has(candidate.FindBranchDeleted) { // the branch no longer exists under this name, so the suggested command creates it
			back = quote.Command("git -C %s switch -c %s %s", path, words.ShortBranch(r.Branch), r.Head.Short())
		}
		return [][2]string{{back, then}, drop}
	}
	return nil
}

func treePlace(a *assess.Assessment) locate.Place {
	if filepath.Base(filepath.Dir(a.Tree.Admin)) == "worktrees" {
		return locate.Place{GitDir: a.Tree.Admin}
	}
	return locate.Place{GitDir: a.Tree.Admin, CommonDir: a.Tree.Admin}
}

func decisionWays(a *assess.Assessment, d assess.Decision, drop [2]string) [][2]string {
	id := a.Summary.Called()
	if strings.HasPrefix(d.Flag, "git ") {
		return [][2]string{{d.Flag, "read and approve the commands"}, drop}
	}
	var out [][2]string
	for flag := range strings.SplitSeq(d.Flag, " or ") {
		means := flagMeans()
		out = append(out, [2]string{commandWithFlag(id, d, flag), cmp.Or(means[flag], means[flag[strings.LastIndexByte(flag, ' ')+1:]])})
	}
	if alts := a.Summary.Alternatives(); a.Summary.Found != nil && len(alts) > 0 {
		out[0][1] = "continue anyway"
		if alts[0].Name == sources.Continue {
			out[0][1] = quote.Clean(alts[0].Text)
		}
		out = append(out, foreignWays(a)...)
	}
	if a.Has(candidate.FindAttemptsUsedUp) && len(d.Given) == 0 {
		out = append(out, failedWays(a, id)...)
	}
	if !a.Preflighted { // do not suggest --preflight to a user who has just seen it
		out = append(out, [2]string{quote.Command("git resume %s --preflight", id), "see every check"})
	}
	return append(out, drop)
}

// failedWays offers what can be done about a failed task, besides running it again in the worktree as it is.
func failedWays(a *assess.Assessment, id string) (out [][2]string) {
	_, t := a.Summary.Run.Current()
	if t == nil || t.State != checkpoint.Failed {
		return nil
	}
	if a.Snapshot.ID != "" && !a.Summary.Run.Here && len(words.Unsaved(a.Snapshot.Left)) == 0 {
		out = append(out, [2]string{quote.Command("git resume %s --retry --yes", id), "redo it from a clean tree"})
	}
	return append(out,
		[2]string{quote.Command("git resume %s --skip=%s --yes", id, t.ID), "skip the failed task"},
		[2]string{quote.Command("git resume log %s %s", id, t.ID), "see what it printed"})
}

func flagMeans() map[string]string {
	return map[string]string{
		"--yes":                    "continue anyway",
		"--mode=interactive --yes": "continue anyway",
		"--retry":                  "redo it from a clean tree; nothing is lost",
		"--keep":                   "run it again on top of its changes",
		"--mark-done":              "accept its changes as the result",
		"--takeover":               "continue here, and end the loan",
	}
}
