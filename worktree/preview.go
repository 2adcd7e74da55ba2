package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Preview is what a discard would drop.
type Preview struct {
	Tree      Tree
	Changed   []string
	Untracked []string
	// Ignored is not kept; its sizes are measured, and Data marks what looks like somebody's data.
	Ignored []Left
	// Nested are repositories of their own; they are kept beside the tree's old place.
	Nested []string
	Branch string
	Tip    object.ID
	// Ahead are the branch's commits that the base does not have; -1 if that cannot be told.
	Ahead int
	// counted are the ignored files, one by one: only they go, and only as they were.
	counted marks
	// Refusal is why Discard would not do it as asked; nil if it would.
	Refusal error
}

// HoldsData reports whether ignored files that look like data would be lost.
func (p Preview) HoldsData() bool {
	for _, l := range p.Ignored {
		if l.Data {
			return true
		}
	}
	return false
}

// PreviewDiscard tells what Discard would do with the same request; it changes nothing.
// Base is any name of the commit that the run goes back into; empty if there is none.
func PreviewDiscard(ctx context.Context, repo *gitstate.Repo, req DiscardRequest, base string) (Preview, error) {
	d := dropping{repo: repo.At(locate.Place{GitDir: repo.CommonDir, CommonDir: repo.CommonDir}), req: req}
	defer d.repo.Close()
	t, refusal := d.examine(ctx)
	p := Preview{Tree: t, Refusal: refusal, Branch: req.Branch, Ahead: -1}
	if err := p.readBranch(ctx, d.repo, base); err != nil {
		return p, err
	}
	usable := t.Admin != "" && !t.Main && t.Health == Usable
	if !usable {
		return p, nil
	}
	at := repo.At(locate.Place{GitDir: t.Admin, CommonDir: repo.CommonDir, WorkTree: t.Path})
	defer at.Close()
	look, err := at.Look(ctx)
	if err != nil {
		return p, err
	}
	p.readLook(look, req.Keep)
	return p, nil
}

func (p *Preview) readBranch(ctx context.Context, repo *gitstate.Repo, base string) error {
	if p.Branch == "" {
		return nil
	}
	tip, err := repo.Refs.Ref(ctx, p.Branch)
	if err != nil || tip == "" || base == "" {
		p.Tip = tip
		return err
	}
	p.Tip = tip
	count, err := repo.Line(ctx, "rev-list", "--count", string(tip), "--not", base, "--")
	if err != nil {
		return nil // a base that is gone: how far ahead cannot be told
	}
	if p.Ahead, err = strconv.Atoi(count); err != nil {
		return fmt.Errorf("understand git rev-list: %q", count)
	}
	return nil
}

func (p *Preview) readLook(look gitstate.Look, keep []string) {
	for _, c := range look.Changes {
		switch {
		case c.Untracked() && strings.HasSuffix(c.Path, "/"):
			p.Nested = append(p.Nested, strings.TrimSuffix(c.Path, "/"))
		case c.Untracked():
			p.Untracked = append(p.Untracked, c.Path)
		default:
			p.Changed = append(p.Changed, c.Path)
		}
	}
	p.counted = marks{}
	for _, name := range look.Ignored {
		if l := measure(p.Tree.Path, name, keep, p.counted); l.Files > 0 || len(keep) == 0 {
			p.Ignored = append(p.Ignored, l)
		}
	}
}

// measure adds up an ignored file or directory, but for what is kept of it, and notes each file.
func measure(root, name string, keep []string, counted marks) Left {
	l := Left{Kind: Ignored, Path: name}
	_ = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(name)), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d)
		}
		if rel, err := filepath.Rel(root, path); err == nil && isKept(filepath.ToSlash(rel), keep) {
			return skipUnreadable(d)
		}
		if d.IsDir() {
			return nil
		}
		l.Files++
		if info, err := d.Info(); err == nil {
			l.Size += info.Size()
			if rel, err := filepath.Rel(root, path); err == nil {
				counted[filepath.ToSlash(rel)] = markOf(info)
			}
		}
		l.Data = l.Data || looksLikeData(d.Name())
		return nil
	})
	return l
}

// dataNames are files that people ignore and cannot make again.
var dataNames = []string{".env", ".env.*", "*.env", "*.db", "*.sqlite", "*.sqlite3"}

func looksLikeData(name string) bool {
	for _, pattern := range dataNames {
		if ok, _ := path.Match(pattern, strings.ToLower(name)); ok {
			return true
		}
	}
	return false
}
