package prove

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// facts is what plain git shows of a repository.
type facts struct {
	runs    map[string]*runFacts
	commits []trailed
}

// runFacts is one run as its lines tell it, read without our code.
type runFacts struct {
	lines  []line
	raw    map[string]bool
	tasks  map[string]string // state by task, from lines alone
	answer map[string]string
	paused bool
	closed bool
}

type line struct {
	Seq, Event, Task, Text, Commit string
	raw                            string
}

// trailed is a commit with the trailers of a run.
type trailed struct{ id, run, task, state string }

// look asks git for everything; from is where the run works.
func look(r *gittest.Repo) facts {
	r.T.Helper()
	f := facts{runs: map[string]*runFacts{}}
	refs := r.Git("for-each-ref", "--format=%(objectname) %(refname)", "refs/resume/journal/", "refs/notes/resume/")
	seen := map[string]bool{}
	for l := range strings.Lines(refs) {
		commit, ref, _ := strings.Cut(strings.TrimSpace(l), " ")
		id := ref[strings.LastIndexByte(ref, '/')+1:]
		if f.runs[id] == nil {
			f.runs[id] = &runFacts{raw: map[string]bool{}}
		}
		if !seen[commit] { // the published ref is the same commit most of the time
			seen[commit] = true
			f.runs[id].read(r, commit)
		}
	}
	for _, run := range f.runs {
		run.fold()
	}
	log := r.Git("log", "HEAD", "--format=%H%x1f%(trailers:key=Resume-Run,valueonly,separator=%x2c)%x1f"+
		"%(trailers:key=Resume-Task,valueonly,separator=%x2c)%x1f%(trailers:key=Resume-State,valueonly,separator=%x2c)")
	for _, l := range strings.Split(log, "\n") {
		p := strings.Split(l, "\x1f")
		if p[1] != "" {
			f.commits = append(f.commits, trailed{p[0], p[1], p[2], p[3]})
		}
	}
	return f
}

// read takes the lines of one journal; what is no line (a plan, the headers of the batch) is passed over.
func (f *runFacts) read(r *gittest.Repo, commit string) {
	r.T.Helper()
	var blobs strings.Builder
	for entry := range strings.Lines(r.Git("ls-tree", "-r", commit)) {
		blobs.WriteString(strings.Fields(entry)[2] + "\n")
	}
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, r.Env, strings.NewReader(blobs.String())
	out, err := cmd.Output()
	if err != nil {
		r.T.Fatal(err)
	}
	for text := range strings.Lines(string(out)) {
		var l line
		text = strings.TrimRight(text, "\n")
		if json.Unmarshal([]byte(text), &l) == nil && l.Seq != "" && !f.raw[text] {
			l.raw, f.raw[text] = text, true
			f.lines = append(f.lines, l)
		}
	}
}

func (f *runFacts) fold() {
	sort.Slice(f.lines, func(i, j int) bool { return f.lines[i].Seq < f.lines[j].Seq })
	f.tasks, f.answer = map[string]string{}, map[string]string{}
	for _, l := range f.lines {
		switch l.Event {
		case "task.started":
			f.tasks[l.Task], f.paused = "active", false
		case "task.done":
			f.tasks[l.Task] = "done"
		case "task.failed":
			f.tasks[l.Task] = "failed"
		case "task.skipped":
			f.tasks[l.Task] = "skipped"
		case "task.blocked":
			f.tasks[l.Task] = "blocked"
		case "task.answered":
			f.tasks[l.Task], f.answer[l.Task] = "answered", l.Text
		case "run.paused":
			f.paused = true
		case "run.finished":
			f.closed = true
		}
	}
}

// state is how a task stands by lines and by commits: a commit with its trailers proves it done.
func (f facts) state(run, task string) string {
	for _, c := range f.commits {
		if c.run == run && c.task == task && c.state == "" {
			return "done"
		}
	}
	if s := f.runs[run].tasks[task]; s != "" {
		return s
	}
	return "pending"
}

func (f facts) count(run, event, task string) (n int) {
	if f.runs[run] == nil {
		return 0
	}
	for _, l := range f.runs[run].lines {
		if l.Event == event && l.Task == task {
			n++
		}
	}
	return n
}

func (f facts) commitsOf(task, state string) (n int) {
	for _, c := range f.commits {
		if c.task == task && c.state == state {
			n++
		}
	}
	return n
}

// files are the bytes of every file of a work tree, git's own apart.
func files(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, r.Dir+"/")] = string(text)
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// locks lists lock files that would stop git; our own flocks are no such thing.
func locks(r *gittest.Repo) []string {
	r.T.Helper()
	var out []string
	dir := r.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path == filepath.Join(dir, "resume") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".lock") {
			out = append(out, strings.TrimPrefix(path, dir+"/"))
		}
		return nil
	})
	return out
}

// reverted lists files that HEAD has as the user wants them and the index has as they were:
// the next commit would take the work back.
func reverted(r *gittest.Repo, old map[string]string) []string {
	r.T.Helper()
	var out []string
	index := map[string]string{}
	for _, l := range strings.Split(r.Git("ls-files", "-s"), "\n") {
		head, path, _ := strings.Cut(l, "\t")
		if f := strings.Fields(head); len(f) == 3 {
			index[path] = f[1]
		}
	}
	for _, l := range strings.Split(r.Git("ls-tree", "-r", "HEAD"), "\n") {
		head, path, _ := strings.Cut(l, "\t")
		if now := strings.Fields(head)[2]; now != old[path] && index[path] == old[path] {
			out = append(out, path)
		}
	}
	return out
}

// tracked are the blobs of HEAD by path.
func tracked(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	for _, l := range strings.Split(r.Git("ls-tree", "-r", "HEAD"), "\n") {
		head, path, _ := strings.Cut(l, "\t")
		out[path] = strings.Fields(head)[2]
	}
	return out
}

// onlyItsOwn: the commits of a task hold the files that the scenes give it, and no others.
func onlyItsOwn(r *gittest.Repo, f facts) error {
	r.T.Helper()
	for _, c := range f.commits {
		if got := strings.Fields(r.Git("diff-tree", "--no-commit-id", "--name-only", "-r", c.id)); !slices.Equal(got, []string{"README", "new"}) {
			return fmt.Errorf("commit %s has %v", c.id, got)
		}
	}
	trees := r.Git("worktree", "list", "--porcelain")
	for l := range strings.Lines(trees) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(l), "worktree "); ok {
			if gone := r.In(path).Git("ls-files", "--deleted"); gone != "" {
				return fmt.Errorf("worktree %s lacks %s", path, gone)
			}
		}
	}
	return nil
}
