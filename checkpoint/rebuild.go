package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
)

// The trailers of a run's commits.
const (
	TrailerRun   = "Resume-Run"
	TrailerTask  = "Resume-Task"
	TrailerState = "Resume-State"
)

// Partial is the value of TrailerState on a commit that does not finish its task.
const Partial = "partial"

// Evidence is a commit that names a run and a task.
type Evidence struct {
	Commit  gitstate.Commit
	Run     RunID
	Task    TaskID
	Partial bool
}

// maxHistory bounds every look through commits: no command reads a whole history.
const maxHistory = 20_000

// Trailed lists the commits of a range that carry the trailers of a run, oldest first.
// A squash leaves several blocks in one message; each task that is named counts.
func (s *Store) Trailed(ctx context.Context, id RunID, revs ...string) ([]Evidence, error) {
	key := strings.Join(revs, " ")
	if s.looked == nil {
		s.looked = map[string][]gitstate.Commit{}
	}
	commits, asked := s.looked[key]
	word := string(id)
	if asked && commits == nil {
		word = "" // the same range again, for another run: now for all of them at once
	}
	if commits == nil {
		var err error
		if commits, err = s.search(ctx, TrailerRun+": "+word, revs); err != nil {
			return nil, fmt.Errorf("look for commits of %s: %w", id, err)
		}
		if s.looked[key] = nil; word == "" {
			s.looked[key] = append(make([]gitstate.Commit, 0), commits...)
		}
	}
	var found []Evidence
	for _, c := range commits {
		found = append(found, evidenceOf(c, id)...)
	}
	return found, nil
}

// search lists commits whose message has a text, oldest first.
func (s *Store) search(ctx context.Context, text string, revs []string) ([]gitstate.Commit, error) {
	args := []string{"log", "--no-show-signature", "--no-color", "--encoding=UTF-8", "-z", "--format=raw", "--fixed-strings", "--grep=" + text}
	call := gitstate.Call{Args: append(append(append(args, "--reverse", fmt.Sprintf("--max-count=%d", maxHistory)), revs...), "--")}
	if !slices.ContainsFunc(revs, func(rev string) bool { return strings.HasPrefix(rev, "^") }) {
		// Nothing ends the range, and to count what is found does not bound what is read.
		list, err := s.Repo.Git(ctx, gitstate.Call{Args: append(append([]string{"rev-list", fmt.Sprintf("--max-count=%d", maxHistory), "--reverse"}, revs...), "--")})
		if err != nil || len(list) == 0 {
			return nil, err
		}
		call = gitstate.Call{Args: append(args, "--no-walk=unsorted", "--stdin"), Stdin: bytes.NewReader(list)}
	}
	out, err := s.Repo.Git(ctx, call)
	if err != nil {
		return nil, err
	}
	var found []gitstate.Commit
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if c, ok := parseRaw(rec); ok {
			found = append(found, c)
		}
	}
	return found, nil
}

// parseRaw reads one record of "git log --format=raw": headers, then the message indented by four.
func parseRaw(rec string) (gitstate.Commit, bool) {
	var c gitstate.Commit
	head, body, _ := strings.Cut(rec, "\n\n")
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch key {
		case "commit":
			c.ID = gitstate.OID(value)
		case "tree":
			c.Tree = gitstate.OID(value)
		case "parent":
			c.Parents = append(c.Parents, gitstate.OID(value))
		case "author":
			c.Author.Name, _, _ = strings.Cut(value, " <")
		case "committer":
			c.Committer.When = committed(value)
		}
	}
	var msg strings.Builder
	for line := range strings.Lines(body) {
		msg.WriteString(strings.TrimPrefix(line, "    "))
	}
	c.Message = msg.String()
	return c, c.ID != ""
}

func committed(value string) time.Time {
	_, rest, _ := strings.Cut(value, "> ")
	var sec int64
	_, _ = fmt.Sscanf(rest, "%d", &sec) // zero if it is not there
	return time.Unix(sec, 0).UTC()
}

func evidenceOf(c gitstate.Commit, id RunID) []Evidence {
	var out []Evidence
	for _, block := range paragraphs(c.Message) {
		e := Evidence{Commit: c}
		for _, t := range gitstate.Trailers("subject\n\n" + block) {
			switch {
			case strings.EqualFold(t.Key, TrailerRun):
				e.Run = RunID(t.Value)
			case strings.EqualFold(t.Key, TrailerTask):
				e.Task = TaskID(t.Value)
			case strings.EqualFold(t.Key, TrailerState):
				e.Partial = t.Value == Partial
			}
		}
		if e.Run == id {
			out = append(out, e)
		}
	}
	return out
}

func paragraphs(message string) []string {
	return strings.Split(strings.ReplaceAll(message, "\r\n", "\n"), "\n\n")
}

