package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
)

func trashRef(run string) string { return "refs/resume/trash/" + run }

// keeper is one object that a dropped worktree needs, and why.
type keeper struct {
	why string
	id  gitstate.OID
}

// trashCommit is what makes everything of a dropped run reachable:
// commits as parents, everything else in its tree, and a message that says what is what.
type trashCommit struct {
	repo    *gitstate.Repo
	run     string
	at      time.Time
	commits []keeper
	others  []keeper
}

// write stores the commit and moves the run's trash ref to it, with what the ref held before as last parent.
func (c trashCommit) write(ctx context.Context) error {
	h, err := c.repo.Hasher(ctx)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		before, err := c.repo.Ref(ctx, trashRef(c.run))
		if err != nil {
			return err
		}
		p := gitstate.NewPending(h)
		id := c.build(p, before)
		if err := c.repo.WriteObjects(ctx, p); err != nil {
			return err
		}
		err = c.repo.UpdateRef(ctx, gitstate.Update{Ref: trashRef(c.run), New: id, Old: before})
		var stale *gitstate.StaleRefError
		var git *gitstate.Error // the new commit may be gone before the ref names it
		if i == tries || !errors.As(err, &stale) && !errors.As(err, &git) {
			return err
		}
	}
}

func (c trashCommit) build(p *gitstate.Pending, before gitstate.OID) gitstate.OID {
	var parents []gitstate.OID
	var text strings.Builder
	seen := map[gitstate.OID]bool{"": true}
	fmt.Fprintf(&text, "discard of %s\n\nversion 1\n", c.run)
	for _, k := range append(c.commits, keeper{"previous", before}) {
		if k.id == "" {
			continue
		}
		fmt.Fprintf(&text, "%s %s\n", k.why, k.id)
		if !seen[k.id] {
			seen[k.id] = true
			parents = append(parents, k.id)
		}
	}
	entries := map[gitstate.OID]gitstate.Entry{}
	for _, k := range c.others {
		why, kind, _ := strings.Cut(k.why, "\x00")
		fmt.Fprintf(&text, "%s %s\n", why, k.id)
		mode := gitstate.ModeFile
		if kind == "tree" {
			mode = gitstate.ModeDir
		}
		entries[k.id] = gitstate.Entry{Name: string(k.id), Mode: mode, ID: k.id}
	}
	list := make([]gitstate.Entry, 0, len(entries))
	for _, e := range entries {
		list = append(list, e)
	}
	tree := p.Add("tree", gitstate.TreeData(list))
	return p.Add("commit", commitData(tree, parents, c.at, text.String()))
}

// The forms of ids in files; made when first needed, for every start of the program would pay for them.
var (
	fullID  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b`) })
	shortID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{7,64}\b`) })
)

// maxNamed bounds how many ids are looked for in one worktree's files.
const maxNamed = 20_000

// named finds the ids that stand in the files of a worktree's git dir:
// heads, reflog, and the todo lists of rebases and picks, which gc would not spare.
func named(ids map[string]string, admin string) error {
	return filepath.WalkDir(admin, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d)
		}
		rel, err := filepath.Rel(admin, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && rel == "modules" {
			return fs.SkipDir // repositories of their own, kept with all they have
		}
		if !d.Type().IsRegular() || strings.HasPrefix(rel, "index") || strings.HasPrefix(rel, "sharedindex.") {
			return nil
		}
		form := fullID
		if strings.HasPrefix(rel, "rebase-") || strings.HasPrefix(rel, "sequencer/") {
			form = shortID
		}
		noteIDs(ids, path, rel, form())
		return nil
	})
}

// noteIDs collects the ids in one file, if it is there.
func noteIDs(ids map[string]string, path, why string, form *regexp.Regexp) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for _, id := range form.FindAllString(string(text), maxNamed) {
		if _, known := ids[id]; !known && !unset(id) {
			ids[id] = why
		}
	}
}

// keepers tells which of the named ids are objects here, and sorts commits from the rest.
func keepers(ctx context.Context, repo *gitstate.Repo, ids map[string]string) (commits, others []keeper, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	asked := sortedKeys(ids)
	out, err := repo.Git(ctx, gitstate.Call{Args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"},
		Stdin: strings.NewReader(strings.Join(asked, "\n") + "\n")})
	if err != nil {
		return nil, nil, fmt.Errorf("look objects up: %w", err)
	}
	lines := strings.Split(string(out), "\n") // one for each id asked
	for i, name := range asked {
		if i >= len(lines) {
			break
		}
		id, kind, _ := strings.Cut(lines[i], " ")
		why := "named-in " + strconv.QuoteToASCII(ids[name])
		switch {
		case !gitstate.IsOID(id):
		case kind == "commit":
			commits = append(commits, keeper{why, gitstate.OID(id)})
		case kind == "tree" || kind == "blob":
			others = append(others, keeper{why + "\x00" + kind, gitstate.OID(id)})
		}
	}
	return commits, others, nil
}

// onlyHere drops the commits that the others already reach.
func onlyHere(ctx context.Context, repo *gitstate.Repo, commits []keeper, reached ...gitstate.OID) ([]keeper, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, k := range commits {
		fmt.Fprintln(&in, k.id)
	}
	for _, id := range reached {
		if id != "" {
			fmt.Fprintln(&in, "^"+string(id))
		}
	}
	out, err := repo.Git(ctx, gitstate.Call{Args: []string{"rev-list", "--stdin", "--ignore-missing"}, Stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, fmt.Errorf("look commits up: %w", err)
	}
	far := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		far[strings.TrimSpace(line)] = true
	}
	var left []keeper
	for _, k := range commits {
		if far[string(k.id)] {
			left = append(left, k)
		}
	}
	return left, nil
}

// resolveUndo lists the sides of conflicts that were resolved: the index remembers them, and fsck asks for them.
func resolveUndo(ctx context.Context, at *gitstate.Repo) ([]keeper, error) {
	out, err := at.Git(ctx, gitstate.Call{Args: []string{"ls-files", "--resolve-undo", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	var blobs []keeper
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if f := strings.Fields(rec); len(f) >= 3 && gitstate.IsOID(f[1]) {
			blobs = append(blobs, keeper{"resolved-side\x00blob", gitstate.OID(f[1])})
		}
	}
	return blobs, nil
}

// whole reports whether everything that a ref reaches is there.
func whole(ctx context.Context, repo *gitstate.Repo, ref string) bool {
	_, err := repo.Git(ctx, gitstate.Call{Args: []string{"rev-list", "--objects", "--quiet", ref, "--not", "--branches", "--tags", "--remotes"}})
	return err == nil
}
