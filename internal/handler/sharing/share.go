package sharing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Sharer sends runs to remotes and gets them from there.
type Sharer struct {
	*site.Site
	Find     *candidate.Finder
	Tasks    *tasks.Tasks
	Staging  *staging.Stager
	Exchange *exchange.Exchanger
}

// PushRequest says which run is sent where.
type PushRequest struct {
	Run string
	// The field To is the remote that the user named, or empty.
	To string
	// Rebind binds the run to the named remote although it is bound to another one. Restore puts back what the remote has lost.
	Rebind, Restore bool
	// DryRun means that nothing is sent, and that only the preview is made.
	DryRun bool
	// Wip is true if the uncommitted work of the run is to be sent too.
	Wip bool
}

// Pushed is the result of a push.
type Pushed struct {
	*exchange.Exchange
	// Packed is the uncommitted work that was sent, or nil.
	Packed *Packed
}

// Preview is what everybody who can read a remote would see of a run.
type Preview struct {
	Run    checkpoint.Run
	Remote string
	// Lines is how many lines the record has, and Texts how many of them have a text, such as a question or a reason. Hosts lists the
	// machines that the record names.
	Lines, Texts int
	Hosts        []string
	Commits      int
	// Packed is the uncommitted work that would be sent, or nil.
	Packed *Packed
}

// FirstError says that a run is not shared yet, and that the user named no remote with --to. Preview shows what readers of the remote would
// see.
type FirstError struct{ Preview *Preview }

func (e *FirstError) Error() string {
	return fmt.Sprintf("run '%s' is not shared yet", e.Preview.Run.ID)
}

// Push sends a run of ours to the remote that it is bound to. A run that is not bound yet is bound to the remote that the user named; if
// the user named none, Push returns *FirstError. With q.DryRun, Push only makes the preview.
func (e *Sharer) Push(ctx context.Context, q PushRequest) (*Pushed, *Preview, error) {
	id, err := e.Find.Resolve(ctx, q.Run)
	if err != nil {
		return nil, nil, err
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if err := site.MustOwn(&j.Run); err != nil {
		return nil, nil, err
	}
	name, err := e.remoteFor(ctx, &j.Run, q.To)
	if err != nil {
		return nil, nil, err
	}
	var packed *Packed
	if q.Wip {
		if packed, err = e.Pack(ctx, &j.Run, q.DryRun); err != nil {
			return nil, nil, err
		}
	}
	first := !j.Run.Share.Bound() || q.Rebind
	if first && q.To == "" || q.DryRun {
		p, err := e.preview(ctx, &j.Run, name)
		if p != nil {
			p.Packed = packed
		}
		if err == nil && !q.DryRun {
			err = &FirstError{p}
		}
		return nil, p, err
	}
	e.Exchange.Restore = q.Restore
	x, err := e.Exchange.Send(ctx, exchange.SendRequest{Run: id, Remote: name, Share: q.To != "", Rebind: q.Rebind, Release: j.Run.Lent == nil, Wip: packed.toSend()})
	if err != nil {
		var gone *exchange.UnreachableError
		if errors.As(err, &gone) {
			gone.Again = q.To != "" || packed != nil
		}
		return nil, nil, err
	}
	return &Pushed{x, packed}, nil, packed.mustBeAt(x)
}

// remoteFor returns the remote for a run. It is the remote that the user named, otherwise the one that the run is bound to, otherwise the
// one in the setting, "origin" or the only remote.
func (e *Sharer) remoteFor(ctx context.Context, r *checkpoint.Run, given string) (string, error) {
	if given != "" || r == nil || !r.Share.Bound() {
		return e.named(ctx, given)
	}
	name, err := e.Exchange.Bound(ctx, r)
	if err == nil && name == "" {
		err = &exchange.BoundError{Run: r.ID}
	}
	return name, err
}

// named returns the remote that the user named, otherwise the one in the setting, "origin" or the only remote. It returns *NoRemoteError if
// there is no such remote.
func (e *Sharer) named(ctx context.Context, given string) (string, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return "", err
	}
	known, err := remote.Names(ctx, e.Repo.Program)
	if err != nil {
		return "", err
	}
	set, _ := c.Get("resume.remote")
	given = cmp.Or(given, set)
	name := cmp.Or(given, remote.Usual(known))
	if !slices.Contains(known, name) {
		return "", &NoRemoteError{given, known}
	}
	return name, nil
}

