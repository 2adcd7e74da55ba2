package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// The pictures in testdata/pictures show what git-resume printed in each script: all of it, and not only the parts that the script checks.
// They are the same on every day and every machine, because what changes from one run to the next is replaced.

// looks are the commands that only look. They are run at the end of each script, in its last folder.
var looks = []string{"status", "status --all", "status --porcelain", "status --json", "review", "log", "-n", "--print", ""}

// lookLine begins the line in a script's log that names a look.
const lookLine = "> look git resume "

// lookAround takes the looks at the end of a script. The last look is "git resume" itself, but only where it asks which work is meant.
func lookAround(ts *testscript.TestScript) {
	log := ts.Value(logKey{}).(*scriptLog)
	if log.looked || log.failed || log.Skipped() || racy[ts.Name()] != "" {
		return
	}
	log.looked = true
	asks := false
	for _, args := range looks {
		if args == "" && !asks {
			return
		}
		ts.Logf("%s%s", lookLine, args)
		err := ts.Exec("git-resume", strings.Fields(args)...)
		if err != nil {
			ts.Logf("[%v]", err)
		}
		var ended *exec.ExitError
		asks = args == "-n" && errors.As(err, &ended) && ended.ExitCode() == exit.Decide || asks && args == "--print"
	}
}

// racy lists scripts without a picture, each with the reason why it would not be the same twice.
var racy = map[string]string{
	"agent_memory_events":      "a file name contains the second",
	"answer_while_alive":       "how a line is broken depends on the length of a process id",
	"demo":                     "two commits of the same second may be the same commit",
	"discard_at_once":          "one of two commands wins",
	"discard_process_at_work":  "a process writes files all the time",
	"doctor_missing_worktree":  "tasks run at the same time",
	"git_slow":                 "it prints progress in bytes",
	"jobs":                     "tasks run at the same time",
	"jobs_agents":              "tasks run at the same time",
	"jobs_agents_start":        "tasks run at the same time",
	"jobs_conflict":            "tasks run at the same time",
	"jobs_discard":             "tasks run at the same time",
	"jobs_killed":              "tasks run at the same time",
	"jobs_mover":               "another process commits all the time",
	"jobs_old_git":             "tasks run at the same time",
	"jobs_watch":               "tasks run at the same time",
	"merge_name_of_discarded":  "two runs have the same age",
	"merge_no_room":            "git fails in one of several ways",
	"names_as_shown":           "two runs have the same age",
	"names_exact_first":        "two runs have the same age",
	"orchestrate_examples":     "whether work was continued depends on the second",
	"pause_then_killed":        "two processes print at the same time",
	"pause_while_it_runs":      "two processes print at the same time",
	"resume_leftovers_ignored": "a process that a task left behind may have ended before anybody looks",
	"resume_rebuilt":           "the log is sorted by seconds",
	"share_uncommitted":        "objects are sorted by their ids",
	"spec_loop_last_iteration": "a snapshot is made only if the second is another one",
	"start_again_after_kill":   "two runs have the same age",
	"start_open_already":       "two runs have the same age",
}

// A shot is a command of a script with everything that it printed, or a comment of the script.
type shot struct{ line, said string }

// shots takes the log of a script apart.
func shots(script, log string) (out []shot) {
	lines := strings.Split(script, "\n")
	for _, l := range looks {
		lines = append(lines, strings.TrimPrefix(lookLine, "> ")+l)
	}
	for _, line := range lines {
		mark := "> " + line + "\n"
		if strings.HasPrefix(line, "#") {
			mark = line
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		said, rest, found := strings.Cut(log, mark)
		if !found {
			continue
		}
		if strings.HasPrefix(line, "#") {
			_, rest, _ = strings.Cut(rest, "\n") // how long it took
		}
		if len(out) > 0 {
			out[len(out)-1].said = said
		}
		out, log = append(out, shot{line: line}), rest
	}
	if len(out) > 0 {
		out[len(out)-1].said = log
	}
	return out
}

// gitItself matches the commands of a script that call git. Its texts differ from one version to the next, so pictures show only the calls
// that "resumed" matches too.
var (
	gitItself = regexp.MustCompile(`^(?:\[\S+\] )?(?:! )?(?:exec|exits \d+) git `)
	resumed   = regexp.MustCompile(`\bgit(?: -[cC] \S+)*[ -]resume\b`)
)

// picture draws the picture of a script from its log.
func picture(a *txtar.Archive, log string) string {
	var out strings.Builder
	still, before, comment := newStill(log, string(txtar.Format(a))), map[string]string{}, ""
	for _, s := range shots(string(a.Comment), log) {
		said := strings.TrimRight(strings.TrimSuffix(s.said, "PASS\n"), "\n")
		switch {
		case strings.HasPrefix(s.line, "#"):
			comment = s.line + "\n"
			continue
		case !resumed.MatchString(s.line) && (said == "" || gitItself.MatchString(s.line)):
			continue
		}
		fmt.Fprintf(&out, "%s> %s\n", comment, s.line)
		comment, said = "", still.text(said)
		switch old := before[said]; {
		case said == "":
			continue
		case old != "" && strings.Count(said, "\n") > 1:
			said = "[as before: " + old + "]"
		case old == "":
			before[said] = s.line
		}
		out.WriteString(said + "\n")
	}
	return out.String()
}

func scriptFile(name string) string { return filepath.Join("testdata", "script", name+".txtar") }

// paint compares the picture of a script with the stored one.
func (s *scriptLog) paint(log string) {
	s.Helper()
	name := filepath.Base(s.Name())
	if runtime.GOOS != "linux" || racy[name] != "" {
		return
	}
	a, err := txtar.ParseFile(scriptFile(name))
	if err != nil {
		s.T.Fatal(err)
	}
	got := picture(a, log)
	golden := filepath.Join("testdata", "pictures", name+".txt")
	if *gittest.Update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			s.T.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.T.Fatal(err)
	}
	if d := diff.Diff(golden, want, "now", []byte(got)); len(d) > 0 {
		s.Errorf("another picture; if each line is meant, renew it with -update:\n%s", d)
	}
}

