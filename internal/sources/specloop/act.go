package specloop

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
)

// Act works out what an alternative changes. An answer is written into the index before anything goes on;
// starting afresh moves the state aside and leaves the specification where it is.
func (s Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	t, ok := v.At(f.Home)
	if !ok {
		return nil, refused
	}
	switch w.Name {
	case sources.Continue, sources.ReviewIt, sources.Hide:
		return nil, nil // the system itself writes what it does
	case sources.StartFresh, sources.CleanUp:
		return archive(v, f)
	case sources.Answer, sources.Repair:
	default:
		return nil, refused
	}
	if !f.State.Open() || isContext(f) {
		return nil, refused
	}
	one := &feature{ctx: ctx, view: v, id: f.ID, dir: f.Root, trees: []sources.Tree{t}}
	l, there := one.loop()
	if !there || l.data == nil {
		return nil, refused
	}
	l.check()
	change := sources.Change{Tree: f.Home, Path: l.file("index.md"), Was: l.data}
	if w.Name == sources.Repair {
		change.Now, ok = l.repaired()
	} else {
		change.Now, ok = l.withAnswer(w)
	}
	if !ok {
		return nil, refused
	}
	return []sources.Change{change}, nil
}

// archive moves the state aside, under a name that says when.
func archive(v *sources.View, f *sources.Found) ([]sources.Change, error) {
	to := path.Join(f.Root, ".workflow.archived-"+v.Now.UTC().Format("20060102T150405Z"))
	if isContext(f) {
		from := f.Files[0]
		data, err := (sources.Files{Top: f.Home}).Read(from)
		if err != nil {
			return nil, err
		}
		return []sources.Change{{Tree: f.Home, Path: from, Was: data, To: path.Join(to, path.Base(from))}}, nil
	}
	return []sources.Change{{Tree: f.Home, Path: path.Join(f.Root, ".workflow"), To: to}}, nil
}

// withAnswer is the index with an answer in it. The gaps stay as they are: that tells that it is not applied yet.
func (l *loop) withAnswer(w sources.Wish) ([]byte, bool) {
	pending := l.pending
	if l.damaged || len(pending) == 0 || cellText(w.Text) == "" {
		return nil, false
	}
	id := pending[0].id
	if w.Task != "" {
		found := false
		for _, q := range pending {
			found = found || q.id == w.Task
		}
		if id = w.Task; !found {
			return nil, false
		}
	}
	p := newPage(l.data)
	if !p.setAnswer(id, w.Text) {
		return nil, false
	}
	p.setField("last activity", l.view.Now.UTC().Format(time.RFC3339))
	return p.bytes(), true
}

// repaired is the index as it must have been: an older version if this one cannot be read,
// else this one with the fields that break the rules set to what the rest says.
func (l *loop) repaired() ([]byte, bool) {
	if l.good != nil {
		return l.good, true
	}
	if l.x == nil || l.torn || len(l.x.says) > 1 || !l.broken && !l.uncounted() && len(l.unmatched()) == 0 {
		return nil, false
	}
	p, mended := newPage(l.data), *l
	if l.broken || l.uncounted() {
		status, iteration, stale := l.likely()
		if !p.setField("loop status", status) {
			return nil, false
		}
		p.putField("current iteration", fmt.Sprintf("%d / %d", iteration, min(l.x.rounds, 10)))
		if l.x.loop["stale count"] != "" {
			p.setField("stale count", fmt.Sprintf("%d / 3", stale))
		}
		x := *l.x
		x.status, mended.x = status, &x // then gaps and questions are held to it too
	}
	for id, status := range mended.unmatched() {
		if !p.setGap(id, status) && !l.broken {
			return nil, false
		}
	}
	p.setField("last activity", l.view.Now.UTC().Format(time.RFC3339))
	return p.bytes(), l.whole(p.bytes())
}

// whole reports whether an index breaks no rule of its protocol.
func (l *loop) whole(data []byte) bool {
	x, err := parseIndex(data)
	if err != nil {
		return false
	}
	quiet := *l.feature // what it finds is told of the index as it is
	again := &loop{feature: &quiet, home: l.home, data: data, x: x}
	again.sort()
	again.check()
	return !again.broken
}

// isContext tells the workflows that follow the loop, whose state is a context file.
func isContext(f *sources.Found) bool {
	return len(f.Files) > 0 && strings.HasSuffix(f.Files[0], "context.md")
}
