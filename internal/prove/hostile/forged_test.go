//go:build linux

package hostile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// forgery is an interrupted run of the user, into whose journal an attacker writes forged lines.
type forgery struct {
	*place
	run   string
	saved string
	// own holds the run's real journal lines. They are published, so an attacker can read and copy them.
	own []string
	// plan and planText are the plan that the attacker wants the run to follow. commit is the commit that the attacker wants to be checked
	// out.
	plan, planText, commit string
	bystander              *exec.Cmd
	kinds                  []string
	next                   int
	// exact is true if the test can predict how many lines are unreadable, because every forged line that is valid JSON is readable.
	exact bool
}

// forged counts the forged lines, and how many of them are readable. kinds holds the events that occurred.
type forged struct {
	lines, readable int
	kinds           map[string]bool
}

const forgedPlan = `name: evilmark
tasks:
- {id: one, run: "echo one >> ../../did"}
- {id: two, run: "echo two >> ../../did; test -e ../../go && exit 0; kill -9 $PPID; exit 1"}
- {id: three, run: "echo three >> ../../did"}
`

// newForgery creates the run and saves its state, which is restored before each round.
func newForgery(t testing.TB) *forgery {
	t.Helper()
	f := &forgery{place: newPlace(t, rand.New(rand.NewPCG(1, 1)))}
	f.outside("plan.yaml", forgedPlan)
	if out, code := f.Resume("start", filepath.Join(f.root, "plan.yaml")); code != -1 || f.did() != "one two" {
		t.Fatalf("exit code %d after %q\n%s", code, f.did(), out)
	}
	f.outside("go", "")
	f.run = f.id()
	for line := range strings.Lines(f.Git("log", "-1", "--format=", "--raw", "-p", "--no-abbrev", "--root", "refs/notes/resume/"+f.run)) {
		if text, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "+{\"seq\""); ok {
			f.own = append(f.own, "{\"seq\""+text)
		}
	}
	f.planText = `{"name":"evil","tasks":[{"id":"two","title":"x","run":"` + f.trap("plan") + `"},{"id":"four","title":"x","run":"` + f.trap("plan") + `"}]}`
	f.plan = f.hash(f.planText)
	tree := strings.TrimSpace(f.Pipe("100644 blob "+f.hash("evil\n")+"\tREADME\n", "mktree"))
	f.commit = f.Git("commit-tree", "-m", "evil", "-p", "main", tree)
	f.Git("update-ref", "refs/heads/evil", f.commit)
	f.kinds = documentedKinds(t)
	f.bystander = exec.Command("sleep", "1000")
	if err := f.bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.bystander.Process.Kill(); _ = f.bystander.Wait() })
	f.saved = filepath.Join(t.TempDir(), "saved")
	f.copyTree(f.root, f.saved)
	return f
}

// documentedKinds returns the events that docs/FORMAT.md describes.
func documentedKinds(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text2, _ := strings.Cut(string(text), "### Events")
	table, _, _ := strings.Cut(text2, "### Fields")
	var out []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\|").FindAllStringSubmatch(table, -1) {
		out = append(out, m[1])
	}
	if len(out) < 30 {
		t.Fatalf("the format has the events %v", out)
	}
	return out
}

// did returns the names of the tasks that ran, in order.
func (f *forgery) did() string {
	text, _ := os.ReadFile(filepath.Join(f.root, "did"))
	return strings.Join(strings.Fields(string(text)), " ")
}

func (f *forgery) copyTree(from, to string) {
	f.T.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		f.T.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", from+"/.", to).CombinedOutput(); err != nil {
		f.T.Fatalf("%v\n%s", err, out)
	}
}

// restore resets the content of the repository. It keeps the .git folder itself, because the signing key of a clone is only valid for that
// folder.
func (f *forgery) restore() {
	f.T.Helper()
	for _, dir := range []string{f.root, f.Dir, filepath.Join(f.Dir, ".git")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			f.T.Fatal(err)
		}
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); path != f.Dir && path != filepath.Join(f.Dir, ".git") {
				if err := os.RemoveAll(path); err != nil {
					f.T.Fatal(err)
				}
			}
		}
	}
	f.copyTree(f.saved, f.root)
}

