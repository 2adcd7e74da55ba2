package assessment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// These words are shown instead of "ok". The first one means that git-resume could not make a check. The second one means that git-resume
// repeats what the files of another system say, and cannot check it.
const (
	unchecked = "not checked"
	told      = "info"
)

// Preflight prints the result of every check, files of the run with their changes, what is left to do, and the risk.
func Preflight(s page.Page, a *assess.Assessment, files []compare.FileState) {
	r := &a.Summary.Run
	PreflightTitle(s, words.Title(r))
	if a.Summary.Found != nil && a.Summary.Headline() != "" {
		s.Paragraph("  ", "  ", quote.Clean(a.Summary.Headline()))
	}
	for _, c := range checks {
		fine := c.fine
		switch say := fineWords()[c.name]; {
		case a.Summary.Found != nil:
			fine = foreignFine(a, c.name)
		case say != nil:
			fine = say(a, files)
		}
		check(s, a, c.name, fine, c.codes)
	}
	otherFindings(s, a)
	if text := words.Evidence(&a.Summary); text != "" {
		checkRow(s, "info", "evidence", text)
	}
	ageRow(s, a)
	if a.Snapshot.ID != "" {
		checkRow(s, "info", "uncommitted", strings.TrimSuffix(words.SavedNames(a), ",")+"; saved in a snapshot")
	}
	fileTable(s, a, files)
	ownFiles(s, a)
	s.Say("\n")
	s.Paragraph("", "      ", remaining(a))
	risk := "low"
	if words.Blocking(&a.Picture) > 0 {
		risk = "high"
	} else if words.Warnings(&a.Picture) > 0 {
		risk = "medium"
	}
	s.Say("Risk: %s (%s, %s)\n", risk, phrase.Count(words.Warnings(&a.Picture), "warning", "warnings"), phrase.Count(words.Blocking(&a.Picture), "blocking finding", "blocking findings"))
}

// PreflightTitle prints the first line of a pre-flight report.
func PreflightTitle(s page.Page, name string) {
	first, now := "Pre-flight for "+name, s.Now.Format("2 Jan 2006 15:04")
	room := min(s.Width(), page.Usual) - phrase.Width(first) - len(now)
	if room < 1 {
		s.Say("%s\n  %s\n", first, now)
		return
	}
	s.Say("%s%s%s\n", first, strings.Repeat(" ", room), now)
}

// checkRow prints one row of a pre-flight report: the result of a check, its name, and what was seen.
func checkRow(s page.Page, result, name, text string) {
	first := fmt.Sprintf("  %-11s %-12s ", result, name)
	words := strings.Split(text, " ")
	for i, w := range words {
		if strings.Contains(w, "/") && !strings.Contains(w, phrase.NoBreak) { // a path contains no spaces for a line break, so shorten it
			words[i] = s.Cut(w, s.Width()-len(first))
		}
	}
	s.Paragraph(first, strings.Repeat(" ", len(first)), strings.Join(words, " "))
}

// checks lists the rows of the pre-flight report. The field "fine" is the text of a row without a finding. It is empty if fineWords makes
// that text.
var checks = []struct {
	name, fine string
	codes      []candidate.Code
}{
	{"repository", "no rebase, merge or bisect in progress", []candidate.Code{candidate.FindOperation}},
	{"worktree", "", []candidate.Code{candidate.FindTreeMissing, candidate.FindTreeMoved, candidate.FindTreeForeign, candidate.FindTreePlace, candidate.FindRestore, candidate.FindOtherBranch}},
	{"branch", "unchanged since the last record", []candidate.Code{candidate.FindBranchDeleted, candidate.FindBranchLost, candidate.FindBranchRewrote, candidate.FindBranchForeign}},
	{"checkpoints", "", []candidate.Code{candidate.FindDamaged, candidate.FindDiverged, candidate.FindRebuilt, candidate.FindLanded}},
	{"owner", "", []candidate.Code{candidate.FindAlive, candidate.FindMaybeAlive, candidate.FindIdle, candidate.FindLimited, candidate.FindLeft, candidate.FindTwoAgents, candidate.FindUnchecked, candidate.FindPaused}},
	{"base", "", []candidate.Code{candidate.FindBaseMoved, candidate.FindBaseGone, candidate.FindBaseRewritten}},
	{"files", "", []candidate.Code{candidate.FindConflict, candidate.FindExpected, candidate.FindSameFile, candidate.FindInput, candidate.FindManifest, candidate.FindCannotTell}},
	{"tasks", "", []candidate.Code{candidate.FindInvalid, candidate.FindPartly, candidate.FindByHand, candidate.FindAttemptsUsedUp, candidate.FindQuestion}},
	{"plan", "", []candidate.Code{candidate.FindPlanChanged, candidate.FindUntrusted}},
	{"others", "no other run does the same work", []candidate.Code{candidate.FindSameWork}},
}

