package specloop

import (
	"context"
	"path"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Act computes the file changes for the action that the user chose. An answer or a repair changes the index file. Starting fresh or
// cleaning up moves files aside, and changes none of them.
func (s Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	t, ok := v.At(f.Home)
	if !ok {
		return nil, refused
	}
	switch w.Name {
	case sources.Continue, sources.ReviewIt, sources.Hide:
		return nil, nil // no changes, because the workflow system records its own progress when it continues
	case sources.StartFresh, sources.CleanUp:
		return archive(v, f)
	case sources.Answer, sources.Repair:
	default:
		return nil, refused
	}
	if !f.State.Open() || isContext(f) {
		return nil, refused
	}
	one := reader{&feature{ctx: ctx, view: v, id: f.ID, dir: f.Root, trees: []sources.Tree{t}}}
	l, there := one.loop()
	if !there || l.data == nil {
		return nil, refused
	}
	change := sources.Change{Tree: f.Home, Path: l.file("index.md"), Was: l.data}
	if w.Name == sources.Repair {
		change.Now, ok = check(l).repaired()
	} else {
		change.Now, ok = l.withAnswer(w)
	}
	if !ok {
		return nil, refused
	}
	return []sources.Change{change}, nil
}

// archive returns the change that moves the whole folder of the feature aside, or only the context file if the workflow has one. The new
// name contains the current time. The folder must not keep a spec.md, because the next scaffold would be taken for complete.
func archive(v *sources.View, f *sources.Found) ([]sources.Change, error) {
	mark := ".archived-" + v.Now.UTC().Format("20060102T150405Z")
	if isContext(f) {
		to := path.Join(f.Root, ".workflow"+mark)
		from := f.Files[0]
		data, err := (sources.Files{Top: f.Home}).Read(from)
		if err != nil {
			return nil, err
		}
		return []sources.Change{{Tree: f.Home, Path: from, Was: data, To: path.Join(to, path.Base(from))}}, nil
	}
	return []sources.Change{{Tree: f.Home, Path: f.Root, To: path.Join(path.Dir(f.Root), "."+path.Base(f.Root)+mark)}}, nil
}

// isContext reports whether the state of the workflow is in a context file. The workflows after the specification loop have one, the loop
// itself has none.
func isContext(f *sources.Found) bool {
	return len(f.Files) > 0 && strings.HasSuffix(f.Files[0], "context.md")
}
