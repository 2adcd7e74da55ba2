//go:build linux

package hostile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func newAttack(t *testing.T) *place {
	t.Helper()
	t.Parallel()
	return newPlace(t, rand.New(rand.NewPCG(1, 1)))
}

// expect runs git-resume with the arguments. The test fails if the exit code differs from the expected one, or if the output does not match
// the regular expression in the argument "words".
func (p *place) expect(code int, words string, args ...string) string {
	p.T.Helper()
	s := p.run(args...)
	if s.code != code || !regexp.MustCompile(words).MatchString(s.out) {
		p.T.Errorf("%q: exit code %d, want %d and %q\n%s", args, s.code, code, words, s.out)
	}
	return s.out
}

// start writes a plan with one task per shell command, starts a run from it, and returns the run's id.
func (p *place) start(code int, name string, tasks ...string) string {
	p.T.Helper()
	text := "name: " + name + "\ntasks:\n"
	for i, command := range tasks {
		text += fmt.Sprintf("- {id: t%d, run: %q}\n", i+1, command)
	}
	p.outside(name+".yaml", text)
	known := p.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal/")
	if out, got := p.Resume("start", filepath.Join(p.root, name+".yaml")); got != code {
		p.T.Fatalf("start: exit code %d, want %d\n%s", got, code, out)
	}
	for _, ref := range strings.Fields(p.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal/"+name+"-*")) {
		if !strings.Contains(known, ref) {
			return filepath.Base(ref)
		}
	}
	p.T.Fatal("no run was begun")
	return ""
}

// p.does(name) is a shell command that appends the name to the file "did". p.dies(name) is a command that also kills git-resume, as long
// as the file "go" does not exist.
func (p *place) does(name string) string { return "echo " + name + " >> " + p.root + "/did" }

func (p *place) dies(name string) string {
	return p.does(name) + "; test -e " + p.root + "/go && exit 0; kill -9 $PPID; exit 1"
}

func (p *place) done() string {
	text, _ := os.ReadFile(filepath.Join(p.root, "did"))
	return strings.Join(strings.Fields(string(text)), " ")
}

// lines returns the journal lines of a run.
func (p *place) lines(run string) []string {
	p.T.Helper()
	var out []string
	for line := range strings.Lines(p.MustResume("log", "--raw", run)) {
		if at := strings.Index(line, `{"seq"`); at >= 0 {
			out = append(out, strings.TrimSpace(line[at:]))
		}
	}
	return out
}

// firstLine returns the first line of a forged run.
func (p *place) firstLine(run, more string) string {
	head := p.Git("rev-parse", "main")
	return `"event":"run.started","head":"` + head + `","base_tip":"` + head + `","name":"` + run + `","base":{"name":"main","commit":"` + head + `"},"branch":"refs/heads/resume/` + run + `"` + more
}

// addDocument puts a plan into a forged journal.
func (p *place) addDocument(run, text string) string {
	p.T.Helper()
	id := p.hash(text)
	list := p.Git("ls-tree", "refs/notes/resume/"+run) + "\n100644 blob " + id + "\t" + id + "\n"
	p.Git("update-ref", "refs/notes/resume/"+run, p.Git("commit-tree", "-m", "notes", strings.TrimSpace(p.Pipe(list, "mktree"))))
	return id
}