// fineWords maps names of rows to functions that return the text of the row if it has no finding.
func fineWords() map[string]func(*assess.Assessment, []compare.FileState) string {
	return map[string]func(*assess.Assessment, []compare.FileState) string{
		"worktree": func(a *assess.Assessment, _ []compare.FileState) string {
			return "present, registered, on " + quote.Clean(words.ShortBranch(a.Summary.Run.Branch))
		},
		"checkpoints": func(a *assess.Assessment, _ []compare.FileState) string {
			return phrase.Count(a.Summary.Run.Events, "record", "records") + " readable; every task's commit is recorded"
		},
		"owner": func(a *assess.Assessment, _ []compare.FileState) string {
			r, fate := &a.Summary.Run, a.Summary.Life.Driver
			if r.Driver == nil {
				fate = a.Summary.Life.Owner
			}
			last := cmp.Or(r.Driver, r.Owner)
			if last == nil {
				return "nobody is working on it"
			}
			who := fmt.Sprintf("%s (%s)", words.Process(last.PID), quote.Clean(words.Program(last)))
			switch {
			case a.Below:
				return "this command was started by the run's worker, " + who
			case fate == proc.Alive:
				return who + " is alive, but no task is active"
			case fate == proc.Dead:
				return who + " is gone; the lock is free"
			}
			return who + " cannot be seen from here, but the run is not locked"
		},
		"base": func(a *assess.Assessment, _ []compare.FileState) string {
			if words.HasAllOfBase(a) {
				return "the run has all commits of " + quote.Clean(a.Summary.Run.Base.Name)
			}
			if a.MergesBase {
				return quote.Clean(a.Summary.Run.Base.Name) + " is being merged into the run"
			}
			return "unchanged since the last record"
		},
		"tasks": func(a *assess.Assessment, _ []compare.FileState) string {
			if t := a.Interrupted; t != nil { // a task without a command has no finding if it was interrupted
				return fmt.Sprintf("every result is valid; task '%s' was started, but is not finished", quote.Clean(string(t.ID)))
			}
			return "every result is valid, no task was interrupted"
		},
		"plan": func(a *assess.Assessment, _ []compare.FileState) string {
			if len(a.Plan.Tasks) == 0 {
				return "no plan: its worker reports the tasks"
			}
			return "unchanged: all dependencies exist, no cycle, commands approved"
		},
		"files": func(a *assess.Assessment, files []compare.FileState) string {
			if len(files) == 0 && !onlyCommits(a) {
				return "none touched yet"
			}
			here, base := 0, 0
			for _, f := range files {
				if f.Here != compare.Same {
					here++
				}
				if f.Base != compare.Same {
					base++
				}
			}
			text := fmt.Sprintf("%d changed since the run started: %d committed, %d not committed", len(files), len(files)-here, here)
			if onlyCommits(a) {
				text = fmt.Sprintf("uncommitted files were not read; %d changed in commits since the run started", len(files))
			}
			if !a.OnBase() {
				text += fmt.Sprintf(", %d also changed on %s", base, quote.Clean(words.BaseName(&a.Summary.Run)))
			}
			return text
		},
	}
}

// onlyCommits reports whether only the commits of the work were compared. While somebody works in the worktree, its files are not read.
func onlyCommits(a *assess.Assessment) bool { return a.Has(candidate.FindAlive) }

// foreignFine returns the text for a check of another system's work that found no problem. It returns "" if nothing was checked, or if
// another row reports the result.
func foreignFine(a *assess.Assessment, check string) string {
	f := a.Summary.Found
	switch {
	case check == "repository" && a.Tree.Health == worktree.Usable:
		return "no rebase, merge or bisect in progress"
	case check == "worktree" && f.Worktree != "":
		return "present and registered"
	case check == "branch" && a.Tip() != "":
		return fmt.Sprintf("%s is at %s", quote.Clean(words.ShortBranch(f.Branch)), a.Tip().Short())
	case check == "owner" && a.Written > 0 && a.Written < candidate.Quiet:
		return "none of its processes was seen; its state changed " + phrase.Long(a.Written) + " ago"
	case check == "owner" && !a.Summary.Run.LastAt.IsZero() && a.Silent < candidate.Quiet && f.From != "" && a.Silent > 0:
		return "none of its processes was seen; its last activity was " + phrase.Long(a.Silent) + " ago, according to " + quote.Clean(f.From)
	case check == "owner" && !a.Summary.Run.LastAt.IsZero() && a.Silent < candidate.Quiet:
		return "none of its processes was seen"
	case check == "owner":
		return "none of its processes was seen, and no change in the last few minutes"
	case check == "base" && f.Base != "" && f.Branch != "" && !a.ComparedBase():
		return unchecked + ": there is no branch yet to compare with " + quote.Clean(f.Base)
	case check == "base" && a.ComparedBase():
		return "nothing new on " + quote.Clean(f.Base)
	case check == "files" && a.ComparedBase() && a.Conflicts == nil:
		return "none of its files changed on " + quote.Clean(f.Base)
	case check == "files" && a.ComparedBase():
		return "no overlap with what changed on " + quote.Clean(f.Base)
	case check == "tasks" && (a.Has(sources.DoubtPhaseInvalid) || f.Rebuilt):
		return "" // another row already reports this problem with the tasks
	case check == "tasks":
		return foreignTasksRow(a)
	}
	return ""
}