// harmlessEvents lists events that usually do not make the program stop and ask the user, even if a line with such an event was forged.
var harmlessEvents = []string{"run.acted", "run.restored", "run.started", "snapshot.taken", "task.reset", "undone", "worktree.ready", "checkpoint", "setup.done"}

func (f *forgery) lines(chance *rand.Rand, c *forged) []string {
	var out []string
	loud := chance.IntN(3) > 0
	for range 1 + chance.IntN(9) {
		kind := f.kinds[f.next%len(f.kinds)]
		if f.next++; !loud && !slices.Contains(harmlessEvents, kind) {
			f.next--
			kind = pick(chance, harmlessEvents...)
		}
		text := f.line(chance, kind)
		c.lines++
		if l, ok := parseLine(text); ok {
			c.readable++
			c.kinds[l.Event] = true
		}
		out = append(out, text)
	}
	return out
}

// line returns one forged line. It is a new event with random fields, a real line with a changed event, or a truncated real line.
func (f *forgery) line(chance *rand.Rand, kind string) string {
	text := pick(chance, f.own...)
	ours, _ := parseLine(text)
	switch chance.IntN(12) {
	case 0: // one of our lines with its signature, but with one value changed
		return strings.Replace(text, `"event":"`+ours.Event+`"`, `"event":"`+kind+`"`, 1)
	case 1:
		return text[:1+chance.IntN(len(text)-1)]
	}
	last := len(f.own)
	seq := []int64{1, int64(last), int64(last + 1), int64(last + 2 + chance.IntN(9)), int64(last + 1_000_000), 9_000_000_000, 9_999_999_999}[chance.IntN(7)]
	v := map[string]any{"seq": fmt.Sprintf("%010d", seq), "id": pick(chance, ours.ID, fmt.Sprintf("evil.%d", chance.IntN(99))), "at": "2030-01-02T03:04:05.000000Z", "event": kind, "v": 1}
	if strings.HasPrefix(kind, "task.") || kind == "checkpoint" {
		v["task"] = pick(chance, "one", "two", "three", "four")
	}
	if kind == "undone" {
		other, _ := parseLine(pick(chance, f.own...))
		v["undoes"] = other.ID
	}
	maybe := map[string]any{
		"attempt": ours.Attempt, "commit": pick(chance, f.commit, f.Git("rev-parse", "main")), "tree": f.plan, "head": f.commit, "base_tip": f.commit,
		"text": pick(chance, "auto", "words"), "name": "evil", "plan": f.plan, "base": map[string]string{"name": pick(chance, "evil", "main"), "commit": f.commit},
		"branch": pick(chance, "refs/heads/main", "refs/heads/evil"), "worktree": pick(chance, f.Dir, filepath.Join(f.root, "victim")), "admin": pick(chance, "main", f.run),
		"here": true, "found": true, "epoch": chance.IntN(100), "actor": f.actor(chance), "cause": pick(chance, "paused", "interrupt"),
		"left": []int{f.bystander.Process.Pid}, "heard": "00112233445566778899aabbccddeeff", "options": []string{"x"}, "command": "0", "take": "x/main", "differs_sum": "0",
		"source": pick(chance, "speckit", ""), "source_id": "x",
	}
	for name, value := range maybe {
		if chance.IntN(3) > 0 {
			v[name] = value
		}
	}
	made, _ := json.Marshal(v)
	return f.signLine(chance, string(made), ours.Mac)
}

// signLine adds a random signature, a signature copied from another line (once or twice), or none.
func (f *forgery) signLine(chance *rand.Rand, text, mac string) string {
	body := strings.TrimSuffix(text, "}")
	switch chance.IntN(4) {
	case 0:
		return text
	case 1:
		return body + `,"mac":"` + mac + `"}`
	case 2:
		return body + fmt.Sprintf(`,"mac":"%016x%016x"}`, chance.Uint64(), chance.Uint64())
	}
	return `{"mac":"` + mac + `",` + body[1:] + `,"mac":"` + mac + `"}`
}

