package reporting

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
)

// commitDone finds or makes the commit of a finished task. The task may have none, for example if nothing was changed.
func (d *taskReport) commitDone(ctx context.Context) error {
	changes, err := d.Repo.Status(ctx)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(changes, func(c gitstate.Change) bool { return c.Unmerged }); i >= 0 {
		return &candidate.TextError{What: fmt.Sprintf("'%s'", changes[i].Path), Why: "has conflicts that are not resolved"}
	}
	r := &d.j.Run
	t := r.Task(d.task)
	if t != nil && t.Found && len(d.q.Paths) == 0 {
		return d.useCommit(ctx, t.Commit, changes) // an earlier report was killed after its commit, so only record the commit
	}
	made, err := d.findCommitSinceStart(ctx, t)
	if err != nil {
		return err
	}
	if made.Commit != "" && !made.Partial {
		return d.useCommit(ctx, made.Commit, changes)
	}
	q := d.commitRequest(ctx, t)
	var own []string
	if own, d.others, err = d.madeSinceStart(ctx, t); err != nil {
		return err
	}
	stagedBefore := slices.ContainsFunc(changes, func(c gitstate.Change) bool { return c.Staged() && slices.Contains(d.others, c.Path) })
	switch {
	case len(d.q.Paths) > 0:
		q.Stage, q.Paths, q.Dir = stageForPaths(changes), d.q.Paths, d.reporter.folderOfNames()
	case slices.ContainsFunc(changes, gitstate.Change.Staged) && !stagedBefore:
		q.Stage = commit.Staged
	case !r.Here:
		q.Stage = commit.Everything
	case made.Commit != "":
		return d.useCommit(ctx, made.Commit, changes)
	case len(own) > 0:
		q.Stage, q.Paths = commit.Exactly, own
	default:
		d.left = len(changes)
		return nil
	}
	if err := d.saveStaged(ctx, q, changes); err != nil {
		return err
	}
	if d.commit, err = commit.Make(ctx, d.Repo, q); err != nil {
		return err
	}
	if d.commit.Empty && made.Commit != "" {
		return d.useCommit(ctx, made.Commit, changes)
	}
	if d.commit.Empty && t != nil && t.Found {
		return d.useCommit(ctx, t.Commit, changes) // an earlier report was killed after it had committed all paths that this report names
	}
	return d.recordNewCommit(ctx, q, changes)
}

// findCommitSinceStart finds a commit that was made for the task since it started; empty if there is none. It does not search if the
// report names paths, because these paths need a commit of their own.
func (d *taskReport) findCommitSinceStart(ctx context.Context, t *checkpoint.Task) (evidence.Made, error) {
	if t == nil || t.State != checkpoint.Active || t.FromHead == "" || t.FromHead == d.head || len(d.q.Paths) > 0 {
		return evidence.Made{}, nil
	}
	return d.Store.History().MadeSince(ctx, d.j.Run.ID, t, d.head)
}

// madeSinceStart lists the uncommitted files of the user's own worktree: those that were changed since the task started, and the others.
// Without a recorded start, it lists none, because nothing tells the task's files from others.
func (d *taskReport) madeSinceStart(ctx context.Context, t *checkpoint.Task) (made, others []string, err error) {
	if !d.j.Run.Here || t == nil || t.State != checkpoint.Active || !execution.StartKnown(t) {
		return nil, nil, nil
	}
	return execution.OwnChanges(ctx, d.Repo, t.Onto, t.ByHand)
}

// stageForPaths chooses how to commit named paths. If any changes are staged, it chooses NamedOnly, which keeps other staged changes out of
// the commit.
func stageForPaths(changes []gitstate.Change) commit.Stage {
	if slices.ContainsFunc(changes, gitstate.Change.Staged) {
		return commit.NamedOnly
	}
	return commit.Named
}

