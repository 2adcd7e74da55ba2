package sharing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// Check tests whether runs can be shared through a remote. For that it creates refs below refs/resume/check at the remote, and then removes
// them if the remote allows it. Check keeps its objects in a temporary folder, so they do not get into this repository.
func (c Checker) Check(ctx context.Context, name string) (*Report, error) {
	dir, done, err := c.Repo.Guard.TempDir()
	if err != nil {
		return nil, err
	}
	defer done()
	k, err := newCheck(ctx, c, name, dir)
	if err != nil {
		return nil, err
	}
	began := c.Now()
	shown, err := k.talk().List(ctx)
	k.report.Took, k.report.Refs = c.Now().Sub(began), len(shown)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		k.note(Reach, false, wordsOf(err))
		return k.report, nil
	}
	k.note(Reach, true, "")
	err = k.tryAll(ctx, shown)
	k.clear(context.WithoutCancel(ctx)) // remove the refs even after Ctrl-C
	return k.report, errors.Join(err, ctx.Err())
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

// check is one check of a remote, while it is carried out.
type check struct {
	Checker
	report *Report
	// vars are environment variables that make git write its objects below the folder dir.
	vars  []string
	dir   string
	nonce string
	// first and second are trees with random content, so that two checks at the same time do not push the same object.
	first, second object.ID
	// made has the refs that this check made at the remote, or may have made if the answer was unclear.
	made map[refs.Name]object.ID
}

// newCheck prepares the check of a remote, and makes the two trees that the check will push there. Their objects are written to a temporary
// folder, so that they do not get into this repository.
func newCheck(ctx context.Context, c Checker, name, dir string) (*check, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	own, theirs := filepath.Join(dir, "objects"), filepath.Join(c.Repo.CommonDir, "objects")
	if err := os.MkdirAll(own, 0o755); err != nil {
		return nil, err
	}
	if strings.ContainsRune(theirs, os.PathListSeparator) {
		theirs = strconv.Quote(theirs)
	}
	k := &check{Checker: c, report: &Report{Remote: name}, dir: dir, nonce: hex.EncodeToString(random), made: map[refs.Name]object.ID{}}
	k.vars = []string{"GIT_OBJECT_DIRECTORY=" + own, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + theirs}
	var err1, err2 error
	k.first, err1 = k.tree(ctx, "first")
	k.second, err2 = k.tree(ctx, "second")
	return k, errors.Join(err1, err2)
}

// The method "git" runs a git command that writes objects, and returns the id that it prints.
func (k *check) git(ctx context.Context, in string, args ...string) (object.ID, error) {
	out, err := k.Repo.With(k.vars...).Git(ctx, process.Call{Args: args, Stdin: strings.NewReader(in), Env: []string{
		"GIT_AUTHOR_NAME=git-resume", "GIT_AUTHOR_EMAIL=git-resume", "GIT_COMMITTER_NAME=git-resume", "GIT_COMMITTER_EMAIL=git-resume",
	}})
	return object.ID(strings.TrimSpace(string(out))), err
}

