package sharing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Packed is uncommitted work that can be sent.
type Packed struct {
	Commit object.ID
	Files  int
	Bytes  int64
	// Left has files that are not sent, for example because they are in no snapshot.
	Left []string
}

// toSend returns what to send of the uncommitted work; nothing if p is nil.
func (p *Packed) toSend() exchange.Wip {
	if p == nil {
		return exchange.Wip{}
	}
	return exchange.Wip{Send: p.Commit}
}

// mustBeAt returns an error if the remote does not have the work after it was sent.
func (p *Packed) mustBeAt(x *exchange.Exchange) error {
	if p == nil || x.Look.Wip == p.Commit {
		return nil
	}
	if newest := lease.Newest(x.Look.Leases); newest != nil && !newest.Ours {
		return &exchange.LeasedError{Run: x.Look.Run, Remote: x.Look.Remote, By: exchange.Holder(newest), Lease: newest.Number, Since: newest.At}
	}
	return &UnsentError{Run: x.Look.Run, Remote: x.Look.Remote}
}

// Secret is a file that looks like a secret. Kind says why, and never has the secret itself.
type Secret struct{ Path, Kind string }

// SecretsError says that files with uncommitted work look like secrets, so this work was not sent. 'git resume push' then sends nothing at
// all, but 'git resume work' sends the rest of the run.
type SecretsError struct {
	Run   checkpoint.RunID
	Files []Secret
}

func (e *SecretsError) Error() string {
	return fmt.Sprintf("uncommitted files of run '%s' look like secrets, so its uncommitted work was not sent: %s", e.Run, strings.Join(e.names(), ", "))
}

func (e *SecretsError) names() []string {
	var out []string
	for _, f := range e.Files {
		out = append(out, fmt.Sprintf("'%s' (%s)", f.Path, f.Kind))
	}
	return out
}

// SizedFile is a file and its size in bytes.
type SizedFile struct {
	Path  string
	Bytes int64
}

// LargeError says that uncommitted work is too large, so it was not sent. 'git resume push' then sends nothing at all, but 'git resume
// work' sends the rest of the run.
type LargeError struct {
	Run   checkpoint.RunID
	Limit int64
	// One is true if a single file is too large for most servers. Files lists at most five files, the largest first.
	One   bool
	Files []SizedFile
}

func (e *LargeError) Error() string {
	if e.One {
		return fmt.Sprintf("'%s' is larger than most servers accept, so the uncommitted work was not sent", e.Files[0].Path)
	}
	return fmt.Sprintf("uncommitted work of run '%s' has more than %d bytes, so it was not sent", e.Run, e.Limit)
}

// UnsentError says that uncommitted work was not sent. If the field Branch is set, the worktree is not at the last commit of that branch.
// Otherwise the run's branch at the remote has commits that the branch here lacks.
type UnsentError struct {
	Run    checkpoint.RunID
	Remote string
	Branch refs.Name
}

func (e *UnsentError) Error() string {
	if e.Branch != "" {
		return fmt.Sprintf("uncommitted work of run '%s' was not sent, because its worktree is not at the last commit of branch '%s'", e.Run, site.ShortBranch(e.Branch))
	}
	return fmt.Sprintf("uncommitted work of run '%s' was not sent, because its branch at remote '%s' has commits that its branch here lacks", e.Run, e.Remote)
}

const (
	// largestFile is the size above which GitHub refuses a file.
	largestFile = 100 << 20
	// usualLimit is used if the user has not set resume.shareLimit.
	usualLimit = 50 << 20
)

// packing has the methods of a Sharer that send and receive uncommitted work.
type packing struct{ in *Sharer }