// A still replaces what changes from one run of a script to the next. Ids keep their identity: the first id of a run becomes id01, and the
// first object id becomes oid0001. Times that are written in the script stay as they are.
type still struct {
	script     string
	runs, oids map[string]string
}

// newStill looks through the log of a script for ids of runs. A word such as the last one in "read-only" may look like an id, so only ids
// in certain places count.
func newStill(log, script string) *still {
	s := &still{script, map[string]string{}, map[string]string{}}
	for _, form := range announced {
		for _, m := range form.FindAllStringSubmatch(log, -1) {
			s.runs[m[1]] = ""
		}
	}
	return s
}

func (s *still) text(text string) string {
	for _, u := range moving {
		text = u.form.ReplaceAllString(text, u.with)
	}
	// Tasks that run at the same time say so in any order.
	text = progress.ReplaceAllStringFunc(text, func(lines string) string {
		return strings.Join(slices.Sorted(strings.SplitAfterSeq(lines, "\n")), "")
	})
	text = replaced(runID, text, func(m []string) string {
		name, known := s.runs[m[2]]
		if !known {
			return m[0]
		}
		if name == "" {
			name = fmt.Sprintf("id%02d", numbered(s.runs))
			s.runs[m[2]] = name
		}
		return m[1] + name + m[3]
	})
	literal := func(m []string) bool {
		return strings.HasPrefix(m[0], "2030-01-02") || strings.Contains(s.script, m[0])
	}
	text = replaced(moment, text, func(m []string) string {
		if literal(m) {
			return m[0]
		}
		if m[3] != "" {
			m[3] = ".0"
		}
		return "2006-01-02" + m[1] + "15:04:05"[:len(m[2])] + m[3] + m[4]
	})
	text = replaced(stamp, text, func(m []string) string {
		if literal(m) {
			return m[0]
		}
		return "20060102" + m[1] + "150405" + m[3]
	})
	text = replaced(hour, text, func(m []string) string {
		if literal(m[2:]) {
			return m[0]
		}
		return m[1] + "15:04"
	})
	return replaced(oid, text, func(m []string) string {
		if strings.HasPrefix(m[0], "000000") || literal(m) {
			return m[0]
		}
		name := s.oids[m[0][:7]]
		if name == "" {
			name = fmt.Sprintf("oid%04d", len(s.oids)+1)
			s.oids[m[0][:7]] = name
		}
		return name + strings.Repeat("0", len(m[0])-7)
	})
}

// numbered returns the number of the next name.
func numbered(names map[string]string) int {
	n := 1
	for _, name := range names {
		if name != "" {
			n++
		}
	}
	return n
}

// replaced replaces everything that matches the pattern. The function gets the match and its groups.
func replaced(form *regexp.Regexp, text string, with func([]string) string) string {
	return form.ReplaceAllStringFunc(text, func(found string) string { return with(form.FindStringSubmatch(found)) })
}

