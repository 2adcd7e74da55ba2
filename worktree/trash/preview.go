package trash

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/worktree"
)

// HoldsData reports whether ignored files that look like data would be lost.
func (p Preview) HoldsData() bool {
	for _, l := range p.Ignored {
		if l.Data {
			return true
		}
	}
	return false
}

// PreviewDiscard lists what Discard would remove for the same request. It changes nothing. The argument "base" names the branch or commit
// into which the run will be merged. It is empty if there is none.
func PreviewDiscard(ctx context.Context, repo *gitstate.Repo, req DiscardRequest, base string) (Preview, error) {
	d := discardJob{repo: repo.At(locate.Place{GitDir: repo.CommonDir, CommonDir: repo.CommonDir}), req: req}
	defer d.repo.Close()
	t, refusal := d.examine(ctx)
	p := Preview{Tree: t, Refusal: refusal, Branch: req.Branch, Ahead: -1}
	if err := p.readBranch(ctx, d.repo, base); err != nil {
		return p, err
	}
	usable := t.Admin != "" && !t.Main && t.Health == worktree.Usable
	if !usable {
		return p, nil
	}
	at := repo.At(locate.Place{GitDir: t.Admin, CommonDir: repo.CommonDir, WorkTree: t.Path})
	defer at.Close()
	look, err := at.ReadState(ctx)
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
		return nil // the number of commits is unknown, for example because the base is gone
	}
	if p.Ahead, err = strconv.Atoi(count); err != nil {
		return fmt.Errorf("parse the output of git rev-list: %q", count)
	}
	return nil
}

func (p *Preview) readLook(look gitstate.WorktreeState, keep []string) {
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