// Pack saves the uncommitted work of a run, and makes one commit of it that can be sent. It returns nil if the run has no worktree here, or
// if there is nothing to send. If dry is true it writes nothing, and the result has no commit.
func (e *Sharer) Pack(ctx context.Context, r *checkpoint.Run, dry bool) (*Packed, error) {
	place, ok := e.TreeOf(r)
	if !ok {
		return nil, nil
	}
	tree := e.Repo.At(place)
	defer tree.Close()
	var snap snapshot.Snapshot
	var err error
	if dry {
		store, err := past.NewScratch(tree)
		if err != nil {
			return nil, err
		}
		defer store.Close()
		tree = store.Repo
		if snap, err = e.Staging.Unsaved(ctx, tree, r.ID); err != nil || len(snap.Paths) == 0 {
			return nil, err
		}
	} else if snap, err = e.Staging.Snapshot(ctx, tree, r.ID, "uncommitted work sent with the run"); err != nil || snap.ID == "" {
		return nil, err
	}
	if err := e.mustBeNewest(ctx, tree, r, snap); err != nil {
		return nil, err
	}
	items, err := snap.Items(ctx, tree)
	if err != nil {
		return nil, err
	}
	out := &Packed{}
	for _, l := range snap.Left {
		if l.Kind != snapshot.Ignored {
			out.Left = append(out.Left, l.Path)
		}
	}
	if items, err = out.choose(ctx, tree, items); err != nil || len(items) == 0 {
		return nil, err
	}
	limit, err := packing{e}.shareLimit(ctx)
	if err != nil {
		return nil, err
	}
	if err := out.weigh(ctx, tree, items, limit, r.ID); err != nil {
		return nil, err
	}
	if err := searchSecrets(ctx, tree, items, r.ID); err != nil {
		return nil, err
	}
	if out.Files = len(items); dry {
		return out, nil
	}
	if out.Commit, err = snap.Portable(ctx, tree, items); err != nil {
		return nil, err
	}
	return out, e.Store.Folder().WriteHint(packing{e}.sentPath(r.ID), sentFile{1, out.Commit})
}

// mustBeNewest returns an error if uncommitted work is not based on the last commit of the run's branch. If the worktree has the branch
// checked out, somebody has committed meanwhile.
func (e *Sharer) mustBeNewest(ctx context.Context, tree *gitstate.Repo, r *checkpoint.Run, snap snapshot.Snapshot) error {
	tip, err := e.Store.History().BranchTip(ctx, r)
	if err != nil || tip == snap.Head {
		return err
	}
	branch, _, err := tree.Refs.Head(ctx)
	if err == nil && branch == r.Branch {
		return candidate.ErrMoved
	}
	return errors.Join(err, &UnsentError{Run: r.ID, Branch: r.Branch})
}

// sentFile names the commit with the uncommitted work that this clone sent last, so that this clone does not receive its own work.
type sentFile struct {
	V   int       `json:"v"`
	Wip object.ID `json:"wip"`
}

func (k packing) sentPath(id checkpoint.RunID) string {
	return k.in.Store.Folder().Path("sent", string(id))
}

// isOwn reports whether a commit has the uncommitted work that this clone sent last.
func (k packing) isOwn(id checkpoint.RunID, wip object.ID) bool {
	text, err := files.ReadSmall(k.sentPath(id))
	var f sentFile
	return err == nil && json.Unmarshal(text, &f) == nil && f.Wip == wip
}

// shareLimit returns how many bytes of uncommitted work may be sent.
func (k packing) shareLimit(ctx context.Context) (int64, error) {
	c, err := k.in.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return staging.SizeSetting(c, "resume.sharelimit", "resume.shareLimit", usualLimit)
}

// choose returns the files to send, and adds the others to p.Left.
func (p *Packed) choose(ctx context.Context, tree *gitstate.Repo, items []snapshot.Item) ([]snapshot.Item, error) {
	ignored, err := ignoredOf(ctx, tree, items)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(items, func(it snapshot.Item) bool {
		out := ignored[it.Path] || it.Mode == object.ModeSubmodule
		if out {
			p.Left = append(p.Left, it.Path)
		}
		return out
	}), nil
}

