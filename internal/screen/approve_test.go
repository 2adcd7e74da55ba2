package screen

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// approvals returns the screens that show commands which the user is asked to approve.
func approvals(commands []string) map[string]func(page.Page) {
	a := assessed("job-abcd", summary("job-abcd", checkpoint.Interrupted), candidate.Blocked, candidate.FindUntrusted)
	a.Findings[0].More, a.Findings[0].Path, a.Findings[0].Said = commands, "", "they were not approved in this clone"
	r := run("job-abcd")
	return map[string]func(page.Page){
		"trust": func(s page.Page) {
			assessment.Approval(s, &tasks.Approval{Run: r, Commands: commands, Missing: commands})
		},
		"takeover": func(s page.Page) {
			assessment.Takeover(s, &assess.Assessment{Summary: candidate.Summary{Run: r}}, &tasks.Approval{Run: r, Commands: commands})
		},
		"findings":  func(s page.Page) { assessment.Show(s, a) },
		"the error": func(s page.Page) { Fault(s, &tasks.UntrustedError{Run: "job-abcd", Task: "one", Commands: commands}) },
	}
}

// readCommands extracts the commands from a screen, and joins the lines of a command that was wrapped.
func readCommands(text string) []string {
	var out []string
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "hint: ")
		body := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(body, "| ") && open:
			out[len(out)-1] += "\n" + body[2:]
		case strings.HasPrefix(body, "| "):
			out, open = append(out, body[2:]), true
		case strings.HasPrefix(body, "~ ") && open:
			out[len(out)-1] += body[2:]
		default:
			open = false
		}
	}
	return out
}

// A screen for approvals must show every command in full. Otherwise a long command could hide a harmful part.
func TestApproval_showsCommandsWhole(t *testing.T) {
	long := "echo harmless" + strings.Repeat(" ", 200) + "; touch HIDDEN; " + strings.Repeat(" ", 200) + "# ok"
	for name, commands := range map[string][]string{
		"one": {"make check"}, "long": {long}, "lines": {"set -e\nmake\n  make install; " + strings.Repeat("x", 300) + "\n\ndone"},
		"many": {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, "words": {strings.Repeat("漢 ", 90) + "end"}, "marks": {"| a\n~ b\n  | c"},
	} {
		for screen, f := range approvals(commands) {
			text := shown(f)
			got := readCommands(text)
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", commands) {
				t.Errorf("%s: %s shows %q, not %q:\n%s", name, screen, got, commands, text)
			}
			if strings.Contains(text, "invisible") {
				t.Errorf("%s: %s counts what is not there:\n%s", name, screen, text)
			}
			for line := range strings.Lines(text) {
				if strings.ContainsAny(line, "|~") && utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > page.Usual {
					t.Errorf("%s: %s is wider than the screen: %q", name, screen, line)
				}
			}
		}
	}
}

func TestApproval_showsWhatHides(t *testing.T) {
	for command, want := range map[string]string{
		"rm\u200b -r\U000e0041 x": `rm\u200b -r\U000e0041 x`, "a\u202eb\tc": `a\u202eb\tc`, "a\x1b[2Kb\rc": `a\u001b[2Kb\rc`, "x\xffy\u00a0z": `x\xffy\u00a0z`,
	} {
		for screen, f := range approvals([]string{command, "make"}) {
			text := shown(f)
			if got := readCommands(text); len(got) != 2 || got[0] != want {
				t.Errorf("%s shows %q as %q", screen, command, got)
			}
			if !strings.Contains(text, "2 invisible characters are shown as codes") {
				t.Errorf("%s does not count what hides in %q:\n%s", screen, command, text)
			}
		}
	}
	if text := shown(approvals([]string{"a\u200b"})["trust"]); !strings.Contains(text, "1 invisible character is") {
		t.Errorf("one is not counted as one:\n%s", text)
	}
	if text := shown(approvals([]string{"if x\nthen\n\t\tmake\nfi"})["trust"]); strings.Contains(text, "invisible") || !strings.Contains(text, "|         make\n") {
		t.Errorf("indentation counts as hidden:\n%s", text)
	}
}

func TestTakeover_showsWhatHidesInNames(t *testing.T) {
	const text = "qu\u200bux"
	commits := []object.Commit{{ID: hash, Message: text + "\n", Author: object.Signature{Name: text}}}
	named := run(text, func(r *checkpoint.Run) { r.ID = "job-x7y2" })
	what := &tasks.Approval{Run: named, Strange: commits, Built: commits}
	a := made(text, func(a *assess.Assessment) { a.Summary.Run = named })
	for name, f := range map[string]func(page.Page){"takeover": func(s page.Page) { assessment.Takeover(s, a, what) }, "trust": func(s page.Page) { assessment.Approval(s, what) }} {
		out := shown(f)
		n := strings.Count(out, `qu\u200bux`)
		if n < 3 || !strings.Contains(out, fmt.Sprintf("(%d invisible characters are shown as codes)", n)) || strings.Contains(out, "quux") {
			t.Errorf("%s shows\n%s", name, out)
		}
	}
}

func TestProposal_showsLinesWhole(t *testing.T) {
	long := "status: " + strings.Repeat("x ", 100) + "\u200bend"
	p := made("job", func(p *adopt.Proposal) {
		p.Changes = []sources.Change{{Path: "a", Was: []byte("old\n"), Now: []byte(long + "\n")}}
	})
	text := shown(func(s page.Page) { others.Proposal(s, p) })
	var got string
	for line := range strings.Lines(text) {
		if body := strings.TrimLeft(strings.TrimSuffix(line, "\n"), " "); strings.HasPrefix(body, "+ ") || strings.HasPrefix(body, "~ ") {
			got += body[2:]
		}
	}
	if want := strings.Replace(long, "\u200b", `\u200b`, 1); got != want {
		t.Errorf("the change shows %q, not %q:\n%s", got, want, text)
	}
}