// otherFindings prints the findings that belong to none of the report's rows, for example contradictions in another system's state files.
func otherFindings(s page.Page, a *assess.Assessment) {
	fine := true
	for _, f := range a.Findings {
		asked := f.Code == candidate.FindStale
		for _, c := range checks {
			asked = asked || slices.Contains(c.codes, f.Code)
		}
		if !asked {
			checked(s, f, "state")
			fine = fine && f.Severity == candidate.Info
		}
	}
	if f := a.Summary.Found; f != nil && f.Sound != "" && fine {
		checkRow(s, "ok", "state", quote.Clean(f.Sound))
	}
}

// otherNames gives other names to two rows of the pre-flight report if it is about another system's work, because such work may have no
// tasks, and has no checkpoints of git-resume.
var otherNames = map[string]string{"tasks": "progress", "checkpoints": "state"}

func check(s page.Page, a *assess.Assessment, name, fine string, codes []candidate.Code) {
	if other, ok := otherNames[name]; ok && a.Summary.Found != nil {
		name = other
	}
	found := false
	for _, f := range a.Findings {
		for _, c := range codes {
			if f.Code != c {
				continue
			}
			found = true
			checked(s, f, name)
		}
	}
	if found || fine == "" {
		return
	}
	for _, word := range []string{unchecked, told} {
		if text, ok := strings.CutPrefix(fine, word+": "); ok {
			checkRow(s, word, name, text)
			return
		}
	}
	checkRow(s, "ok", name, fine)
}

func checked(s page.Page, f candidate.Finding, name string) {
	checkRow(s, f.Severity.String(), name, words.AtPath(f, s.Cut(quote.Clean(f.Path), 40), quote.Clean(words.Text(f))))
}

// fileTable prints what happened to the files of the work. Files with changes come first.
func fileTable(s page.Page, a *assess.Assessment, files []compare.FileState) {
	if len(files) == 0 {
		return
	}
	base, compared := quote.Clean(words.BaseName(&a.Summary.Run)), a.ComparedBase() && !a.OnBase()
	text := "Changes in the files of this work since its last commit"
	if f := a.Summary.Found; f != nil && f.Worktree == "" { // say "all files", because such work may share a worktree with other work
		text = "Changes since the last commit in all files of the worktree, whether they belong to this work or not"
	}
	also := ", and on "
	if onlyCommits(a) {
		text, also = "Files that the commits of this work changed", ", with the changes on "
	}
	if compared {
		text += also + base + " since the work started"
	}
	s.Say("\n")
	s.Paragraph("", "", text)
	var rows [][]string
	const most = 30
	left := 0
	for _, moved := range []bool{true, false} {
		for _, f := range files {
			if (f.Here != compare.Same || f.Base != compare.Same) != moved {
				continue
			}
			if len(rows) == most {
				left++
				continue
			}
			row := []string{"  " + s.Cut(quote.Clean(f.Path), 40)}
			if !onlyCommits(a) {
				row = append(row, hereWords[f.Here])
			}
			if compared {
				row = append(row, fmt.Sprintf(baseWords[f.Base], base))
			}
			rows = append(rows, row)
		}
	}
	s.Table(rows)
	if left > 0 {
		s.Say("  and %s\n", phrase.Count(left, "more file", "more files"))
	}
}

// hereWords describes how a file changed since the run's last commit. baseWords describes how it changed on the base since the run started.
var (
	hereWords = map[compare.Difference]string{
		compare.Same: "as committed", compare.Edited: "edited, not committed", compare.Added: "new, not committed", compare.Removed: "deleted, not committed",
	}
	baseWords = map[compare.Difference]string{
		compare.Same: "not changed on %s", compare.Edited: "changed on %s too", compare.Added: "added on %s too", compare.Removed: "deleted on %s",
	}
)