// ignoredOf returns which files git ignores. A snapshot can contain such files if other tools record their work in them.
func ignoredOf(ctx context.Context, tree *gitstate.Repo, items []snapshot.Item) (map[string]bool, error) {
	var in strings.Builder
	for _, it := range items {
		if it.ID != "" {
			in.WriteString(it.Path + "\x00")
		}
	}
	if in.Len() == 0 {
		return nil, nil
	}
	out, err := tree.Git(ctx, process.Call{Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: strings.NewReader(in.String())})
	if err != nil && !process.SaysNo(err) {
		return nil, err
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[name] = true
	}
	return ignored, nil
}

// weigh computes p.Bytes, the total size of the files. It returns *LargeError if the files are too large.
func (p *Packed) weigh(ctx context.Context, tree *gitstate.Repo, items []snapshot.Item, limit int64, id checkpoint.RunID) error {
	var ids []object.ID
	for _, it := range items {
		if it.ID != "" {
			ids = append(ids, it.ID)
		}
	}
	size := map[object.ID]int64{}
	if err := tree.Objects.Sizes(ctx, ids, func(id object.ID, n int64) { size[id] = n }); err != nil {
		return err
	}
	var all []SizedFile
	for _, it := range items {
		p.Bytes += size[it.ID]
		all = append(all, SizedFile{it.Path, size[it.ID]})
	}
	slices.SortFunc(all, func(a, b SizedFile) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	const shown = 5
	large := &LargeError{Run: id, Limit: limit, One: all[0].Bytes > largestFile, Files: all[:min(shown, len(all))]}
	if large.One || p.Bytes > limit {
		return large
	}
	return nil
}

// searchSecrets returns *SecretsError if files look like secrets.
func searchSecrets(ctx context.Context, tree *gitstate.Repo, items []snapshot.Item, id checkpoint.RunID) error {
	found := &SecretsError{Run: id}
	for _, it := range items {
		if it.ID == "" {
			continue
		}
		kind := secretName(it.Path)
		if kind == "" {
			text, err := tree.Objects.BlobUpTo(ctx, it.ID, largestFile)
			if err != nil {
				return err
			}
			kind = secretIn(text)
		}
		if kind != "" {
			found.Files = append(found.Files, Secret{it.Path, kind})
		}
	}
	if len(found.Files) > 0 {
		return found
	}
	return nil
}

// Brought is uncommitted work that came from a remote, and is a snapshot here now.
type Brought struct {
	Commit   object.ID
	Snapshot snapshot.Snapshot
	// New is true if this call added the snapshot, and false if an earlier call did. Fits is true if the work is based on the last commit
	// of the run that the remote has.
	New, Fits bool
	// Err says why the work cannot be used. Then there is no snapshot.
	Err error
}

// bring takes uncommitted work from the remote, and adds it to the snapshots of the run. It returns nil if the remote has none, or only
// what this clone sent.
func (k packing) bring(ctx context.Context, x *exchange.Exchange) *Brought {
	look := x.Look
	if look.Wip == "" || k.isOwn(look.Run, look.Wip) {
		return nil
	}
	b := &Brought{Commit: look.Wip}
	c, err := k.in.Repo.Objects.Commit(ctx, string(look.Wip))
	switch {
	case err != nil || c.ID != look.Wip || len(c.Parents) != 1 || look.Head == "":
		b.Err = errors.Join(snapshot.ErrUnusable, err)
		return b
	case c.Parents[0] != look.Head:
		if ok, err := past.IsAncestor(ctx, k.in.Repo, c.Parents[0], look.Head); err != nil || !ok {
			b.Err = errors.Join(snapshot.ErrUnusable, err)
			return b
		}
	}
	b.Fits = c.Parents[0] == look.Head
	b.Snapshot, b.New, b.Err = snapshot.Receive(ctx, k.in.Repo, string(look.Run), look.Wip)
	return b
}
