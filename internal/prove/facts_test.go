package prove

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// facts is what plain git shows about a repository.
type facts struct {
	runs    map[string]*runFacts
	commits []trailerCommit
}

// runFacts describes one run according to its journal lines, which are read without our code.
type runFacts struct {
	lines  []line
	raw    map[string]bool
	tasks  map[string]string // the state of each task, according to the journal lines alone
	answer map[string]string
	// begun is true if a task was started at least once.
	paused, begun bool
	// closed is "finished" or "discarded"; empty while the run is open.
	closed string
	// source is the other system that started the work.
	source string
	// driver is the process that reports, and owner is the process that executes. The run's state depends on both.
	driver, owner actor
}

type line struct {
	Seq, ID, At, Event, Task, Text, Commit, Undoes, Source, Cause string
	Epoch                                                         int
	Actor                                                         *actor
	raw                                                           string
}

// actor is a process. Its start time distinguishes it from a later process with the same id.
type actor struct {
	PID   int
	Start string
}

// trailerCommit is a commit with the trailers of a run.
type trailerCommit struct{ id, run, task, state string }

// readFacts reads all facts about a repository with git.
func readFacts(r *gittest.Repo) facts {
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
		if !seen[commit] {
			seen[commit] = true
			f.runs[id].read(r, commit)
		}
	}
	for _, run := range f.runs {
		run.fold()
	}
	head := "HEAD"
	// The folder of a task's own worktree has a dot in its name. Its HEAD is on no branch, and commits of this HEAD do not count until they
	// are on the run's branch. So leave HEAD out there: main, like all other branches, is read anyway.
	if strings.Contains(filepath.Base(r.Dir), ".") {
		head = "main"
	}
	log := r.Git("log", head, "--glob=refs/heads/", "--format=%H%x1f%(trailers:key=Resume-Run,valueonly,separator=%x2c)%x1f"+
		"%(trailers:key=Resume-Task,valueonly,separator=%x2c)%x1f%(trailers:key=Resume-State,valueonly,separator=%x2c)")
	for _, l := range strings.Split(log, "\n") {
		p := strings.Split(l, "\x1f")
		if p[1] != "" {
			f.commits = append(f.commits, trailerCommit{p[0], p[1], p[2], p[3]})
		}
	}
	for _, c := range discardedCommits(r) {
		if !slices.ContainsFunc(f.commits, func(t trailerCommit) bool { return t.id == c.id }) {
			f.commits = append(f.commits, c)
		}
	}
	return f
}

// discardedCommits returns the commits of discarded runs that are no longer on any branch. Each of them is stored as a file in the git tree
// of a ref below refs/resume/discarded/.
func discardedCommits(r *gittest.Repo) (out []trailerCommit) {
	r.T.Helper()
	for ref := range strings.FieldsSeq(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/discarded/")) {
		for entry := range strings.Lines(r.Git("ls-tree", "-r", ref)) {
			head, path, _ := strings.Cut(strings.TrimSpace(entry), "\t")
			parts := strings.Split(path, "/")
			if len(parts) != 3 || parts[1] != "commits" {
				continue
			}
			raw, code := r.Try("git", "cat-file", "blob", strings.Fields(head)[2])
			if id := strings.TrimSpace(r.Pipe(raw, "hash-object", "-t", "commit", "--stdin")); code != 0 || id != parts[2] {
				r.T.Errorf("%s: %s holds another commit, %s", ref, path, id)
			}
			c := trailerCommit{id: parts[2]}
			for line := range strings.Lines(raw) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				switch key {
				case "Resume-Run":
					c.run = value
				case "Resume-Task":
					c.task = value
				case "Resume-State":
					c.state = value
				}
			}
			if c.run != "" {
				out = append(out, c)
			}
		}
	}
	return out
}

