package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/quote"
)

// Remotes checks whether the remotes at which runs of this clone are shared can keep the record of runs. If no run is shared, it contacts no
// remote. It leaves out remotes that do not answer.
func (e *Checker) Remotes(ctx context.Context) ([]Check, error) {
	all, err := e.Find.Summaries(ctx, journal.AllRuns)
	if err != nil {
		return nil, err
	}
	names := map[string]string{} // by the checksum of the URL
	for _, s := range all {
		r := &s.Run
		if !r.Ours() || !r.Share.Bound() || names[r.Share.Remote] != "" {
			continue
		}
		if names[r.Share.Remote], err = (&exchange.Exchanger{Site: e.Site}).Bound(ctx, r); err != nil {
			return nil, err
		}
	}
	var out []Check
	for _, name := range slices.Sorted(maps.Values(names)) {
		if name == "" {
			continue // no remote has this URL any more
		}
		c, err := tryRemote(ctx, e.Repo, name, remoteLimit)
		if err != nil {
			return out, err
		}
		if c != nil {
			out = append(out, *c)
		}
	}
	return out, nil
}

// remoteLimit is how long one exchange with a remote may take.
const remoteLimit = 20 * time.Second

// tryRemote creates and replaces a ref below refs/resume/check at a remote, and removes it again. The objects for that are kept in a
// temporary folder, so they do not get into this repository. The result is nil if the remote does not answer.
func tryRemote(ctx context.Context, repo *gitstate.Repo, name string, limit time.Duration) (*Check, error) {
	dir, done, err := repo.Guard.TempDir()
	if err != nil {
		return nil, err
	}
	defer done()
	apart := repo.With("GIT_OBJECT_DIRECTORY=" + dir)
	at := remote.Of(apart, name)
	at.Deadline = limit
	if _, err := at.List(ctx); err != nil {
		return nil, ctx.Err()
	}
	var trees [2]object.ID
	for i := range trees {
		if trees[i], err = treeOf(ctx, apart, fmt.Sprint(i)); err != nil {
			return nil, err
		}
	}
	ref, fault, sent := refs.Name("refs/resume/check/"+strings.ToLower(rand.Text())), "", object.ID("")
	for _, x := range []struct {
		want     remote.Outcome
		old, now object.ID
		fault    string
	}{
		{remote.Moved, "", trees[0], "a ref below refs/resume cannot be created"},
		{remote.Moved, trees[0], trees[1], "a push cannot replace a ref below refs/resume"},
		{remote.Stale, trees[0], trees[0], "a push that expects an old value of a ref is not refused"},
	} {
		var got remote.Answer
		if got, err = at.Swap(ctx, remote.Move{Ref: ref, Old: x.old, New: x.now}); err != nil {
			break
		}
		if got.Outcome != x.want {
			fault = fmt.Sprintf("%s cannot keep the record of runs, because %s: %s", name, x.fault, firstLine(got.Text))
			if got.Outcome == remote.Unclear {
				sent = x.now
			}
			break
		}
	}
	there, left, listed := removeRef(context.WithoutCancel(ctx), at, ref) // remove the ref even after Ctrl-C
	switch {
	case err != nil || ctx.Err() != nil:
		return nil, cmp.Or(err, ctx.Err())
	case listed != nil || sent != "" && there == sent: // the remote did not answer, or the push arrived, but its answer did not
		return nil, nil
	case fault == "" && left == "":
		return &Check{Name: "remote", Text: name + " can keep the record of runs", Well: true}, nil
	}
	c := &Check{Name: "remote", Text: cmp.Or(fault, name+" does not let anybody remove a ref below refs/resume: "+left)}
	if left != "" {
		c.Help = quote.Command("git push %s :%s", name, string(ref))
	}
	return c, nil
}

// treeOf makes a tree with one file that contains the given text.
func treeOf(ctx context.Context, git *process.Program, text string) (object.ID, error) {
	blob, err := git.Git(ctx, process.Call{Args: []string{"hash-object", "-w", "--stdin"}, Stdin: strings.NewReader(text)})
	if err != nil {
		return "", err
	}
	tree, err := git.Git(ctx, process.Call{Args: []string{"mktree"}, Stdin: strings.NewReader("100644 blob " + firstLine(string(blob)) + "\tcheck\n")})
	return object.ID(firstLine(string(tree))), err
}

// removeRef removes a ref from a remote, and returns the object to which it pointed. If the remote does not remove it, the text says why.
func removeRef(ctx context.Context, at remote.Remote, ref refs.Name) (was object.ID, why string, err error) {
	there, err := at.List(ctx)
	if err != nil || there[ref] == "" {
		return "", "", err
	}
	got, err := at.Swap(ctx, remote.Move{Ref: ref, Old: there[ref]})
	if err == nil && got.Outcome != remote.Moved {
		why = cmp.Or(firstLine(got.Text), "no answer")
	}
	return there[ref], why, err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