// actor returns the description of a worker for a forged line. It copies a published description, but replaces the process by an unrelated
// one, or sometimes by one that does not exist.
func (f *forgery) actor(chance *rand.Rand) map[string]any {
	var a map[string]any
	for _, text := range f.own {
		if l, _ := parseLine(text); l.Actor != nil {
			a = l.Actor
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.bystander.Process.Pid))
	if err != nil || a == nil {
		f.T.Fatalf("no process to name: %v", err)
	}
	a["pid"], a["start"] = f.bystander.Process.Pid, strings.Fields(string(stat))[21]
	if chance.IntN(3) == 0 {
		a["pid"], a["start"] = 1<<22, "1"
	}
	return a
}

// record holds the fields of a line that these tests need.
type record struct {
	Seq, ID, Event, Attempt, Mac string
	Actor                        map[string]any
}

// parseLine reads a journal line. The tests check that the program finds as many unreadable lines as this function.
func parseLine(text string) (l record, ok bool) {
	return l, json.Unmarshal([]byte(text), &l) == nil
}

// unreadable returns the number of lines that the program reports as unreadable.
func unreadable(said string) (n int) {
	if m := regexp.MustCompile(`(\d+) lines? of the journal cannot be read`).FindStringSubmatch(said); m != nil {
		_, _ = fmt.Sscan(m[1], &n)
	}
	return n
}

// addLines writes forged lines into the journal, either in addition to the real lines or instead of them.
func (f *forgery) addLines(chance *rand.Rand, lines []string) (how string) {
	f.T.Helper()
	notes := []string{}
	if beside := chance.IntN(3) > 0; beside {
		lines, how = append(slices.Clone(f.own), lines...), "beside ours"
	} else {
		how = "instead of ours"
	}
	on := f.Git("rev-parse", "main")
	notes = append(notes, "100644 blob "+f.hash(strings.Join(lines, "\n")+"\n")+"\t"+on, "100644 blob "+f.plan+"\t"+f.plan)
	slices.SortFunc(notes, func(a, b string) int { return strings.Compare(a[53:], b[53:]) })
	commit := f.Git("commit-tree", "-m", "notes", strings.TrimSpace(f.Pipe(strings.Join(notes, "\n")+"\n", "mktree")))
	ref := pick(chance, "refs/notes/resume/", "refs/notes/resume/", "refs/notes/resume/", "refs/resume/journal/")
	f.Git("update-ref", ref+f.run, commit)
	return how + " in " + ref
}

func pick[T any](chance *rand.Rand, from ...T) T { return from[chance.IntN(len(from))] }