// Landed lists commits that finished a task although the journal does not say so:
// the process died between the commit and the record.
// It costs nothing while the branch stands where the last event saw it.
func (s *Store) Landed(ctx context.Context, r *Run) ([]Evidence, error) {
	tip, err := s.BranchTip(ctx, r)
	if err != nil || tip == "" || tip == r.Head {
		return nil, err
	}
	revs := []string{string(tip)}
	if r.Head != "" {
		if _, err := s.Repo.Objects.Commit(ctx, string(r.Head)); err == nil {
			revs = append(revs, "^"+string(r.Head))
		}
	}
	all, err := s.Trailed(ctx, r.ID, revs...)
	if err != nil {
		return nil, err
	}
	var out []Evidence
	for _, e := range all {
		t := r.Task(e.Task)
		if e.Partial || e.Task == "" || t != nil && (t.State == Done || s.wasReset(ctx, t, e.Commit)) {
			continue
		}
		out = append(out, e)
	}
	return out, nil
}

// wasReset reports whether a commit is, rewritten, the very result that a reset undid.
func (s *Store) wasReset(ctx context.Context, t *Task, c gitstate.Commit) bool {
	if len(t.Undone) == 0 || len(c.Parents) != 1 {
		return false
	}
	patch, err := s.Repo.PatchID(ctx, string(c.Parents[0]), string(c.ID))
	return slices.Contains(t.Undone, string(c.Tree)) || err == nil && patch != "" && slices.Contains(t.Undone, patch)
}

// BranchTip is where the run's branch stands now; for a detached run, the worktree's HEAD.
func (s *Store) BranchTip(ctx context.Context, r *Run) (gitstate.OID, error) {
	if r.Branch != "" {
		return s.Repo.Refs.Ref(ctx, r.Branch)
	}
	_, at, err := s.Repo.Refs.Head(ctx)
	return at, err
}

// Include folds commits that landed unrecorded into the state, marked as found.
func (r *Run) Include(landed []Evidence) {
	for _, e := range landed {
		t := r.Task(e.Task)
		if t == nil {
			t = r.add(Task{ID: e.Task, State: Pending})
		}
		t.State, t.Commit, t.Tree, t.Found, t.Ended = Done, e.Commit.ID, e.Commit.Tree, true, e.Commit.Committer.When
		r.LastAt = later(r.LastAt, e.Commit.Committer.When)
	}
}

// Rebuild gives what the trailers on a branch tell of a run that has no journal here.
// It is marked as rebuilt: tasks that made no commit, and the plan itself, are not in it.
func (s *Store) Rebuild(ctx context.Context, id RunID, branch string) (*Run, error) {
	rev := branch
	if at, err := s.Repo.Refs.Ref(ctx, branch); err == nil && at != "" {
		rev = string(at)
	}
	found, err := s.Trailed(ctx, id, rev)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &NoRunError{id}
	}
	first := found[0].Commit
	r := &Run{ID: id, Name: strings.TrimSuffix(string(id), "-"+id.Suffix()), Rebuilt: true, Lack: LackJournal, Started: first.Committer.When}
	if strings.HasPrefix(branch, "refs/heads/") {
		r.Branch = branch
	}
	if len(first.Parents) > 0 {
		r.Base.Commit = first.Parents[0]
	}
	for _, e := range found {
		if e.Task == "" { // the base was taken in: that is no task's result
			continue
		}
		if e.Partial {
			if r.Task(e.Task) == nil {
				r.add(Task{ID: e.Task, State: Active, Commit: e.Commit.ID, Found: true})
			}
			continue
		}
		r.Include([]Evidence{e})
	}
	last := found[len(found)-1].Commit
	r.Head, r.LastAt = last.ID, last.Committer.When
	return r, nil
}

// Find is Load with everything that can be said of a run: unrecorded commits included,
// and rebuilt from trailers where the journal is missing or cannot be read.
func (s *Store) Find(ctx context.Context, id RunID) (*Journal, error) {
	j, err := s.Load(ctx, id)
	if err != nil {
		return s.findByTrailers(ctx, id, err)
	}
	landed, err := s.Landed(ctx, &j.Run)
	if err != nil {
		return nil, err
	}
	j.Run.Include(landed)
	return j, nil
}

func (s *Store) findByTrailers(ctx context.Context, id RunID, cause error) (*Journal, error) {
	branches := []string{branchPrefix + string(id)}
	if o := s.readOpen(id); o.Branch != "" {
		branches = append(branches, o.Branch)
	}
	for _, b := range append(branches, "HEAD") {
		at, err := s.Repo.Refs.Ref(ctx, b)
		if err != nil || at == "" {
			continue
		}
		if r, err := s.Rebuild(ctx, id, b); err == nil {
			j := &Journal{Run: *r}
			if none := new(NoRunError); !errors.As(cause, &none) {
				j.Damage = cause
			}
			return j, nil
		}
	}
	return nil, cause
}
