package prove

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// witness describes the repository before the kill.
type witness struct {
	facts facts
	files map[string]string
	// tracked maps each worktree to the files in its HEAD. trees maps each worktree to the files on disk.
	tracked, trees map[string]map[string]string
	// collect is true if git collects garbage before the last check.
	collect bool
	// killRecovery kills the recovery too. If it is nil, nothing interrupts the recovery.
	killRecovery func(*gittest.Repo) error
}

func see(r *gittest.Repo) witness {
	r.T.Helper()
	w := witness{facts: readFacts(r), files: files(r), tracked: map[string]map[string]string{}, trees: map[string]map[string]string{}}
	for _, tree := range worktrees(r) {
		w.tracked[tree], w.trees[tree] = tracked(r.In(tree)), files(r.In(tree))
	}
	return w
}

// judge checks the repository after a kill. It then completes the interrupted command and checks the repository again.
func (w witness) judge(s scenario, r *gittest.Repo, out outcome) error {
	now := readFacts(r)
	if s.always != nil {
		if err := s.always(r, now); err != nil {
			return fmt.Errorf("after the kill: %w", err)
		}
	}
	if out.Exit == 0 {
		if err := s.after(now); err != nil {
			return fmt.Errorf("acknowledged, but %w", err)
		}
		if s.done != nil && !s.done(r) {
			return errors.New("acknowledged, but it would have to be repeated")
		}
	}
	err := readsOnly(r, out.Calls, func() error {
		if err := w.checkSound(s, r, now); !halfMade(err) {
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("after the kill: %w", err)
	}
	if w.killRecovery != nil {
		if err := w.killRecovery(r); err != nil {
			return err
		}
	}
	said, code := s.recover(r)
	if code != 0 {
		return fmt.Errorf("repeated: exit code %d\n%s", code, said)
	}
	if err := w.checkRecovered(s, r, said == ""); err != nil {
		return fmt.Errorf("after the repeat: %w\n%s", err, said)
	}
	return nil
}

// recover completes the interrupted command, usually by repeating it. It does nothing if the command had completed before the kill.
func (s scenario) recover(r *gittest.Repo) (string, int) {
	r.T.Helper()
	switch {
	case s.done != nil && s.done(r):
		return "", 0
	case s.again != nil:
		return s.again(r)
	}
	return r.Resume(s.args...)
}

// checkRecovered checks the repository after the recovery. idle is true if the recovery did not have to run a command.
func (w witness) checkRecovered(s scenario, r *gittest.Repo, idle bool) error {
	if w.collect {
		// A killed git can leave a lock file that stops gc. If no command of ours has run since, the lock file is still there.
		if out, code := r.Try("git", "gc", "-q", "--prune=now"); code != 0 && !(idle && strings.Contains(out, ".lock': File exists")) {
			return fmt.Errorf("git gc: exit code %d\n%s", code, out)
		}
	}
	now := readFacts(r)
	if err := w.checkSound(s, r, now); err != nil {
		return err
	}
	if err := s.after(now); err != nil {
		return err
	}
	if err := checkTaskFiles(r, now, s); err != nil {
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
	if err := checkNothingToDo(r); err != nil {
		return err
	}
	// By now, the calls of git-resume in checkNothingToDo must have removed what the killed process left.
	if err := tidied(r); err != nil {
		return err
	}
	if said, code := r.Try("git", "-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "--only", "-m", "by hand"); code != 0 {
		return fmt.Errorf("git cannot commit: %s", said)
	}
	return nil
}

// checkSound checks conditions that must always hold, even right after a kill.
func (w witness) checkSound(s scenario, r *gittest.Repo, now facts) error {
	for id, run := range w.facts.runs {
		for _, l := range run.lines {
			if now.runs[id] == nil || !now.runs[id].raw[l.raw] {
				return fmt.Errorf("an acknowledged event is missing: %s", l.raw)
			}
		}
		if err := now.runs[id].checkNumbers(run); err != nil {
			return err
		}
	}
	said, err := readReported(r)
	if err != nil {
		return err
	}
	if err := compare(said, now); err != nil {
		return err
	}
	if err := now.checkOrder(r); err != nil {
		return err
	}
	have := files(r)
	for path, text := range w.files {
		if have[path] != text && (s.mayChange == nil || !s.mayChange(path)) {
			return fmt.Errorf("file %s is not as the user left it", path)
		}
	}
	if err := w.checkWorktrees(r); err != nil {
		return err
	}
	for _, tree := range worktrees(r) {
		if left := temporary(r, tree); len(left) > 0 {
			return fmt.Errorf("files that are nobody's lie in a worktree: %v", left)
		}
	}
	if out, code := r.Try("git", "fsck", "--full", "--strict", "--no-dangling"); code != 0 || strings.TrimSpace(out) != "" {
		return &fsckError{strings.TrimSpace(out)}
	}
	return nil
}

// checkWorktrees checks that no worktree has a HEAD that is newer than its index. Each file from before the kill must be unchanged on disk,
// or its content must be reachable from a ref.
func (w witness) checkWorktrees(r *gittest.Repo) error {
	r.T.Helper()
	reach := ""
	for tree, old := range w.trees {
		have := map[string]string{}
		if _, err := os.Lstat(filepath.Join(tree, ".git")); err == nil {
			have = files(r.In(tree))
			if back := revertedFiles(r.In(tree), w.tracked[tree]); len(back) > 0 {
				return fmt.Errorf("HEAD is ahead of the index of %s in %v", tree, back)
			}
		}
		if tree == r.Dir {
			continue // another check compares the files of this worktree
		}
		for path, text := range old {
			if have[path] == text {
				continue
			}
			if reach == "" {
				reach = r.Git("rev-list", "--objects", "--all")
			}
			if !strings.Contains(reach, blobOf(text, len(r.Git("rev-parse", "HEAD")) == 64)) {
				return fmt.Errorf("file %s of %s is neither there nor in any commit", path, tree)
			}
		}
	}
	return nil
}

type fsckError struct{ text string }

func (e *fsckError) Error() string { return "git fsck: " + e.text }

// halfMade reports whether git fsck complains only about incomplete worktrees.
// Git leaves such a worktree if it is killed in "git worktree add", and repeating the command removes it.
func halfMade(err error) bool {
	var fsck *fsckError
	if !errors.As(err, &fsck) {
		return false
	}
	for l := range strings.Lines(fsck.text) {
		if !ofHalfMade.MatchString(l) {
			return false
		}
	}
	return true
}

// ofHalfMade matches messages of git fsck about worktrees that the program created.
var ofHalfMade = regexp.MustCompile(`^(error: (invalid )?|fatal: failed to read \.git/)worktrees/(` + job1 + `-|auto-claude/)`)

// readers are commands that only read. Every trial runs status and one of these.
var readers = [][]string{{"log"}, {"review"}, {"-n"}, {"status", "--check"}}

// documented lists the exit codes that these checks allow.
var documented = []int{0, 1, 10, 11, 12, 13, 14, 15, 128}

// readsOnly checks that commands that only read change no file of the repository.
func readsOnly(r *gittest.Repo, which int, tell func() error) error {
	r.T.Helper()
	before := traces(r)
	if err := tell(); err != nil {
		return err
	}
	// Any answer is allowed, as long as the program does not crash and its exit code is documented.
	if out, code := r.Resume(readers[which%len(readers)]...); strings.Contains(out, "goroutine ") || !slices.Contains(documented, code) {
		return fmt.Errorf("%v: exit code %d\n%s", readers[which%len(readers)], code, out)
	}
	if what := differs(before, traces(r)); what != "" {
		return fmt.Errorf("a command that reads (status or %v) changed %s", readers[which%len(readers)], what)
	}
	return nil
}

// traces maps each file of a repository to its size, mode and time, so that a rewritten file is noticed.
// It leaves out the time of objects, because git updates the time of an existing object instead of writing it again.
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

// checkNothingToDo runs 'git resume' twice after a recovery. The second call must not change any file outside of .git/resume.
func checkNothingToDo(r *gittest.Repo) error {
	r.T.Helper()
	r.Resume() // the first call may still have something to do, for example take over a run
	before := traces(r)
	said, code := r.Resume()
	if strings.Contains(said, "goroutine ") || !slices.Contains(documented, code) {
		return fmt.Errorf("a second 'git resume': exit code %d\n%s", code, said)
	}
	after := traces(r)
	for _, side := range []map[string]string{before, after} {
		maps.DeleteFunc(side, func(path, _ string) bool { return strings.Contains(path, "/.git/resume/") }) // leave out our locks and caches
	}
	if what := differs(before, after); what != "" {
		return fmt.Errorf("a second 'git resume' changed %s\n%s", what, said)
	}
	return nil
}

// commonDir returns the git folder that all worktrees share. If it can, it reads git's files instead of asking git, because it is called
// very often.
func commonDir(r *gittest.Repo) string {
	r.T.Helper()
	dir := filepath.Join(r.Dir, ".git")
	if text, err := os.ReadFile(dir); err == nil {
		dir = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: "))
		common, _ := os.ReadFile(filepath.Join(dir, "commondir"))
		dir = filepath.Join(dir, strings.TrimSpace(string(common)))
	}
	if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil && filepath.IsAbs(dir) {
		if dir, err := filepath.EvalSymlinks(dir); err == nil {
			return dir
		}
	}
	return r.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
}

func tidied(r *gittest.Repo) error {
	r.T.Helper()
	if left := litter(r); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	return nil
}

// unfinished matches temporary files that the program renames when they are complete. Their names contain its process id.
var unfinished = regexp.MustCompile(`\.tmp\d+(-\d+)?$`)

// temporary lists unfinished files of the program outside its own folder.
func temporary(r *gittest.Repo, dir string) (out []string) {
	r.T.Helper()
	own := filepath.Join(commonDir(r), "resume") + "/"
	walk(r.T, dir, func(path string, _ os.FileInfo) {
		if unfinished.MatchString(path) && !strings.HasPrefix(path, own) {
			out = append(out, path)
		}
	})
	return out
}

// isStash reports whether a file is the index of a stash while git makes it.
func isStash(name string) bool { return strings.HasPrefix(name, "index.stash.") }

// litter lists files that a recovery should have removed, such as lock files, temporary indexes and incomplete worktrees.
func litter(r *gittest.Repo) []string {
	r.T.Helper()
	out := locks(r)
	dir := commonDir(r)
	walk(r.T, dir, func(path string, _ os.FileInfo) {
		rel := strings.TrimPrefix(path, dir+"/")
		name := filepath.Base(path)
		if strings.HasPrefix(rel, "objects/") || strings.HasPrefix(rel, "resume/trash/") {
			return // skip git's temporary objects, which git removes itself, and the trash, which holds files on purpose
		}
		// "git merge" keeps index.stash.PID while it saves uncommitted files, and leaves it after a kill. It is in nobody's way.
		if strings.Contains(name, "index") && name != "index" && !strings.HasPrefix(name, "sharedindex.") && !isStash(name) || strings.HasSuffix(name, ".tmp") {
			out = append(out, rel)
		}
	})
	for _, place := range append(worktrees(r), dir) {
		out = append(out, temporary(r, place)...)
	}
	walk(r.T, tempOf(r), func(path string, _ os.FileInfo) {
		out = append(out, path)
	})
	var known []string
	for block := range strings.SplitSeq(r.Git("worktree", "list", "--porcelain"), "\n\n") {
		first, _, _ := strings.Cut(block, "\n")
		known = append(known, strings.TrimPrefix(first, "worktree "))
		if strings.Contains(block, "\nlocked initializing") || strings.Contains(block, "\nprunable") {
			out = append(out, strings.ReplaceAll(block, "\n", " "))
		}
	}
	// "git worktree list" does not show everything. Find registrations without a worktree, and worktrees without a registration.
	if said, _ := r.Try("git", "worktree", "prune", "--dry-run", "--verbose"); strings.TrimSpace(said) != "" {
		out = append(out, strings.TrimSpace(said))
	}
	found, _ := filepath.Glob(filepath.Dir(dir) + ".worktrees/*")
	for _, tree := range found {
		if !slices.Contains(known, tree) && !strings.HasPrefix(filepath.Base(tree), ".trash-") {
			out = append(out, tree)
		}
	}
	if said, _ := r.Try("git", "for-each-ref", "--format="); strings.TrimSpace(said) != "" {
		out = append(out, strings.TrimSpace(said))
	}
	return out
}

// worktrees returns the registered worktrees that exist. It reads git's files itself, because git fails if it finds an incomplete
// worktree.
func worktrees(r *gittest.Repo) []string {
	r.T.Helper()
	common := commonDir(r)
	all := []string{filepath.Dir(common)}
	notes, _ := filepath.Glob(filepath.Join(common, "worktrees", "*", "gitdir"))
	for _, note := range notes {
		text, err := os.ReadFile(note)
		path := strings.TrimSuffix(string(text), "\n")
		if err != nil || path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(note), path)
		}
		all = append(all, filepath.Dir(path))
	}
	return slices.DeleteFunc(all, func(tree string) bool {
		_, err := os.Stat(filepath.Join(tree, ".git"))
		return err != nil
	})
}

// checkOrder checks that the journal lines of a run have different numbers. Each commit in these lines must exist, or be stored by a
// discard. It also calls checkRestarts and checkOwners.
func (f facts) checkOrder(r *gittest.Repo) error {
	r.T.Helper()
	var named []string
	for id, run := range f.runs {
		ids, seqs := map[string]bool{}, map[string]bool{}
		for _, l := range run.lines {
			if ids[l.ID] || seqs[l.Seq] {
				return fmt.Errorf("two lines of %s have one number: %s", id, l.raw)
			}
			ids[l.ID], seqs[l.Seq] = true, true
			if l.Commit != "" && !(run.closed == "discarded" && keptAsBytes(r, id, l.Commit)) {
				named = append(named, l.Commit)
			}
		}
		if err := errors.Join(checkRestarts(run), checkOwners(run)); err != nil {
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

// keptAsBytes reports whether the discarded run still stores the commit. A discard stores a commit as a file if only the run's branch
// contains that commit.
func keptAsBytes(r *gittest.Repo, run, commit string) bool {
	r.T.Helper()
	list, code := r.Try("git", "ls-tree", "-r", "--name-only", "refs/resume/discarded/"+run)
	return code == 0 && strings.Contains(list, "commits/"+commit+"\n")
}

// checkNumbers checks that new journal lines have higher sequence numbers than earlier lines.
func (f *runFacts) checkNumbers(old *runFacts) error {
	if len(old.lines) == 0 {
		return nil
	}
	last := old.lines[len(old.lines)-1]
	for _, l := range f.lines {
		if !old.raw[l.raw] && l.Seq <= last.Seq {
			return fmt.Errorf("%s was written after %s, and is before it", l.raw, last.raw)
		}
	}
	return nil
}

// checkOwners checks the journal lines of a run. Each owner must have a higher epoch than the owner before it, and an earlier owner must
// not write any more lines.
func checkOwners(run *runFacts) error {
	epoch, owner := 0, ""
	before := map[string]bool{}
	for _, l := range run.lines {
		who, _, _ := strings.Cut(l.ID, ".")
		if l.Event == "run.claimed" {
			if l.Epoch <= epoch {
				return fmt.Errorf("claim %d follows claim %d", l.Epoch, epoch)
			}
			before[owner] = true
			epoch, owner = l.Epoch, who
		}
		if before[who] && who != owner {
			return fmt.Errorf("an owner wrote after the run was taken over: %s", l.raw)
		}
	}
	return nil
}

// checkRestarts checks that a task recorded as done starts again only after a reset, or with a recorded reason.
func checkRestarts(run *runFacts) error {
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