var (
	// announced matches places where the id of a run is certain to be one.
	announced = []*regexp.Regexp{
		regexp.MustCompile(`\bresume/[\w./-]*-([a-z2-7]{4})\b`),
		regexp.MustCompile(`(?m)^ *(?:[a-z ]+  )?[^\s:]*-([a-z2-7]{4})(?:@\d+)?  `),
		regexp.MustCompile(`\bundo [^\s:]*-([a-z2-7]{4})\b`),
		regexp.MustCompile(`"run":"[^\s:"]*-([a-z2-7]{4})"`),
		regexp.MustCompile(`\bstarted [^\s:]*-([a-z2-7]{4}):`),
	}
	runID    = regexp.MustCompile(`([\w.]-|\(|--run |under )([a-z2-7]{4})([^\w-]|$)`)
	progress = regexp.MustCompile(`(?m)(?:^\[\d+/\d+\] .*\n){2,}`)
	oid      = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
	moment   = regexp.MustCompile(`\b20\d\d-\d\d-\d\d(?:([T ])(\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z?))?`)
	stamp    = regexp.MustCompile(`\b20\d{6}([T-])\d{6}(\.\d+)?(Z?)\b`)
	hour     = regexp.MustCompile(`\b((?:since|until|at) (?:yesterday )?)(\d\d:\d\d)\b`)
)

// moving lists patterns of other texts that change, with their replacements.
var moving = func() (out []change) {
	host, _ := os.Hostname()
	caller, _ := proc.Table{}.Driver(os.Getpid())
	if len(caller.Args) > 0 {
		name := regexp.QuoteMeta(filepath.Base(caller.Args[0]))
		out = append(out,
			change{regexp.MustCompile(fmt.Sprintf(`\b%s %d\b`, name, caller.PID)), "caller 1"},
			change{regexp.MustCompile(fmt.Sprintf(`\b%d \(%s\)`, caller.PID, name)), "1 (caller)"},
			change{regexp.MustCompile(fmt.Sprintf(`("pid":%d,.*?"command":)"%s"`, caller.PID, name)), `$1"caller"`})
	}
	for _, u := range [][2]string{
		{`(?m)(\bon |"host":"|by |hosts +|error: '|^)` + regexp.QuoteMeta(host) + `\b`, "${1}HOST"},
		{`\d+ seconds?\b`, "N seconds"},
		{`\n +~ `, ""}, // a long line is shown in parts, and a part may end within a time
		{`\.merge_file_\w{6}`, ".merge_file_abcdef"},
		{`\b[0-9a-f]{2,6}\.\.\.`, "oid..."},
		{`(\.trash-\w+-)[a-z2-7]{4}-`, "${1}abcd-"},
		{`\bin \d+ ms\b`, "in 1 ms"},
		{`"silent_seconds":\d+,`, ""}, // only of a slow test
		{`'kill [\d ]+'`, "'kill 1'"},
		{`(?m)^( +kill) [\d ]+$`, "$1 1"},
		{`(?m)^( +(?:process +)?)\d{3,}( \()`, "${1}1${2}"},
		{`(?m)^ +[-+] \| \*\*Last Activity\*\* \|.*\n`, ""}, // it is changed only if the second is another one
		{`git-resume-probe-\d+`, "git-resume-probe-1"},
		{`( disk +)\d+ \w+ in`, "${1}N bytes in"},
		{`( files +\d+ in \S+, )\d+ \w+`, "${1}N bytes"},
		{`\b\d+s (ago|old)\b`, "Ns $1"},
		{`\b\d{3,4}(d ago| days)\b`, "NNN$1"}, // since a fixed date
		{`(Pre-flight for .*[^ ]) +\d+ \w+ \d{4} \d\d:\d\d`, "$1  2 Jan 2006 15:04"},
		{`((?:just now|ago|by)(?:  +| )[\w.-]+ )\d{3,}\b`, "${1}1"},
		{`\bprocess \d+`, "process 1"},
		{`\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20\d\d\b`, "2 Jan 2006"},
		{`(?m)^(?:Rebasing|CONFLICT|Auto-merging|Switched to|Successfully rebased|hint: (?:Resolve all|"git|You can instead|To abort|Disable this)).*\n`, ""}, // git itself
		{`"pid":\d+`, `"pid":1`},
		{`"start":"\d+"`, `"start":"1"`},
		{`"boot":"[^"]*"`, `"boot":""`},
		{`"ns":"[^"]*"`, `"ns":""`},
		{`\bgit \d+\.\d+\.\S+ .*`, "git VERSION"},
		{`/\S*/git-resume-test-bin-\d+`, "$$BIN"},
		{`(?m)^(?:ok|fix|done) +(man page|bash|zsh|fish) .*\$BIN/.*`, "any $1"}, // the scripts share this folder, and some repair it
	} {
		out = append(out, change{regexp.MustCompile(u[0]), u[1]})
	}
	return out
}()

// A change is a pattern with its replacement.
type change struct {
	form *regexp.Regexp
	with string
}

func TestPictures_haveAScript(t *testing.T) {
	for _, file := range matching(t, "testdata/pictures/*.txt") {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if _, err := os.Stat(scriptFile(name)); err != nil || racy[name] != "" {
			t.Errorf("%s is compared with nothing", file)
		}
	}
	for name := range racy {
		if _, err := os.Stat(scriptFile(name)); err != nil {
			t.Error(err)
		}
	}
}
