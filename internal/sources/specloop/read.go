package specloop

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// scaffolded reports whether the folder belongs to a specification workflow although it has no index yet. Other tools use the same folder
// name, so the folder counts only if all files in it are known.
func (f reader) scaffolded() bool {
	for _, t := range f.trees {
		beside, err := t.List(f.dir)
		if err != nil || !slices.ContainsFunc(beside, func(e fs.DirEntry) bool { return e.Name() == ".workflow" && e.IsDir() }) {
			continue
		}
		inside, err := t.List(path.Join(f.dir, ".workflow"))
		if err == nil && !slices.ContainsFunc(inside, func(e fs.DirEntry) bool {
			hidden := strings.HasPrefix(e.Name(), ".")                 // for example .gitkeep, which makes git store an empty folder
			report := strings.HasSuffix(e.Name(), ".md") && !e.IsDir() // a report that a step wrote, for example about the scaffold
			return !hidden && !report && !strings.HasPrefix(e.Name(), "index.md") && e.Name() != "dags"
		}) {
			return true
		}
	}
	return false
}

type reader struct{ *feature }

// version is one worktree's copy of the workflow's index file, index.md.
type version struct {
	tree sources.Tree
	data []byte
	x    *index
	when time.Time
	from string
}

// loop reads the best copy of the index file. If all copies are damaged, it tries the committed versions. The second result says whether
// any worktree has an index file.
func (f reader) loop() (l *loop, there bool) {
	full := f.file("index.md")
	var good []version
	l = &loop{feature: f.feature, home: f.trees[0]}
	for _, t := range f.trees {
		data, err := f.state(t, full)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if there = true; err != nil {
			l.damaged, l.home = true, t
			continue
		}
		x, err := parseIndex(data)
		if err != nil {
			l.damaged, l.home, l.data = true, t, data
			f.doubts.About(sources.DoubtDamaged, conflicts.Warning, full, "%s", err)
			continue
		}
		v := version{tree: t, data: data, x: x}
		v.when, v.from = f.activity(t, full, x)
		good = append(good, v)
	}
	switch {
	case len(good) > 0:
		best := f.best(good)
		if l.damaged {
			f.doubts.About(sources.DoubtFallback, conflicts.Warning, full, "was read from worktree %s; the copy in worktree %s cannot be read", best.tree.WorkTree, l.home.WorkTree)
		}
		l.x, l.home, l.data, l.when, l.from, l.damaged = best.x, best.tree, best.data, best.when, best.from, false
	case l.damaged:
		f.fromHistory(l)
	}
	l.sort()
	if f.findCut(l); l.torn || l.cut != "" {
		f.keepWhole(l)
	}
	return l, there
}

// best returns the copy in the worktree that has the branch of the feature checked out. Without such a worktree, it returns the newest
// copy. It adds a note if copies differ.
func (f reader) best(all []version) version {
	best := all[0]
	for _, v := range all[1:] {
		if string(v.data) != string(best.data) {
			f.doubts.About(sources.DoubtCopies, conflicts.Info, f.file("index.md"), "differs between %s and %s", best.tree.WorkTree, v.tree.WorkTree)
		}
		switch own, other := onBranch(v), onBranch(best); {
		case own != other && own:
			best = v
		case own == other && v.newer(best):
			best = v
		}
	}
	return best
}

func onBranch(v version) bool {
	return v.x.meta["branch"] != "" && v.tree.Branch == refs.Branch(v.x.meta["branch"])
}

func (v version) newer(than version) bool {
	if !v.x.activity.Equal(than.x.activity) {
		return v.x.activity.After(than.x.activity)
	}
	return v.x.iteration > than.x.iteration
}

// fromField is the field of the index that contains the time of the last activity.
const fromField = "Last Activity"

// activity returns when the workflow was last active, and where this time was found. Usually it is in the field "Last Activity" of the
// index. If the file has later, uncommitted changes, their time is used. Without the field, the time at which the file was written is
// used.
func (f reader) activity(t sources.Tree, full string, x *index) (time.Time, string) {
	if x.activity.IsZero() {
		when, from := f.view.Written(f.ctx, t, full)
		return when, from
	}
	const slack = time.Minute
	if at := t.Changed(full); at.After(x.activity.Add(slack)) && !f.view.Committed(f.ctx, t, full) {
		return at.UTC(), "file time"
	}
	return x.activity, fromField
}

// fromHistory reads the newest committed version of the index that can be parsed.
func (f reader) fromHistory(l *loop) {
	x, v := f.committed(l, func(*index) bool { return true })
	if x == nil {
		return
	}
	l.x, l.good, l.when, l.from = x, v.Data, v.When, "commit"
	l.doubts.About(sources.DoubtFallback, conflicts.Warning, l.file("index.md"), "was read from commit %.12s, because the copy in the worktree cannot be read", v.Commit)
}

// findCut finds out whether the index breaks off. Its last row shows that, or a committed version that begins with the same text and goes
// on. Git is asked only if the last section, the history, is missing.
func (f reader) findCut(l *loop) {
	if l.damaged || l.x == nil {
		return
	}
	rest, last := "", strings.TrimSuffix(string(l.data), "\r")
	if at := strings.LastIndexByte(last, '\n'); at >= 0 {
		rest, last = strings.TrimSpace(last[:at]), last[at+1:]
	}
	switch isRow := strings.HasPrefix(strings.TrimSpace(last), "|"); {
	case isRow && !strings.HasSuffix(strings.TrimSpace(last), "|") && strings.HasSuffix(rest, "|"):
		l.cut = "in the middle of a table row"
	case len(l.x.history) > 0 || f.view.Repo == nil || f.view.Committed(f.ctx, l.home, l.file("index.md")):
	default:
		versions, _ := f.view.History(f.ctx, l.home, l.file("index.md"), 1) // without commits there is nothing to compare with
		if len(versions) > 0 && bytes.HasPrefix(versions[0].Data, l.data) && len(bytes.TrimSpace(versions[0].Data)) > len(bytes.TrimSpace(l.data)) {
			l.cut = "where its committed version goes on"
		}
	}
}

// keepWhole finds the newest committed index in which every open question has a text. The repair of an index that breaks off
// uses this version.
func (f reader) keepWhole(l *loop) {
	whole := func(x *index) bool {
		return !slices.ContainsFunc(x.questions, func(q question) bool { return q.pending() && unset(q.text) })
	}
	if x, v := f.committed(l, whole); x != nil {
		l.good, l.complete = v.Data, true
	}
}

// committed returns the newest of the last ten committed versions of the index for which good() returns true, or nil if there is none.
func (f reader) committed(l *loop, good func(*index) bool) (*index, sources.Version) {
	const most = 10
	versions, _ := l.view.History(l.ctx, l.home, l.file("index.md"), most) // without commits, or if git fails, there is no version to use
	for _, v := range versions {
		if x, err := parseIndex(v.Data); err == nil && good(x) && !bytes.Equal(v.Data, l.data) {
			return x, v
		}
	}
	return nil, sources.Version{}
}