// NoRemoteError says that no remote could be chosen: there is none, none has the given name, or the user named none and there is no usual
// one among several.
type NoRemoteError struct {
	Given string
	Known []string
}

func (e *NoRemoteError) Error() string {
	switch {
	case len(e.Known) == 0:
		return "this repository has no remote"
	case e.Given == "":
		return "there are several remotes, and none was named"
	}
	return fmt.Sprintf("there is no remote '%s'", e.Given)
}

// wordsOf returns what git itself said, if git caused the error. Otherwise it returns the text of the error.
func wordsOf(err error) string {
	var git *process.Error
	var late *remote.LateError
	switch {
	case errors.As(err, &git):
		return git.Text
	case errors.As(err, &late):
		return late.Error()
	}
	return err.Error()
}

// preview collects what people who can read the remote will see after a push.
func (e *Sharer) preview(ctx context.Context, r *checkpoint.Run, name string) (*Preview, error) {
	lines, err := e.Store.Lines(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	p := &Preview{Run: *r, Remote: name, Lines: len(lines)}
	hosts := map[string]bool{}
	for _, l := range lines {
		if a := l.Event.Actor; a != nil && a.Host != "" {
			hosts[a.Host] = true
		}
		if l.Event.Text != "" {
			p.Texts++
		}
	}
	p.Hosts = slices.Sorted(maps.Keys(hosts))
	tip, err := e.Store.History().BranchTip(ctx, r)
	if err != nil || tip == "" || r.Base.Commit == "" {
		return p, err
	}
	const most = 10_000
	commits, err := e.Store.History().Between(ctx, r.Base.Commit, tip, most)
	p.Commits = len(commits)
	return p, err
}

// Pulled is the result of a pull for one run.
type Pulled struct {
	Run      checkpoint.RunID
	Exchange *exchange.Exchange
	// Brought is uncommitted work that the remote has, or nil.
	Brought *Brought
	// Err is the error of the pull, or nil.
	Err error
}

// maxPulled is how many runs are pulled at once if none is named.
const maxPulled = 200

// Pull gets what a remote has of a run, or of all runs there if none is named. The result "more" is how many runs were left out because
// there are too many.
func (e *Sharer) Pull(ctx context.Context, run, from string) (out []Pulled, name string, more int, err error) {
	id, err := e.local(ctx, run, from)
	if err != nil {
		return nil, "", 0, err
	}
	var known *checkpoint.Run
	if id != "" {
		j, err := e.Store.Load(ctx, id)
		if err != nil {
			return nil, "", 0, err
		}
		if known = &j.Run; !known.Ours() {
			known = nil // only a run of ours may say which remote it is bound to; others could name any remote
		}
	}
	if name, err = e.remoteFor(ctx, known, from); err != nil {
		return nil, "", 0, err
	}
	if from != "" && known != nil && known.Share.Bound() { // the remote that the user named must be the one to which the run is bound
		if bound, err := e.Exchange.Bound(ctx, known); err != nil || bound != name {
			return nil, "", 0, errors.Join(err, &exchange.BoundError{Run: id, Remote: name, Known: bound})
		}
	}
	if id != "" {
		p := e.pullOne(ctx, id, name)
		return []Pulled{p}, name, 0, p.Err
	}
	ids, err := e.there(ctx, name, run)
	if err != nil {
		return nil, name, 0, err
	}
	if len(ids) > maxPulled {
		ids, more = ids[:maxPulled], len(ids)-maxPulled
	}
	for _, id := range ids {
		p := e.pullOne(ctx, id, name)
		var gone *exchange.UnreachableError
		if errors.As(p.Err, &gone) || ctx.Err() != nil {
			return out, name, more, p.Err
		}
		out = append(out, p)
	}
	if run != "" && len(out) == 1 {
		return out, name, more, out[0].Err
	}
	return out, name, more, nil
}

// pullOne gets what a remote has of one run.
func (e *Sharer) pullOne(ctx context.Context, id checkpoint.RunID, name string) Pulled {
	p := Pulled{Run: id}
	if p.Exchange, p.Err = e.Exchange.Pull(ctx, id, name); p.Err == nil {
		p.Brought = packing{e}.bring(ctx, p.Exchange)
	}
	return p
}

// local returns the run that the user named, if it is in this clone; otherwise "". If the name is only the beginning of the id of a run
// here, and exactly the name of a run at the remote, the user means the one at the remote.
func (e *Sharer) local(ctx context.Context, run, from string) (checkpoint.RunID, error) {
	if run == "" {
		return "", nil
	}
	id, err := e.Find.Resolve(ctx, run)
	var none *candidate.NoneError
	if errors.As(err, &none) {
		return "", nil
	}
	if err != nil || !candidate.OnlyBegins(id, run) {
		return id, err
	}
	name, err := e.remoteFor(ctx, nil, from)
	if err != nil {
		return id, nil // without a remote, the caller reports what is wrong
	}
	if there, err := e.there(ctx, name, run); err == nil && !candidate.OnlyBegins(there[0], run) {
		return "", nil
	}
	return id, nil
}

// The method "there" lists the runs that a remote has. If the user named a run, it lists only that run, and returns an error if the name
// fits no run or several.
func (e *Sharer) there(ctx context.Context, name, run string) ([]checkpoint.RunID, error) {
	all, err := e.Exchange.At(name).List(ctx)
	if err != nil {
		return nil, &exchange.UnreachableError{Remote: name, Text: wordsOf(err)}
	}
	var ids []checkpoint.RunID
	for ref := range all {
		if text, ok := strings.CutPrefix(string(ref), "refs/resume/journal/"); ok {
			if id := checkpoint.RunID(text); id.Valid() {
				ids = append(ids, id)
			}
		}
	}
	if slices.Sort(ids); run != "" {
		ids = candidate.NamedBy(ids, run)
	}
	if run != "" && len(ids) != 1 {
		return nil, &WhichError{Remote: name, Run: run, Fit: ids}
	}
	return ids, nil
}

// WhichError says that no run of the remote fits the name that the user gave, or that several do. If the user gave no name, Run is empty,
// and the remote does not have exactly one run.
type WhichError struct {
	Remote, Run string
	Fit         []checkpoint.RunID
}

func (e *WhichError) Error() string {
	switch {
	case e.Run == "" && len(e.Fit) == 0:
		return fmt.Sprintf("remote '%s' has no runs", e.Remote)
	case e.Run == "":
		return fmt.Sprintf("remote '%s' has several runs, and none was named", e.Remote)
	case len(e.Fit) == 0:
		return fmt.Sprintf("there is no run '%s', neither here nor at remote '%s'", e.Run, e.Remote)
	}
	return fmt.Sprintf("remote '%s' has several runs that '%s' could mean", e.Remote, e.Run)
}

// Unshare removes a run from the remote that it is bound to.
func (e *Sharer) Unshare(ctx context.Context, run string) (checkpoint.RunID, string, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return "", "", err
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return "", "", err
	}
	if err := site.MustOwn(&j.Run); err != nil {
		return "", "", err
	}
	if !j.Run.Share.Bound() {
		return "", "", &exchange.NotSharedError{Run: id}
	}
	name, err := e.remoteFor(ctx, &j.Run, "")
	if err != nil {
		return "", "", err
	}
	return id, name, e.Exchange.Unshare(ctx, id, name)
}
