package signal

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// together is how many states are measured at once. Each of them needs a clone, and more clones would only slow each other down.
const together = 2

// patience is how long it may take to measure one state. This includes making a clone of some hundred megabytes, and four calls of status.
const patience = 10 * time.Minute

// TestSignal is run by 'make signal'. It prints how often status is right about the repositories in the folder that the variable SIGNAL
// names.
func TestSignal(t *testing.T) {
	bares := os.Getenv("SIGNAL")
	if bares == "" {
		t.Skip("SIGNAL names no folder of repositories: make signal DIR=folder")
	}
	report, rows, complete := compare(t, bares, "truth.tsv", os.Getenv("SIGNAL_ONLY"), os.Getenv("SIGNAL_B") == "")
	os.Stdout.WriteString(report) // t.Log would indent each line
	if file := os.Getenv("SIGNAL_ROWS"); file != "" {
		write(t, file, rows)
	}
	if !complete {
		t.Error("some states could not be measured; they are named above as missing or broken")
	}
}

// compare measures all states of repositories whose names contain the text in "only". It returns the report, and false if a state could not
// be measured. With hideB, it prints only totals for half b. Rules are tuned on half a, and half b can test them only as long as nobody has
// read its rows.
//
// The second result has one line for each row of status: half, view, repository, commit, the work, its state, its condition, the next task,
// and whether the row is right. It has the rows of half b even if the report hides them, because only two such lists are to be compared.
func compare(t *testing.T, bares, truths, only string, hideB bool) (report, rows string, complete bool) {
	t.Helper()
	states, err := readTruth(truths)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorkshop(bares, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	results := measureAll(w, states, only)
	var out, list strings.Builder
	complete = true
	for _, half := range []string{"a", "b"} {
		for _, v := range views {
			tally := tallyOf(results, half, v, time.Now())
			if half == "b" && hideB {
				tally.lines = nil
			}
			tally.print(&out, half, v)
			for _, row := range slices.Sorted(slices.Values(tally.all)) {
				list.WriteString(half + "\t" + v.title + "\t" + row + "\n")
			}
			complete = complete && tally.missing+tally.broken == 0
		}
	}
	return out.String(), list.String(), complete
}

func measureAll(w workshop, states []state, only string) []result {
	var results []result
	for _, s := range states {
		if strings.Contains(s.repository, only) {
			results = append(results, result{state: s})
		}
	}
	var wait sync.WaitGroup
	room := make(chan bool, together)
	for i := range results {
		wait.Go(func() {
			room <- true
			defer func() { <-room }()
			ctx, stop := context.WithTimeout(context.Background(), patience)
			defer stop()
			results[i].measured, results[i].err = w.measure(ctx, results[i].state)
		})
	}
	wait.Wait()
	return results
}

// TestTruth: truth.tsv can be read, and has at least the planned numbers of repositories and states.
func TestTruth(t *testing.T) {
	t.Parallel()
	states, err := readTruth("truth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	repositories, middle, head := map[string]bool{}, 0, 0
	for _, s := range states {
		repositories[s.repository] = true
		inMiddle := false
		for _, j := range s.truths {
			inMiddle = inMiddle || j.listed == "yes"
		}
		if inMiddle {
			middle++
		}
		if s.head {
			head++
		}
	}
	if len(repositories) < 25 || len(states) < 60 || middle < 20 || head < 20 {
		t.Errorf("%d repositories, %d states, %d in the middle, %d at HEAD", len(repositories), len(states), middle, head)
	}
}

func TestTruth_isRefused(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a", 40)
	for _, c := range []struct{ line, want string }{
		{"c\to+r\t" + id + "\thead\t-\tx\tbetween\tyes\t-\twhy", "half"},
		{"a\to+r\tHEAD\thead\t-\tx\tbetween\tyes\t-\twhy", "commit"},
		{"a\to+r\t" + id + "\tnow\t-\tx\tbetween\tyes\t-\twhy", "where"},
		{"a\to+r\t" + id + "\thead\t-\t\tbetween\tyes\t-\twhy", "no item"},
		{"a\to+r\t" + id + "\thead\t-\tx\topen\tyes\t-\twhy", "condition"},
		{"a\to+r\t" + id + "\thead\t-\tx\tbetween\tmaybe\t-\twhy", "listed"},
		{"a\to+r\t" + id + "\thead\t-\tx\tfinished\tyes\t-\twhy", "cannot be listed"},
		{"a\to+r\t" + id + "\thead\t-\tx\tfinished\tno\tT1\twhy", "next task"},
		{"a\to+r\t" + id, "3 fields"},
	} {
		file := filepath.Join(t.TempDir(), "truth.tsv")
		write(t, file, columns+"\n"+c.line+"\n")
		if _, err := readTruth(file); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%q: %v, want %q", c.line, err, c.want)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bare makes a folder with one bare repository. Its two commits contain a task list in the format of spec-kit.
func bare(t *testing.T) (dir, first, second string) {
	t.Helper()
	r := gittest.New(t)
	commit := func(list, subject string) string {
		path := filepath.Join(r.Dir, "specs", "001-login")
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(path, "tasks.md"), "# Tasks\n\n## Phase 1\n\n"+list)
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", subject)
		return r.Git("rev-parse", "HEAD")
	}
	first = commit("- [x] T001 add the form\n- [ ] T002 check the password\n", "add the form")
	second = commit("- [x] T001 add the form\n- [x] T002 check the password\n", "check the password")
	dir = t.TempDir()
	r.Git("clone", "-q", "--bare", r.Dir, filepath.Join(dir, "ann+shop"))
	return dir, first, second
}

func line(fields ...string) string { return strings.Join(fields, "\t") + "\n" }

// TestCompare runs the real program on a repository that the test made. The work "login" is unfinished at the first commit and finished
// at the second.
func TestCompare(t *testing.T) {
	t.Parallel()
	dir, first, second := bare(t)
	file := filepath.Join(t.TempDir(), "truth.tsv")
	write(t, file, columns+"\n"+
		line("a", "ann+shop", first, "past", "-", "001-login", "between", "yes", "T002", "ticked later")+
		line("a", "ann+shop", second, "head", "-", "*", "finished", "no", "-", "all ticked")+
		line("b", "ann+shop", first, "past", "topic", "001-login", "finished", "no", "-", "a wrong judgement")+
		line("b", "ann+shop", second, "head", "-", "002-pay", "between", "yes", "T001", "is not there")+
		line("b", "bob+gone", first, "head", "-", "*", "finished", "no", "-", "is not there"))
	report, rows, complete := compare(t, dir, file, "", false)
	for _, want := range []string{
		line("a", views[0].title, "ann+shop", first, "spec-kit:001-login", "interrupted", "between-tasks", "T002 check the password", "right"),
		line("b", views[0].title, "ann+shop", second, "002-pay", "-", "-", "-", "missing"),
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("the rows lack %q:\n%s", want, rows)
		}
	}
	if complete {
		t.Error("a missing repository was passed over")
	}
	a, b, _ := strings.Cut(report, "half b, on the day")
	for _, want := range []string{
		"half a, on the day: 2 states, 0 missing, 0 broken\n  precision 1 of 1 (100.0 %)",
		"recall    1 of 1 (100.0 %)", "next      1 of 1 (100.0 %)",
		"half a, plain clone at HEAD, today: 1 states",
	} {
		if !strings.Contains(a, want) {
			t.Errorf("half a lacks %q:\n%s", want, a)
		}
	}
	for _, want := range []string{
		": 2 states, 1 missing, 0 broken\n  precision 0 of 1 (0.0 %)", "recall    0 of 1",
		"false     ann+shop " + first[:9], "left out  ann+shop " + second[:9], "missing   bob+gone",
	} {
		if !strings.Contains(b, want) {
			t.Errorf("half b lacks %q:\n%s", want, b)
		}
	}
}

// TestClone: the clone is on the wanted branch at the wanted commit, and does not have later commits. A commit that does not exist is
// refused.
func TestClone(t *testing.T) {
	t.Parallel()
	dir, first, second := bare(t)
	w, err := newWorkshop(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(w.dir, "shop")
	s := state{repository: "ann+shop", commit: first, branch: "topic/login"}
	if err := w.clone(t.Context(), filepath.Join(dir, s.repository), clone, s); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, args string }{
		{first, "rev-parse HEAD"}, {first, "rev-parse origin/topic/login"}, {"topic/login", "symbolic-ref --short HEAD"}, {"", "status --porcelain"},
	} {
		if got, err := w.git(t.Context(), clone, strings.Fields(c.args)...); err != nil || got != c.want {
			t.Errorf("git %s: %q, %v", c.args, got, err)
		}
	}
	if _, err := w.git(t.Context(), clone, "cat-file", "-e", second); err == nil {
		t.Error("the clone has a later commit")
	}
	s.commit = strings.Repeat("1", 40)
	if err := w.clone(t.Context(), filepath.Join(dir, s.repository), clone+"2", s); err == nil {
		t.Error("a commit that is not there was cloned")
	}
}

// TestClone_withoutLargeFiles: a repository that lacks an object can be cloned, and the missing file does not count as deleted.
func TestClone_withoutLargeFiles(t *testing.T) {
	t.Parallel()
	dir, _, second := bare(t)
	w, err := newWorkshop(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "ann+shop")
	loosen(t, w, copied)
	id, err := w.git(t.Context(), copied, "rev-parse", second+":README")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(copied, "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(w.dir, "shop")
	if err := w.clone(t.Context(), copied, clone, state{repository: "ann+shop", commit: second, branch: "main"}); err != nil {
		t.Fatal(err)
	}
	if got, err := w.git(t.Context(), clone, "status", "--porcelain"); err != nil || got != "" {
		t.Errorf("git status: %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(clone, "specs/001-login/tasks.md")); err != nil {
		t.Error(err)
	}
}

// loosen unpacks the objects of a repository into files.
func loosen(t *testing.T, w workshop, dir string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range packs {
		data, err := os.Open(pack)
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		away := filepath.Join(t.TempDir(), "objects.pack")
		if err := os.Rename(pack, away); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "unpack-objects", "-q")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, w.env, data
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run, item string
		want      bool
	}{
		{"boxes:001-login", "001-login", true}, {"spec-kit:login", "001-login", true}, {"orchestrate:sdc-2.3", "2.3", true},
		{"orchestrate:sdc-12.3", "2.3", false}, {"boxes:specs/001-login", "001-login", true}, {"planning:shop", "shop", true},
		{"boxes:001-logins", "001-login", false}, {"kiro:login", "login-page", false},
	} {
		if got := (row{Run: c.run}).isCalled(c.item); got != c.want {
			t.Errorf("%s is %s: %v", c.run, c.item, got)
		}
	}
	if !isNext([]string{"T1", "check the"}, "t1", "") || !isNext([]string{"check the"}, "9", "Check the password") || isNext([]string{"T1"}, "T10", "T1") {
		t.Error("a next task is judged wrongly")
	}
	if !isNext([]string{"9"}, "09", "") || !isNext([]string{"Task 9"}, "9", "") || !isNext([]string{"src/app/page.tsx"}, "4~ab", "make `src/app/page.tsx`") {
		t.Error("another spelling of a next task is not accepted")
	}
	if isNext([]string{"Task 9"}, "19", "9") || isNext([]string{"3.2"}, "4", "as 3.2 says") || isNext([]string{"0"}, "", "x") {
		t.Error("a text that only occurs in the title counts as a next task")
	}
}

// TestScore counts right and wrong rows twice, with the same rows and judgements. First the rows are the output of status on the day of the
// last commit. A row with the judgement "either" is then not counted, because a person could not tell whether status must show it. Second,
// they are its output today. That commit is now so old that status should show nothing, so every shown row with a judgement is wrong.
func TestScore(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	s := state{half: "a", repository: "o+r", commit: "0123456789", truths: []truth{
		{item: "x", condition: "between", listed: "yes", next: []string{"2"}}, {item: "y", condition: "abandoned", listed: "either"}}}
	rows := []row{{Run: "s:x", State: "interrupted", Listed: &yes, Condition: "in-hand"}, {Run: "s:y", State: "idle"}, {Run: "s:z", Listed: &no}, {Run: "s:q", State: "idle"}}
	var day, today tally
	day.add(s, rows, false)
	today.add(s, rows, true)
	if day.shown != 1 || day.wrong != 0 || day.unjudged != 1 || day.middle != 1 || day.found != 1 || day.asked != 1 || day.right != 0 || day.conditions != 1 || day.conditionsOK != 0 {
		t.Errorf("on the day: %+v", day)
	}
	if today.shown != 2 || today.wrong != 2 || today.middle != 0 {
		t.Errorf("today: %+v", today)
	}
}

// TestMeasure_broken: a folder that is not a repository is reported as broken, and not left out.
func TestMeasure_broken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "o+r"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := newWorkshop(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.measure(t.Context(), state{repository: "o+r", commit: strings.Repeat("1", 40), branch: "-"})
	if err == nil || err == errMissing || err == exec.ErrNotFound {
		t.Errorf("no error, or a wrong one: %v", err)
	}
	tally := tallyOf([]result{{state: state{half: "a", repository: "o+r"}, err: err}}, "a", views[0], time.Now())
	if tally.broken != 1 || len(tally.lines) != 1 {
		t.Errorf("%+v", tally)
	}
}
