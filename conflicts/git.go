package conflicts

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// askGit lets git merge the sides. The names of the sides matter, because git appends them to files that it moves
// aside and writes them into its conflict markers.
func (a *asked) askGit(ctx context.Context) (clash.Verdict, error) {
	merge := a.early.result
	if a.early == nil {
		merge = func() (past.Merged, error) {
			return a.repo.Merge(ctx, a.arg(ctx, clash.InOurs), a.arg(ctx, clash.InTheirs))
		}
	}
	m, err := merge()
	if err != nil {
		return clash.Verdict{}, err
	}
	v := clash.Verdict{Clean: m.Clean, Result: m.Tree}
	v.Clashes = clashesOf(m)
	readMessages(&v, m.Messages)
	return v, nil
}

// arg returns the name of a side for git's command line. This is the name that the user typed, if git resolves it to the commit that is
// merged. Otherwise it is the commit id.
func (a *asked) arg(ctx context.Context, side int) string {
	id, given, name := a.ours, a.Ours, a.OursName
	if side == clash.InTheirs {
		id, given, name = a.theirs, a.Theirs, a.TheirsName
	}
	if id != given || name == "" || strings.HasPrefix(name, "-") {
		return string(id)
	}
	if c, err := a.repo.Commit(ctx, name); err != nil || c.ID != id {
		return string(id)
	}
	return name
}

// clashesOf groups git's index stages by path, and determines the kind of each conflict.
func clashesOf(m past.Merged) []clash.Clash {
	var out []clash.Clash
	for _, s := range m.Stages {
		if len(out) == 0 || out[len(out)-1].Path != s.Path {
			out = append(out, clash.Clash{Path: s.Path, Listed: s.Path})
		}
		c := &out[len(out)-1]
		c.At[s.Number-1] = object.Version{Mode: s.Mode, ID: s.ID}
		c.Names[s.Number-1] = s.Path
	}
	said := map[string][]string{}
	for _, msg := range m.Messages {
		for _, p := range msg.Paths {
			said[p] = append(said[p], msg.Type)
		}
	}
	for i := range out {
		out[i].Kind = kindOf(out[i].At, said[out[i].Path])
	}
	return out
}

// unclear lists the types of those conflict messages for which git marks no path as conflicting.
var unclear = []string{
	"CONFLICT (file in way of directory rename)",
	"CONFLICT(directory rename collision)",
	"CONFLICT(directory rename unclear split)",
}

// readMessages completes the verdict with information that only git's messages contain, for example which files git
// merged automatically.
func readMessages(v *clash.Verdict, messages []past.Message) {
	for _, m := range messages {
		switch {
		case m.Type == "Auto-merging" && len(m.Paths) > 0:
			bad := slices.ContainsFunc(v.Clashes, func(c clash.Clash) bool { return c.Path == m.Paths[0] })
			if !bad {
				v.Merged = append(v.Merged, m.Paths[0])
			}
		case slices.Contains(unclear, m.Type) && len(m.Paths) > 0:
			text := m.Text
			if _, rest, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(text, "CONFLICT (") {
				text = rest
			}
			v.Doubts = append(v.Doubts, clash.Doubt{Path: m.Paths[0], Text: text, Astray: true})
		}
	}
}

// kindOf determines the kind of a conflict from the types of git's messages and from the three versions. It checks
// rare kinds first, because a renamed file can also have a content conflict.
func kindOf(at [3]object.Version, said []string) clash.Kind {
	has := func(words ...string) bool {
		return slices.ContainsFunc(said, func(t string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(t, "CONFLICT ("+w) })
		})
	}
	switch {
	case has("file/directory"):
		return clash.FileDirectory
	case has("rename/rename"):
		return clash.RenameRename
	case has("rename/delete"):
		return clash.RenameDelete
	case has("directory rename suggested"):
		return clash.DirectoryRename
	case has("distinct modes"), has("distinct types"):
		return clash.TypeKind(at)
	case has("modify/delete"):
		return clash.ModifyDelete
	case has("submodule"):
		return clash.Submodule
	case has("binary"):
		return clash.Binary
	case has("rename involved"):
		return clash.RenameAdd
	}
	return clash.SameTypeKind(at)
}

// nameSides sets the paths of each conflicting file, because a renamed file has different paths on the two sides. If
// a path contains the id of a commit that we made, nameSides replaces the id with the name of the side.
func (a *asked) nameSides(ctx context.Context, v *clash.Verdict) error {
	for i := range v.Clashes {
		c := &v.Clashes[i]
		c.Path = a.rename(c.Path)
		for n := range c.Names {
			c.Names[n] = a.rename(c.Names[n])
		}
		moved, err := a.moved(ctx, c)
		if err != nil || !moved {
			if err != nil {
				return err
			}
			continue
		}
		if a.byOurs == nil {
			if err := a.lookCloser(ctx); err != nil {
				return err
			}
		}
		for n, deltas := range [2][]past.Delta{a.byOurs, a.byTheirs} {
			if now := nameIn(deltas, c.Path, c.At[n+1]); now != "" {
				c.Names[n+1] = now
			}
		}
		a.nameBase(c)
	}
	return nil
}

// The method "moved" reports whether a side has the file under another path than the one that git lists. It looks up at most three paths,
// which is much faster than comparing three trees.
func (a *asked) moved(ctx context.Context, c *clash.Clash) (bool, error) {
	for n, tree := range a.trees {
		if c.At[n].Mode == 0 {
			continue
		}
		_, err := a.repo.Lookup(ctx, tree, c.Path)
		if errors.Is(err, object.ErrMissing) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// nameIn returns the path that a file has on a side. This is the given path if the side changed a file there. Otherwise it is the path of
// a changed file whose new version is v. It is "" if there is no such file.
func nameIn(deltas []past.Delta, path string, v object.Version) (now string) {
	for _, d := range deltas {
		if v.Mode != 0 && d.New.Mode != 0 && d.Path == path {
			return path
		}
		if v.Mode != 0 && d.New == v {
			now = d.Path
		}
	}
	return now
}

// nameBase finds the path that a renamed file has in the base. The side that renamed the file lists this old path as
// deleted.
func (a *asked) nameBase(c *clash.Clash) {
	if c.At[0].Mode == 0 {
		return
	}
	c.Names[0] = c.Path
	for _, deltas := range [][]past.Delta{a.byOurs, a.byTheirs} {
		for _, d := range deltas {
			if d.Old == c.At[0] && d.New.Mode == 0 {
				c.Names[0] = d.Path
			}
			if d.Old == c.At[0] && d.Path == c.Path {
				c.Names[0] = d.Path
				return
			}
		}
	}
}

// rename changes a path such as "file~ID" to "file~NAME", if ID is a commit that we made for one of the sides. NAME is the name of this side.
func (a *asked) rename(path string) string {
	for id, name := range map[object.ID]string{a.ours: a.label(1), a.theirs: a.label(2)} {
		if head, tail, ok := strings.Cut(path, "~"+string(id)); ok {
			return head + "~" + name + tail
		}
	}
	return path
}

// label returns the name that git appends to a side's files when it moves them aside.
func (a *asked) label(side int) string {
	name := a.OursName
	id := a.Ours
	if side == 2 {
		name, id = a.TheirsName, a.Theirs
	}
	if name == "" {
		return string(id)
	}
	return strings.ReplaceAll(name, "/", "_")
}