// read reads the lines of one journal and skips everything else, such as the plan.
func (f *runFacts) read(r *gittest.Repo, commit string) {
	r.T.Helper()
	var blobs strings.Builder
	for entry := range strings.Lines(r.Git("ls-tree", "-r", commit)) {
		blobs.WriteString(strings.Fields(entry)[2] + "\n")
	}
	for text := range strings.Lines(r.Pipe(blobs.String(), "cat-file", "--batch")) {
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
	for _, l := range f.effective() {
		f.take(l)
	}
}

// effective returns the journal lines that no later line has undone.
func (f *runFacts) effective() []line {
	gone := map[string]bool{}
	for _, l := range slices.Backward(f.lines) {
		if l.Event == "undone" && !gone[l.ID] {
			gone[l.Undoes] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(f.lines), func(l line) bool { return gone[l.ID] })
}

// taskStates maps an event to the state of its task after the event.
var taskStates = map[string]string{
	"task.started": "active", "task.done": "done", "task.failed": "failed", "task.skipped": "skipped",
	"task.blocked": "blocked", "task.answered": "answered", "task.reset": "pending",
}

func (f *runFacts) take(l line) {
	if word := taskStates[l.Event]; word != "" {
		f.tasks[l.Task] = word
	}
	switch l.Event {
	case "task.started":
		f.paused, f.begun = false, true
	case "task.answered":
		f.answer[l.Task] = l.Text
	case "run.paused":
		f.paused = true
	case "run.resumed", "run.restored":
		f.paused, f.closed = false, ""
	case "run.finished", "run.superseded":
		f.closed = "finished"
	case "run.discarded":
		f.closed = "discarded"
	case "run.adopted":
		f.source = l.Source
	}
	switch {
	case l.Event == "run.taken": // the run was taken over, so the earlier workers no longer count
		f.driver, f.owner = actor{}, actor{}
	case l.Event == "run.driven" && l.Actor == nil: // the worker was removed from the run
		f.driver = actor{}
	case l.Actor == nil:
	case l.Event == "run.claimed":
		f.owner = *l.Actor
	case l.Event == "run.started", l.Event == "run.driven":
		f.driver = *l.Actor
	}
}

// state returns the state of a task according to journal lines and commits.
func (f facts) state(run, task string) string {
	s := f.runs[run].tasks[task]
	over := f.resetCommits(run, task)
	for _, c := range f.commits {
		if c.run == run && c.task == task && c.state == "" && s != "pending" && !over[c.id] { // a commit does not count after the task was reset
			return "done"
		}
	}
	if s != "" {
		return s
	}
	return "pending"
}

// resetCommits returns the commits that a task had before it was reset, even if the task was started again later.
func (f facts) resetCommits(run, task string) map[string]bool {
	done, out := map[string]bool{}, map[string]bool{}
	for _, l := range f.runs[run].lines {
		switch {
		case l.Task != task:
		case l.Event == "task.done":
			done[l.Commit] = true
		case l.Event == "task.reset":
			out = maps.Clone(done)
		}
	}
	return out
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

// locks lists lock files that would stop git. Our own lock files do not count.
func locks(r *gittest.Repo) []string {
	r.T.Helper()
	var out []string
	dir := commonDir(r)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path == filepath.Join(dir, "resume") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".lock") && !isStash(filepath.Base(path)) {
			out = append(out, strings.TrimPrefix(path, dir+"/"))
		}
		return nil
	})
	return out
}

// revertedFiles lists files whose change is in HEAD but not in the index.
// The next commit would revert the change.
func revertedFiles(r *gittest.Repo, old map[string]string) []string {
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

// tracked maps each path in HEAD to its blob.
func tracked(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	for _, l := range strings.Split(r.Git("ls-tree", "-r", "HEAD"), "\n") {
		head, path, _ := strings.Cut(l, "\t")
		out[path] = strings.Fields(head)[2]
	}
	return out
}

// checkTaskFiles checks that a task's commits contain exactly the files that the scenario expects. No tracked file may be missing from a
// worktree, except the file that the scenario's user has deleted.
func checkTaskFiles(r *gittest.Repo, f facts, s scenario) error {
	r.T.Helper()
	for _, c := range f.commits {
		if s.own == nil {
			break // the scenario names no files, for example because its commits are discarded and no longer in git
		}
		if got := strings.Fields(r.Git("diff-tree", "--no-commit-id", "--name-only", "-r", c.id)); !slices.Equal(got, s.own) {
			return fmt.Errorf("commit %s has %v", c.id, got)
		}
	}
	for _, tree := range worktrees(r) {
		if gone := r.In(tree).Git("ls-files", "--deleted"); gone != "" && gone != s.removed {
			return fmt.Errorf("worktree %s lacks %s", tree, gone)
		}
	}
	return nil
}
