package prove

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// witness is how things were before the kill.
type witness struct {
	facts   facts
	files   map[string]string
	tracked map[string]string
	// trees are the files of every worktree, with modes and links, by path.
	trees map[string]map[string]string
	// collect: git collects garbage before the last look.
	collect bool
	// deeper kills inside the recovery, too; nil recovers undisturbed.
	deeper func(*gittest.Repo) error
}

func see(r *gittest.Repo) witness {
	r.T.Helper()
	w := witness{facts: look(r), files: files(r), tracked: tracked(r), trees: map[string]map[string]string{}}
	for _, tree := range worktrees(r) {
		w.trees[tree] = files(r.In(tree))
	}
	return w
}

// judge checks what a kill left, then brings the command to its end and checks again.
func (w witness) judge(s scene, r *gittest.Repo, out outcome) error {
	now := look(r)
	if out.Exit == 0 {
		if err := s.after(now); err != nil {
			return fmt.Errorf("acknowledged, but %w", err)
		}
	}
	err := readsOnly(r, out.Calls, func() error {
		if err := w.sound(s, r, now); !halfMade(err) {
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("after the kill: %w", err)
	}
	if w.deeper != nil {
		if err := w.deeper(r); err != nil {
			return err
		}
	}
	said, code := s.recover(r)
	if code != 0 {
		return fmt.Errorf("repeated: exit code %d\n%s", code, said)
	}
	if err := w.recovered(s, r, said == ""); err != nil {
		return fmt.Errorf("after the repeat: %w\n%s", err, said)
	}
	return nil
}

// recover brings the command to its end.
func (s scene) recover(r *gittest.Repo) (string, int) {
	r.T.Helper()
	if s.again != nil {
		return s.again(r)
	}
	return r.Resume(s.args...)
}

// recovered is what must hold once the command came to its end; idle: it had done so before the kill, and nothing was repeated.
func (w witness) recovered(s scene, r *gittest.Repo, idle bool) error {
	if w.collect {
		// The lock of a git that was killed stops gc until a command of ours has taken it away.
		if out, code := r.Try("git", "gc", "-q", "--prune=now"); code != 0 && !(idle && strings.Contains(out, ".lock': File exists")) {
			return fmt.Errorf("git gc: exit code %d\n%s", code, out)
		}
	}
	now := look(r)
	if err := w.sound(s, r, now); err != nil {
		return err
	}
	if err := s.after(now); err != nil {
		return err
	}
	if err := onlyItsOwn(r, now, s.own); err != nil {
		return err
	}
	if !idle {
		if err := tidied(r); err != nil {
			return err
		}
	}
	if s.kept != nil {
		if err := s.kept(r, w); err != nil {
			return err
		}
	}
	if err := settled(r); err != nil {
		return err
	}
	// Where nothing was repeated nobody wrote since the kill, and its leftovers are cleared by whoever asks what there is to do.
	if err := tidied(r); err != nil {
		return err
	}
	if said, code := r.Try("git", "commit", "-q", "--allow-empty", "--only", "-m", "by hand"); code != 0 {
		return fmt.Errorf("git cannot commit: %s", said)
	}
	return nil
}

// sound is what must hold at every moment.
func (w witness) sound(s scene, r *gittest.Repo, now facts) error {
	for id, run := range w.facts.runs {
		for _, l := range run.lines {
			if now.runs[id] == nil || !now.runs[id].raw[l.raw] {
				return fmt.Errorf("an acknowledged event is missing: %s", l.raw)
			}
		}
	}
	said, err := tell(r)
	if err != nil {
		return err
	}
	if err := compare(said, now); err != nil {
		return err
	}
	if err := now.orderly(r); err != nil {
		return err
	}
	have := files(r)
	for path, text := range w.files {
		if have[path] != text && (s.changes == nil || !s.changes(path)) {
			return fmt.Errorf("file %s is not as the user left it", path)
		}
	}
	if back := reverted(r, w.tracked); len(back) > 0 {
		return fmt.Errorf("HEAD is ahead of the index in %v", back)
	}
	if out, code := r.Try("git", "fsck", "--full", "--strict", "--no-dangling"); code != 0 || strings.TrimSpace(out) != "" {
		return &fsckError{strings.TrimSpace(out)}
	}
	return nil
}

type fsckError struct{ text string }

func (e *fsckError) Error() string { return "git fsck: " + e.text }

// halfMade: git itself, killed while it makes a worktree, leaves one whose HEAD leads nowhere,
// and complains of it until the repeated start has put it away.
func halfMade(err error) bool {
	var fsck *fsckError
	if !errors.As(err, &fsck) {
		return false
	}
	for l := range strings.Lines(fsck.text) {
		if !strings.HasPrefix(l, "error: worktrees/"+job1+"-") {
			return false
		}
	}
	return true
}

// readers are commands that show something, besides the one that is asked in every trial.
var readers = [][]string{{"log"}, {"review"}, {"-n"}, {"status", "--check"}}

// readsOnly: commands that show something leave every file of the repository as it was.
func readsOnly(r *gittest.Repo, which int, tell func() error) error {
	r.T.Helper()
	before := traces(r)
	if err := tell(); err != nil {
		return err
	}
	r.Resume(readers[which%len(readers)]...) // whatever it answers
	if what := differs(before, traces(r)); what != "" {
		return fmt.Errorf("a command that reads (status or %v) changed %s", readers[which%len(readers)], what)
	}
	return nil
}

// traces are size, mode, time and place of every file of a repository: a file that is written again is another.
// Only objects may get another time: git touches those that it would have written and that are there.
func traces(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	for _, dir := range append(worktrees(r), commonDir(r)) {
		walk(r.T, dir, func(path string, info os.FileInfo) {
			out[path] = fmt.Sprint(info.Size(), info.Mode())
			if !strings.Contains(path, "/objects/") {
				out[path] += fmt.Sprint(" ", info.ModTime().UnixNano())
			}
		})
	}
	return out
}

func differs(before, after map[string]string) string {
	for path, was := range before {
		if after[path] != was {
			return fmt.Sprintf("%s: %q, was %q", path, after[path], was)
		}
	}
	for path := range after {
		if before[path] == "" {
			return path + ", which was not there"
		}
	}
	return ""
}

// settled: whoever asks once more after a recovery finds nothing to do, and does nothing:
// refs, HEADs, reflogs, stash, settings, indexes and files stay as they are.
func settled(r *gittest.Repo) error {
	r.T.Helper()
	r.Resume() // it may take a run over once
	before := traces(r)
	said, _ := r.Resume()
	after := traces(r)
	for _, side := range []map[string]string{before, after} {
		maps.DeleteFunc(side, func(path, _ string) bool { return strings.Contains(path, "/.git/resume/") }) // who holds what, and what was read
	}
	if what := differs(before, after); what != "" {
		return fmt.Errorf("a second 'git resume' changed %s\n%s", what, said)
	}
	return nil
}

func commonDir(r *gittest.Repo) string {
	r.T.Helper()
	return r.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
}

func tidied(r *gittest.Repo) error {
	r.T.Helper()
	if left := litter(r); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	return nil
}

// litter lists what a recovered repository must not have: lock files that would stop git, temporary indexes and stores,
// worktrees that are half made or lead nowhere, refs that git cannot read.
func litter(r *gittest.Repo) []string {
	r.T.Helper()
	out := locks(r)
	dir := commonDir(r)
	walk(r.T, dir, func(path string, _ os.FileInfo) {
		rel := strings.TrimPrefix(path, dir+"/")
		name := filepath.Base(path)
		if strings.HasPrefix(rel, "objects/") || strings.HasPrefix(rel, "resume/trash/") {
			return // what a killed git leaves there is its own to collect; the trash is kept on purpose
		}
		if strings.Contains(name, "index") && name != "index" && !strings.HasPrefix(name, "sharedindex.") || strings.HasSuffix(name, ".tmp") {
			out = append(out, rel)
		}
	})
	walk(r.T, tempOf(r), func(path string, _ os.FileInfo) {
		out = append(out, path)
	})
	for block := range strings.SplitSeq(r.Git("worktree", "list", "--porcelain"), "\n\n") {
		if strings.Contains(block, "\nlocked initializing") || strings.Contains(block, "\nprunable") {
			out = append(out, strings.ReplaceAll(block, "\n", " "))
		}
	}
	if said, _ := r.Try("git", "for-each-ref", "--format="); strings.TrimSpace(said) != "" {
		out = append(out, strings.TrimSpace(said))
	}
	return out
}

// worktrees are the trees that git has on its list and that are there.
func worktrees(r *gittest.Repo) []string {
	r.T.Helper()
	var out []string
	for l := range strings.SplitSeq(r.Git("worktree", "list", "--porcelain", "-z"), "\x00") {
		if path, ok := strings.CutPrefix(l, "worktree "); ok {
			if _, err := os.Stat(filepath.Join(path, ".git")); err == nil {
				out = append(out, path)
			}
		}
	}
	return out
}

// orderly: every line is there once and in an order, and the commits that lines name are kept alive.
func (f facts) orderly(r *gittest.Repo) error {
	r.T.Helper()
	var named []string
	for id, run := range f.runs {
		ids, seqs := map[string]bool{}, map[string]bool{}
		for _, l := range run.lines {
			if ids[l.ID] || seqs[l.Seq] {
				return fmt.Errorf("two lines of %s have one number: %s", id, l.raw)
			}
			ids[l.ID], seqs[l.Seq] = true, true
			if l.Commit != "" {
				named = append(named, l.Commit)
			}
		}
		if err := honest(run); err != nil {
			return fmt.Errorf("run %s: %w", id, err)
		}
	}
	if len(named) == 0 {
		return nil
	}
	slices.Sort(named)
	if out, code := r.Try("git", append([]string{"show", "-s", "--format=%H"}, slices.Compact(named)...)...); code != 0 {
		return fmt.Errorf("a line names a commit that is gone: %s", out)
	}
	return nil
}

// honest: a task that is recorded as done begins no second time, unless somebody reset it.
func honest(run *runFacts) error {
	done := map[string]bool{}
	for _, l := range run.effective() {
		switch l.Event {
		case "task.done":
			done[l.Task] = true
		case "task.reset":
			done[l.Task] = false
		case "task.started":
			if done[l.Task] && l.Text == "" {
				return fmt.Errorf("task %s was done and began again without a reason", l.Task)
			}
		}
	}
	return nil
}