// tree makes a git tree with one file, which contains a word and the random text of this check.
func (k *check) tree(ctx context.Context, word string) (object.ID, error) {
	blob, err := k.git(ctx, word+" "+k.nonce+"\n", "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	return k.git(ctx, "100644 blob "+string(blob)+"\tcheck\n", "mktree")
}

// talk returns the remote, with additional environment variables for git.
func (k *check) talk(more ...string) remote.Remote {
	r := remote.Of(k.Repo.With(append(slices.Clip(k.vars), more...)...), k.report.Remote)
	r.Terminal, r.Deadline = k.Terminal, k.Deadline
	return r
}

func (k *check) ref(n int) refs.Name {
	return refs.Name(fmt.Sprintf("refs/resume/check/%s-%d", k.nonce, n))
}

func (k *check) note(p Property, holds bool, text string) {
	t := Trial{Property: p, Holds: holds}
	if !holds {
		t.Text = text
	}
	k.report.Trials = append(k.report.Trials, t)
}

// swap creates or moves refs at the remote, and remembers them for the method "clear". If the answer is unclear or Ctrl-C ended the push,
// the refs may exist there, so they are remembered too.
func (k *check) swap(ctx context.Context, r remote.Remote, moves ...remote.Move) (remote.Answer, error) {
	got, err := r.Swap(ctx, moves...)
	if got.Outcome == remote.Moved || got.Outcome == remote.Unclear || ctx.Err() != nil {
		for _, m := range moves {
			k.made[m.Ref] = m.New
		}
	}
	return got, err
}

// tryAll tries one property after the other, until one does not hold. If Atomic does not hold, it continues nevertheless, because the next
// property does not need Atomic.
func (k *check) tryAll(ctx context.Context, shown map[refs.Name]object.ID) error {
	for _, t := range []struct {
		property Property
		want     remote.Outcome
		moves    []remote.Move
	}{
		{Create, remote.Moved, []remote.Move{{Ref: k.ref(1), New: k.first}}},
		{Replace, remote.Moved, []remote.Move{{Ref: k.ref(1), Old: k.first, New: k.second}}},
		{Lease, remote.Stale, []remote.Move{{Ref: k.ref(1), Old: k.first, New: k.first}}},
		{Atomic, remote.Moved, []remote.Move{{Ref: k.ref(1), Old: k.second, New: k.first}, {Ref: k.ref(2), New: k.first}}},
	} {
		got, err := k.swap(ctx, k.talk(), t.moves...)
		if err != nil {
			return err
		}
		k.note(t.property, got.Outcome == t.want, got.Text)
		if got.Outcome != t.want && t.property != Atomic {
			return nil
		}
	}
	return k.shallow(ctx, shown)
}

// maxTips is how many refs of the remote are looked at to find a commit that is here too.
const maxTips = 20

// shallow tests the property Shallow: a shallow clone can push. It pushes a commit whose parent the remote has, and hides the history
// before that parent from git. If the remote and this repository have no commit in common, shallow notes the property as untried.
func (k *check) shallow(ctx context.Context, shown map[refs.Name]object.ID) error {
	tip := object.ID("")
	names := slices.Sorted(maps.Keys(shown))
	for _, name := range names[:min(maxTips, len(names))] {
		if line, err := k.Repo.Line(ctx, "rev-parse", "-q", "--verify", string(shown[name])+"^{commit}"); err == nil {
			tip = object.ID(line)
			break
		}
	}
	if tip == "" {
		k.report.Trials = append(k.report.Trials, Trial{Property: Shallow, Untried: true, Text: "this was not tried, because it needs a commit that the remote and this repository both have, and none was found"})
		return ctx.Err()
	}
	file := filepath.Join(k.dir, "shallow")
	if err := os.WriteFile(file, []byte(string(tip)+"\n"), 0o600); err != nil {
		return err
	}
	commit, err := k.git(ctx, "", "commit-tree", string(k.first), "-p", string(tip), "-m", "check "+k.nonce)
	if err != nil {
		return err
	}
	got, err := k.swap(ctx, k.talk("GIT_SHALLOW_FILE="+file), remote.Move{Ref: k.ref(3), New: commit})
	if err != nil {
		return err
	}
	k.note(Shallow, got.Outcome == remote.Moved, got.Text)
	return nil
}

// clear removes the refs of this check from the remote, and reports those that it could not remove.
func (k *check) clear(ctx context.Context) {
	if len(k.made) == 0 {
		return
	}
	why := ""
	for _, name := range slices.Sorted(maps.Keys(k.made)) {
		got, err := k.talk().Swap(ctx, remote.Move{Ref: name, Old: k.made[name]})
		if err == nil && got.Outcome == remote.Moved {
			continue
		}
		now, err := k.talk().List(ctx)
		if err == nil && now[name] == "" {
			continue // the ref does not exist at the remote, so there is nothing to remove
		}
		if err == nil && now[name] != k.made[name] { // an earlier change of this ref failed, so the remote has another commit. The ref has our random name, so it can be removed anyway
			if again, err := k.talk().Swap(ctx, remote.Move{Ref: name, Old: now[name]}); err == nil && again.Outcome == remote.Moved {
				continue
			}
		}
		why = got.Text
		k.report.Left = append(k.report.Left, name)
	}
	k.note(Remove, len(k.report.Left) == 0, why)
}