// state describes what must be the same before and after the program has read forged lines: refs except the run's journal, worktrees, files
// outside of .git, git's configuration, and the program's files about approvals and keys.
func (f *forgery) state() string {
	var out strings.Builder
	for line := range strings.Lines(f.Git("for-each-ref", "--format=%(refname) %(objectname)") + "\n") {
		if !strings.HasPrefix(line, "refs/notes/resume/"+f.run) && !strings.HasPrefix(line, "refs/resume/journal/"+f.run) {
			out.WriteString(line)
		}
	}
	out.WriteString(f.Git("worktree", "list", "--porcelain"))
	for line := range strings.Lines(f.digest(f.root)) {
		path, _, _ := strings.Cut(strings.TrimPrefix(line, f.Dir+"/.git/"), " ")
		if !strings.HasPrefix(line, f.Dir+"/.git/") || path == "resume/trusted" || path == "resume/acts" || path == "config" || strings.HasPrefix(path, "resume/keys") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// round adds forged lines to the journal and runs the program. The run must continue as if the lines were missing, or the program must stop
// and change nothing.
func (f *forgery) round(chance *rand.Rand, lines []string) (code int) {
	f.T.Helper()
	f.restore()
	how := f.addLines(chance, lines)
	before := f.state()
	wrong := func(form string, args ...any) {
		f.T.Helper()
		f.T.Errorf("%s\n%s:\n%s", fmt.Sprintf(form, args...), how, strings.Join(lines, "\n"))
	}
	for _, args := range [][]string{{"status", "--all"}, {"undo", "--yes"}} {
		s := f.runWriter(args...)
		if now := f.state(); now != before {
			wrong("%q changed %s", args, firstDifference(before, now))
		}
		if f.exact && args[0] == "status" && unreadable(s.out) != countUnreadable(lines) {
			wrong("%d lines are torn\n%s", countUnreadable(lines), s.out)
		}
		if args[0] == "undo" && (s.code != 1 || !strings.Contains(s.out, "nothing to undo")) {
			wrong("%q: exit code %d\n%s", args, s.code, s.out)
		}
	}
	s := f.runWriter("--auto")
	did := f.did()
	switch {
	case s.code == 0 && did == "one two two three":
		if main := f.Git("rev-parse", "main", "evil"); main != f.Git("-C", filepath.Join(f.saved, "repo"), "rev-parse", "main", "evil") {
			wrong("branches moved to %s", main)
		}
	case slices.Contains([]int{11, 13, 15}, s.code) && did == "one two":
		if now := f.state(); now != before {
			wrong("--auto, which stopped with %d, changed %s\n%s", s.code, firstDifference(before, now), s.out)
		}
	default:
		wrong("--auto: exit code %d after %q\n%s", s.code, did, s.out)
	}
	if err := f.bystander.Process.Signal(syscall.Signal(0)); err != nil {
		wrong("the bystander was ended: %v", err)
	}
	return s.code
}

func countUnreadable(lines []string) int {
	seen := map[string]bool{}
	for _, text := range lines {
		if _, ok := parseLine(text); !ok {
			seen[strings.TrimRight(text, " \t\r")] = true
		}
	}
	return len(seen)
}

// TestForged_linesOfOthersDecideNothing adds random forged lines to the journal of a run. The program must continue the run as if the lines
// were missing, or stop and change nothing.
func TestForged_linesOfOthersDecideNothing(t *testing.T) {
	p := gittest.Prove(t, "H", "forged journals")
	f := newForgery(t)
	f.exact = true
	c := &forged{kinds: map[string]bool{}}
	ended := map[int]int{}
	rounds := uint64(0)
	for ; p.More(22) && !t.Failed(); rounds++ {
		chance := p.Rand(rounds)
		ended[f.round(chance, f.lines(chance, c))]++
		p.Trial(1)
	}
	t.Logf("%d rounds, %d of %d lines can be read, ended %v", rounds, c.readable, c.lines, ended)
	if t.Failed() {
		return
	}
	if c.readable*2 < c.lines || len(c.kinds) < len(f.kinds) || ended[0] == 0 || ended[11] == 0 {
		t.Errorf("%d of %d lines can be read, of %d kinds, ended %v", c.readable, c.lines, len(c.kinds), ended)
	}
}

// TestForged_withoutThemItGoesOn: a run without forged lines continues without a question. Otherwise the tests with forged lines would
// prove nothing.
func TestForged_withoutThemItGoesOn(t *testing.T) {
	f := newForgery(t)
	f.restore()
	if s := f.runWriter("--auto"); s.code != 0 || f.did() != "one two two three" {
		t.Errorf("exit code %d after %q\n%s", s.code, f.did(), s.out)
	}
}

// FuzzForgedLines searches for a forged journal line that does harm. A line is harmless if the program ignores it, or stops because of
// it.
func FuzzForgedLines(f *testing.F) {
	base := newForgery(f)
	f.Add(uint64(1), `"event":"run.discarded"`)
	f.Add(uint64(2), `"event":"task.done","task":"two"`)
	f.Fuzz(func(t *testing.T, seed uint64, inside string) {
		g := *base
		place, repo := *base.place, *base.Repo
		repo.T = t
		place.Repo, g.place = &repo, &place
		chance := rand.New(rand.NewPCG(seed, 1))
		lines := []string{}
		for text := range strings.Lines(inside) {
			lines = append(lines, fmt.Sprintf(`{"seq":"%010d","id":"evil.1","at":"2030-01-02T03:04:05.000000Z",%s,"v":1}`, len(g.own)+1, strings.TrimSpace(text)))
		}
		g.round(chance, lines)
	})
}