// saveStaged takes a snapshot if the commit would replace staged content by the content of the file. Without the snapshot, the staged
// content would be lost.
func (d *taskReport) saveStaged(ctx context.Context, q commit.Request, changes []gitstate.Change) error {
	if q.Stage == commit.Staged {
		return nil
	}
	all := q.Stage == commit.Everything || slices.ContainsFunc(q.Paths, isPattern)
	for _, c := range changes {
		taken := all || slices.ContainsFunc(q.Paths, func(p string) bool { return isInside(c.Path, d.reporter.FromTop(p)) })
		if taken && c.Staged() && c.Tree != '.' {
			d.staged = append(d.staged, c.Path)
		}
	}
	if len(d.staged) == 0 {
		return nil
	}
	var err error
	d.stagedIn, err = d.reporter.Staging.Snapshot(ctx, d.Repo, d.j.Run.ID, "staged content that the commit would replace")
	return err
}

// recordNewCommit stores the commit that was just made, if there is one. It also stores the number of changes that are still uncommitted.
func (d *taskReport) recordNewCommit(ctx context.Context, q commit.Request, changes []gitstate.Change) error {
	if d.commit.Empty {
		d.commit.ID = ""
		d.left = len(changes)
		return nil
	}
	d.made, d.head, d.patch = true, d.commit.ID, d.commit.Patch
	if q.Stage == commit.Exactly {
		d.left = len(slices.DeleteFunc(changes, func(c gitstate.Change) bool { return slices.Contains(q.Paths, c.Path) }))
		return nil
	}
	if slices.ContainsFunc(q.Paths, isPattern) {
		// Ask git for the status, because only git can find out which files a pattern matches.
		left, err := d.Repo.Status(ctx)
		d.left = len(left)
		return err
	}
	for _, c := range changes {
		switch q.Stage {
		case commit.Staged:
			if c.Tree != '.' {
				d.left++
			}
		case commit.Named, commit.NamedOnly:
			if !slices.ContainsFunc(q.Paths, func(p string) bool { return isInside(c.Path, d.reporter.FromTop(p)) }) {
				d.left++
			}
		}
	}
	return nil
}

// folderOfNames returns the folder to which the named paths are relative: the caller's current folder. It returns "" if that folder is
// not inside the worktree.
func (e *Reporter) folderOfNames() string {
	dir, err := filepath.EvalSymlinks(e.Dir)
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(e.Repo.WorkTree, dir); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return dir
}

// FromTop converts a path that the user gave to a path relative to the top of the worktree, as git lists it.
func (e *Reporter) FromTop(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(e.folderOfNames(), e.Repo.WorkTree), path)
	}
	rel, err := filepath.Rel(e.Repo.WorkTree, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// isPattern reports whether git may read a path as a pattern.
func isPattern(path string) bool {
	return strings.HasPrefix(path, ":") || strings.ContainsAny(path, "*?[")
}

// isInside reports whether a path is the named path or is inside it.
func isInside(path, named string) bool {
	return named == "." || path == named || strings.HasPrefix(path, named+"/")
}

// useCommit makes an existing commit the task's commit.
func (d *taskReport) useCommit(ctx context.Context, id object.ID, changes []gitstate.Change) error {
	c, err := d.Repo.Objects.Commit(ctx, string(id))
	if err != nil {
		return err
	}
	d.commit = commit.Result{ID: c.ID, Tree: c.Tree}
	d.left = len(changes)
	if len(c.Parents) == 1 {
		d.patch, err = past.PatchID(ctx, d.Repo, string(c.Parents[0]), string(c.ID))
	}
	return err
}

func (d *taskReport) commitRequest(ctx context.Context, t *checkpoint.Task) commit.Request {
	subject := d.q.Message
	if subject == "" && t != nil {
		subject = t.Title
	}
	if subject == "" {
		subject = d.q.Title
	}
	if subject == "" {
		subject = string(d.task)
	}
	head, body, _ := strings.Cut(subject, "\n")
	q := commit.Request{
		Run: d.j.Run.ID, Task: d.task, Subject: head, Body: strings.TrimSpace(body),
		NoVerify: d.q.NoVerify, SignWithin: commit.SignWithin,
	}
	if c, err := d.Repo.Settings.Config(ctx); err == nil {
		q.NoTrailers = !c.Bool("resume.trailers", true)
	}
	return q
}
