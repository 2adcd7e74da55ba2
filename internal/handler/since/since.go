package since

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
)

// Looker finds what happened since a person last looked.
type Looker struct {
	*site.Site
	Find *candidate.Finder
}

// Report says what happened in a period of time.
type Report struct {
	// Last is true if the period begins when this person last looked. The field Since is the beginning of the period; zero if the person
	// never looked.
	Last  bool
	Since time.Time
	// Runs lists the runs to which something happened. Quiet counts the other runs.
	Runs  []News
	Quiet int
	seen  files.Looked
}

// Request says what to look at.
type Request struct {
	// Run is the run to look at; empty for all runs.
	Run string
	// Since is the beginning of the period. If it is zero, the period begins when this person last looked.
	Since time.Time
}

// Look finds what happened. It writes nothing; after the report was shown, Seen records that the person has seen it.
func (e *Looker) Look(ctx context.Context, req Request) (*Report, error) {
	last := e.Store.Folder().LastLook(clone.ID(e.Repo))
	out := &Report{Last: req.Since.IsZero(), Since: req.Since, seen: last}
	now := e.Now()
	all, err := e.chosen(ctx, req.Run)
	if err != nil {
		return nil, err
	}
	out.seen = nextLook(last, clone.ID(e.Repo), now, req.Run == "")
	if out.Last {
		out.Since = last.At
		if req.Run != "" && len(all) == 1 {
			out.Since = last.Runs[all[0].Run.ID].At
		}
	}
	for i := range all {
		news, err := e.newsOf(ctx, &all[i], last, req.Since)
		if err != nil {
			return nil, err
		}
		if all[i].Key().Kind() == candidate.OwnRun {
			out.seen.Runs[all[i].Run.ID] = files.LookedAt{At: now, Seq: news.top, Tip: news.tip}
		}
		if news.Empty() {
			out.Quiet++
			continue
		}
		out.Runs = append(out.Runs, news)
	}
	return out, nil
}

// nextLook prepares the record of what the person sees now, to which Look adds each run that it examines. If the person asked about one run
// only, "whole" is false, and the earlier records of the other runs are kept.
func nextLook(last files.Looked, clone string, now time.Time, whole bool) files.Looked {
	next := files.Looked{Clone: clone, At: last.At, Runs: map[checkpoint.RunID]files.LookedAt{}}
	if whole {
		next.At = now
		return next
	}
	for id, at := range last.Runs {
		next.Runs[id] = at
	}
	return next
}

// chosen returns the summaries of the runs to look at.
func (e *Looker) chosen(ctx context.Context, run string) ([]candidate.Summary, error) {
	if run == "" {
		return candidate.Merges{Find: e.Find}.All(ctx)
	}
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	s, err := e.Find.Lookup(ctx, candidate.RunKey(id))
	s.AddMerge(ctx, e.Site)
	return []candidate.Summary{s}, err
}

// Seen records that a person has seen a report. It records nothing if a coding agent called the program. It also records nothing if the
// user chose the time at which the report begins.
func (e *Looker) Seen(r *Report) error {
	if !r.Last || e.Agent != "" {
		return nil
	}
	return e.Store.Folder().KeepLook(r.seen)
}

// OfRun returns what happened to one run since the person last looked, and when that was. It returns false if the person never looked, if
// the run belongs to another system, or if reading fails.
func (e *Looker) OfRun(ctx context.Context, m *candidate.Summary) (News, time.Time, bool) {
	last := e.Store.Folder().LastLook(clone.ID(e.Repo))
	at, ok := last.Runs[m.Run.ID]
	if !ok && last.At.IsZero() || m.Key().Kind() != candidate.OwnRun {
		return News{}, time.Time{}, false
	}
	if !ok {
		at.At = last.At
	}
	news, err := e.newsOf(ctx, m, last, time.Time{})
	return news, at.At, err == nil
}

// newsOf finds what happened to one run. The period begins at the argument "since", or at what the person last saw if that argument is
// zero.
func (e *Looker) newsOf(ctx context.Context, m *candidate.Summary, last files.Looked, since time.Time) (News, error) {
	news := News{Summary: *m}
	if m.Key().Kind() != candidate.OwnRun {
		from := since
		if from.IsZero() {
			from = last.At
		}
		news.Activity = m.Run.LastAt.After(from)
		return news, nil
	}
	if news.Damaged = m.Damaged != ""; news.Damaged && m.Found == nil { // if m.Found is set, the journal can be read
		return news, nil
	}
	seen := last.Runs[m.Run.ID]
	lines, err := e.Store.Lines(ctx, m.Run.ID)
	if err != nil {
		return news, err
	}
	isNew := func(l checkpoint.Line, seq int64) bool {
		if !since.IsZero() {
			return !l.Event.At.Before(since)
		}
		// Our own lines have increasing numbers. A line from elsewhere may have any number, so it also counts as new if its time is later.
		return seq > seen.Seq || !l.Ours && l.Event.At.After(seen.At)
	}
	news.collect(checkpoint.Sorted(lines), isNew)
	return news, e.commits(ctx, &news, seen, since)
}

// commits finds the commits that came to the run's branch. Commits that were merged in from the base do not count.
func (e *Looker) commits(ctx context.Context, news *News, seen files.LookedAt, since time.Time) error {
	r := &news.Summary.Run
	if !r.HasOwnBranch() && r.Branch == "" {
		return nil
	}
	tip, err := e.Store.History().BranchTip(ctx, r)
	if news.tip = tip; err != nil || tip == "" {
		news.tip = seen.Tip // keep the commit that was seen last: the branch was removed, for example after its merge, or could not be read
		return err
	}
	if since.IsZero() && tip == seen.Tip {
		return nil
	}
	args := []string{"rev-list", "--timestamp", "--ignore-missing", "--max-count=1000", string(tip), "^" + string(e.forkPoint(ctx, r, tip))}
	if since.IsZero() && seen.Tip != "" {
		args = append(args, "^"+string(seen.Tip))
	}
	text, err := e.Repo.Line(ctx, args...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		at, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(at, 10, 64); err != nil || !object.IsID(id) || !since.IsZero() && n < since.Unix() {
			continue
		}
		news.Count++
		if len(news.Commits) < MaxCommits {
			if c, err := e.Repo.Objects.Commit(ctx, id); err == nil {
				news.Commits = append(news.Commits, c)
			}
		}
	}
	slices.Reverse(news.Commits)
	return nil
}

// forkPoint returns the newest common commit of the run and its base. It returns the commit at which the run started if there are
// several such commits, or if the base contains the whole run.
func (e *Looker) forkPoint(ctx context.Context, r *checkpoint.Run, tip object.ID) object.ID {
	bases, err := past.MergeBases(ctx, e.Repo, e.BaseTip(ctx, r), tip)
	if err != nil || len(bases) != 1 || bases[0] == tip {
		return r.Base.Commit
	}
	return bases[0]
}