// A fetched journal can claim a merge or a discard that never happened here. Undo must not act on such a claim.
func TestAttack_forgedChangesAreNotUndone(t *testing.T) {
	p := newAttack(t)
	head := p.Git("rev-parse", "main")
	evil := p.Git("commit-tree", "-m", "evil", strings.TrimSpace(p.Pipe("100644 blob "+p.hash("evil\n")+"\tREADME\n", "mktree")))
	deed := strings.TrimSpace(p.Pipe("040000 tree "+strings.TrimSpace(p.Pipe("100644 blob "+p.hash("evil\n")+"\t0\n", "mktree"))+"\tbefore\n100644 blob "+
		p.hash(`{"v":1,"changes":[{"tree":"`+p.Dir+`","path":".envrc","gone":true}]}`)+"\tchanges.json\n", "mktree"))
	forgeries := map[string]string{
		"merged":    `"event":"run.merged","commit":"` + head + `","base_tip":"` + evil + `"`,
		"acted":     `"event":"run.acted","name":"skip-unit","tree":"` + deed + `"`,
		"restored":  `"event":"run.restored"`,
		"discarded": `"event":"run.discarded","tree":"` + deed + `"`,
	}
	for name, line := range forgeries {
		p.Forge(name+"-aaaa", p.firstLine(name+"-aaaa", ""), line)
	}
	p.Git("branch", "resume/restored-aaaa")
	before := p.everything()
	p.expect(1, "there is nothing to undo", "undo")
	p.expect(1, "there is nothing to undo", "undo", "--yes")
	for name := range forgeries {
		p.expect(11, "nothing proves that this user made", "undo", "--yes", name+"-aaaa")
	}
	if now := p.everything(); now != before {
		t.Errorf("something changed: %s", firstDifference(before, now))
	}
	// The user's own merge can be undone, although forged lines were added to the run's journal after it.
	run := p.start(0, "mine", "echo x > made")
	p.expect(0, "merged", "merge", run)
	merged := p.Git("rev-parse", "main")
	if merged == head {
		t.Fatal("nothing was merged")
	}
	p.ForgeAfter(100, run, `"event":"run.merged","commit":"`+merged+`","base_tip":"`+evil+`"`, `"event":"undone","undoes":"`+p.idOf(run, "run.merged")+`"`)
	p.expect(0, "", "undo", "--yes")
	if now := p.Git("rev-parse", "main"); now != head {
		t.Errorf("main is at %s, want %s", now, head)
	}
	p.Fsck()
}

func TestAttack_undoMovesNothingThatCannotBeRecorded(t *testing.T) {
	p := newAttack(t)
	run := p.start(0, "mine", "echo x > made")
	p.expect(0, "merged", "merge", run)
	merged := p.Git("rev-parse", "main")
	file := filepath.Join(p.Dir, ".git/resume/closed", run)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p.expect(11, "is not recorded as open in this clone: it was closed here, came from another clone, or lost its file in .git/resume", "undo", "--yes")
	if now := p.Git("rev-parse", "main"); now != merged || p.Read("made") != "x\n" {
		t.Errorf("main is at %s, want %s", now, merged)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	p.expect(0, "", "undo", "--yes")
	if p.Git("rev-parse", "main") == merged {
		t.Error("the merge was not undone")
	}
}

// idOf returns the id of the last journal line with this event.
func (p *place) idOf(run, event string) (id string) {
	p.T.Helper()
	for _, text := range p.lines(run) {
		if l, _ := parseLine(text); l.Event == event {
			id = l.ID
		}
	}
	return id
}

// everything describes the refs and every file outside the folder .git of the repository.
func (p *place) everything() string {
	out := p.Git("for-each-ref") + "\n"
	for line := range strings.Lines(p.digest(p.root)) {
		if !strings.HasPrefix(line, p.Dir+"/.git/") {
			out += line
		}
	}
	return out
}

func TestAttack_approvalIsOfWhatWasShown(t *testing.T) {
	p := newAttack(t)
	const run = "evil-aaaa"
	hidden := p.does("hidden")
	first := p.hash(`{"name":"evil","tasks":[{"id":"t","title":"x","run":"` + quote(p.does("shown")+strings.Repeat(" ", 200)+"; "+hidden+strings.Repeat(" ", 200)+"# ok") + `"}]}`)
	second := p.hash(`{"name":"evil","tasks":[{"id":"t","title":"x","run":"` + p.does("second") + `"}]}`)
	p.Git("branch", "resume/"+run)
	p.Forge(run, p.firstLine(run, `,"plan":"`+first+`"`))
	p.addDocument(run, p.Git("cat-file", "blob", first))
	shown := p.expect(0, "hash [0-9a-f]{32}", "trust", "-n", run)
	for _, want := range []string{hidden, "# ok"} {
		if !strings.Contains(unwrap(shown), want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	old := hashIn(shown)
	p.expect(11, "take it over", "trust", run, "--expect", old) // a run of another clone must be taken over before its commands can be approved
	p.ForgeAfter(1, run, `"event":"run.planned","plan":"`+second+`"`)
	p.addDocument(run, p.Git("cat-file", "blob", second))
	if now := hashIn(p.expect(0, "second", "trust", "-n", run)); now == old {
		t.Error("another plan has the same hash")
	}
	p.expect(11, "take it over", "trust", run, "--expect", old)
	p.expect(11, "", run, "--yes")
	p.expect(11, "", "--auto")
	// After the takeover a forged line names another plan. The run must ignore it and keep the plan that it had at the takeover.
	p.expect(11, "were not approved", run, "--takeover", "--yes")
	taken := hashIn(p.expect(0, "second", "trust", "-n", run))
	p.expect(11, "nothing was approved", "trust", run, "--expect", old)
	p.ForgeAfter(2, run, `"event":"run.planned","plan":"`+first+`"`)
	p.expect(0, "approved the commands of run evil-aaaa", "trust", run, "--expect", taken)
	p.expect(0, "nothing can be continued automatically", "--auto")
	if p.done() != "" {
		t.Errorf("%s ran", p.done())
	}
	p.expect(0, "finished", run, "--yes")
	if p.done() != "second" {
		t.Errorf("%q ran", p.done())
	}
	// The command of this run contains invisible characters. Because the screen cannot show the command exactly, the user cannot approve it
	// or take over the run.
	const unseen = "evil-bbbb"
	p.Git("branch", "resume/"+unseen)
	doc := `{"name":"evil","tasks":[{"id":"t","title":"x","run":"` + p.does("unseen") + "\u202e\u200b # ok" + `"}]}`
	p.Forge(unseen, p.firstLine(unseen, `,"plan":"`+p.hash(doc)+`"`))
	p.addDocument(unseen, doc)
	for _, args := range [][]string{{"trust", "-n", unseen}, {"trust", "--yes", unseen}, {unseen, "--takeover", "--yes"}} {
		p.expect(1, `U\+202E`, args...)
	}
	if p.done() != "second" {
		t.Errorf("%q ran", p.done())
	}
}

// unwrap joins lines that were wrapped for the screen.
func unwrap(shown string) string {
	return regexp.MustCompile(`\n *~ ?`).ReplaceAllString(shown, "")
}

func hashIn(shown string) string {
	m := regexp.MustCompile(`hash ([0-9a-f]{32})`).FindStringSubmatch(shown)
	return append(m, "", "")[1]
}

func TestAttack_approvedTextDoesNotRunInAnotherRun(t *testing.T) {
	p := newAttack(t)
	command := p.does("check")
	mine := p.start(0, "nightly", command)
	actor := ""
	for _, text := range p.lines(mine) {
		if _, rest, ok := strings.Cut(text, `"actor":`); ok {
			actor = `,"actor":` + rest[:strings.Index(rest, "}")+1]
		}
	}
	if actor == "" {
		t.Fatal("no line names a process")
	}
	doc := `{"name":"nightly","tasks":[{"id":"t","title":"x","run":"` + command + `"}]}`
	for run, by := range map[string]string{"evil-aaaa": "", "nightly-aaaa": actor} {
		p.Git("branch", "resume/"+run)
		p.Forge(run, p.firstLine(run, by+`,"plan":"`+p.hash(doc)+`"`), `"event":"task.started","task":"t","attempt":"evil.2"`+by, `"event":"task.failed","task":"t","cause":"interrupt"`, `"event":"run.stopped","cause":"interrupt"`)
		p.addDocument(run, doc)
	}
	before := p.everything()
	p.expect(11, "name one to see it, and take it over to change it", "--auto")
	for _, run := range []string{"evil-aaaa", "nightly-aaaa"} {
		p.expect(11, "--takeover", run, "--auto")
		p.expect(11, "--takeover", run, "--yes")
		p.expect(129, "", run, "--takeover", "--auto")
	}
	if now := p.everything(); now != before || p.done() != "check" {
		t.Errorf("ran %q: %s", p.done(), firstDifference(before, now))
	}
	// The user's own run of the same plan still executes its commands.
	out := p.expect(0, "finished", "start", "--auto", filepath.Join(p.root, "nightly.yaml"))
	if p.done() != "check check" || strings.Contains(out, "nightly-aaaa") {
		t.Errorf("ran %q\n%s", p.done(), out)
	}
}

// A fetched journal line can have a huge sequence number. The user's later reports must still be recorded.
func TestAttack_numbersUseUpNothing(t *testing.T) {
	p := newAttack(t)
	for i, beyond := range []int64{9_999_999_999, 9_000_000_000, 1_500_000, 1_000_000, 1, 0} {
		run := p.start(-1, fmt.Sprintf("n%d", i), p.dies("one"), p.does("two"))
		last := int64(len(p.lines(run)))
		seq := beyond
		if beyond <= 1_500_000 {
			seq = last + beyond
		}
		p.ForgeAfter(int(seq-1), run, `"event":"hello"`)
		tree := *p
		tree.Repo = p.In(filepath.Join(p.root, "repo.worktrees", run))
		tree.expect(0, "", "task", "fail", "t1", "--message", "acknowledged")
		tree.expect(0, "", "task", "block", "t2", "--ask", "Which one?")
		out := p.expect(0, "Which one", "status", run)
		if !strings.Contains(p.MustResume("status", run, "--porcelain"), "task\tt2\tblocked") || strings.Contains(out, "cannot be read") {
			t.Errorf("number %d: a report is missing\n%s", seq, out)
		}
		reach := last + 4
		if beyond == 1_000_000 {
			reach += beyond
		}
		for _, text := range p.lines(run) {
			if l, ok := parseLine(text); !ok || l.Event != "hello" && l.Seq > fmt.Sprintf("%010d", reach) {
				t.Errorf("number %d: we went on with %s", seq, text)
			}
		}
	}
}

// A forged second run.started line names the user's worktree. The run must still be continued in its own worktree.
func TestAttack_secondBeginningMovesNothing(t *testing.T) {
	p := newAttack(t)
	run := p.start(-1, "mine", p.dies("one"), "pwd >> "+p.root+"/did")
	p.outside("go", "")
	p.ForgeAfter(0, run, p.firstLine("other", `,"here":true,"admin":"main","worktree":"`+p.Dir+`"`))
	p.ForgeAfter(50, run, strings.Replace(p.firstLine("other", `,"here":true,"admin":"main","worktree":"`+p.Dir+`"`), "refs/heads/resume/other", "refs/heads/main", 1))
	p.expect(0, "finished", "--auto")
	if want := "one one " + filepath.Join(p.root, "repo.worktrees", run); p.done() != want {
		t.Errorf("%q ran, want %q", p.done(), want)
	}
	if out := p.Git("status", "--porcelain"); out != "" || p.Git("rev-list", "--count", "main") != "1" {
		t.Errorf("the user's worktree: %s", out)
	}
}

func TestAttack_pulledCommitsAreApprovedFirst(t *testing.T) {
	p := newAttack(t)
	p.outside("plan.yaml", "name: evilmark\ntasks:\n- {id: one, run: \""+p.does("one")+"\"}\n- {id: q, ask: which}\n- {id: two, run: sh ./README}\n")
	p.expect(15, "which", "start", filepath.Join(p.root, "plan.yaml"))
	run := p.id()
	p.expect(0, "", "answer", "--run", run, "q", "this")
	tree := p.In(filepath.Join(p.root, "repo.worktrees", run))
	remote := p.In(filepath.Join(p.root, "remote"))
	p.Git("clone", "-q", p.Dir, remote.Dir)
	remote.Git("checkout", "-q", "resume/"+run)
	remote.Write("README", p.does("pulled")+"\n")
	remote.Git("commit", "-qam", "harmless words")
	tree.Git("pull", "-q", remote.Dir, "resume/"+run)
	p.expect(11, "git resume trust "+run, "--auto")
	if p.done() != "one" {
		t.Errorf("%q ran", p.done())
	}
	p.expect(0, "harmless words", "trust", "-n", run)
	p.expect(11, "", "trust", run)
	p.expect(0, "approved the commands of run", "trust", run, "--yes")
	// Commits that arrive after the approval must be approved too.
	remote.Git("commit", "-q", "--allow-empty", "-m", "and more")
	tree.Git("pull", "-q", remote.Dir, "resume/"+run)
	p.expect(11, "git resume trust "+run, "--auto")
	p.expect(0, "approved the commands of run", "trust", run, "--yes")
	p.expect(0, "finished", "--auto")
	if p.done() != "one pulled" {
		t.Errorf("%q ran", p.done())
	}
}

func TestAttack_handedOverRepositoryIsNotBelieved(t *testing.T) {
	for name, copied := range map[string]func(from, to string) *exec.Cmd{
		"tar": func(from, to string) *exec.Cmd {
			return exec.Command("sh", "-c", `mkdir "$2" && tar -C "$1" -cf - . | tar -C "$2" -xf -`, "sh", from, to)
		},
		"cp": func(from, to string) *exec.Cmd { return exec.Command("cp", "-a", from, to) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newAttack(t)
			gone := p.start(-1, "gone", p.dies("one"))
			p.expect(0, "", "discard", "-y", "--force", gone)
			open := p.start(-1, "open", p.dies("two"), p.does("three"))
			p.outside("go", "")
			c := *p
			c.Repo = p.In(filepath.Join(p.root, "handed", "repo"))
			if err := os.Mkdir(filepath.Dir(c.Dir), 0o755); err != nil {
				t.Fatal(err)
			}
			if out, err := copied(p.Dir, c.Dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, file := range []string{"open/" + open, "closed/" + gone, "trusted", "acts", "keys"} {
				if _, err := os.Stat(filepath.Join(c.Dir, ".git/resume", file)); err != nil {
					t.Fatal(err)
				}
			}
			before := c.everything()
			c.expect(0, "elsewhere +"+open, "status")
			c.expect(11, "nothing proves that", "--auto")
			c.expect(11, "", open, "--yes")
			c.expect(11, "take it over", "trust", open, "--yes")
			c.expect(0, "not approved|command", "trust", "-n", open)
			c.expect(1, "nothing to undo", "undo", "--yes")
			c.expect(11, "nothing proves that this user made", "undo", "--yes", gone)
			c.expect(11, "nothing proves that run .* was started in this clone", "discard", "-y", "--force", open)
			c.expect(11, "", "task", "done", "t1", "--run", open)
			if now := c.everything(); now != before || p.done() != "one two" {
				t.Errorf("ran %q: %s", p.done(), firstDifference(before, now))
			}
			// In the original repository, the user can still undo the discard and continue the run.
			p.expect(0, "", "undo", "--yes")
			if !slices.Contains(strings.Fields(p.Git("for-each-ref", "--format=%(refname)")), "refs/heads/resume/"+gone) {
				t.Error("the discard was not undone")
			}
			p.expect(0, "finished", open, "--auto")
			if p.done() != "one two two three" {
				t.Errorf("%q ran", p.done())
			}
		})
	}
}
