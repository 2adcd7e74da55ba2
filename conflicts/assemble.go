package conflicts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// report turns an engine's verdict into a report for the caller.
func (a *asked) report(ctx context.Context, engine Engine, v clash.Verdict) (Report, error) {
	out := Report{Engine: engine, Bases: a.bases, Base: a.bases[0], Ours: a.Ours, Theirs: a.Theirs, Clean: v.Clean}
	for _, d := range v.Doubts {
		code := CannotTell
		if d.Astray {
			code = DirectoryUnclear
		}
		out.note(code, Blocking, d.Path, d.Text)
	}
	naming := a.Detail == Whose && len(v.Clashes) > 0
	var behind history
	if naming {
		behind = a.lookBack(ctx)
		defer behind.close()
	}
	for i := range v.Clashes {
		c, note := a.conflict(ctx, v, &v.Clashes[i])
		out.Conflicts = append(out.Conflicts, c)
		if note != nil {
			out.Notes = append(out.Notes, *note)
		}
		if c.Expected {
			out.note(ExpectedConflict, Warning, c.Path, "")
		}
	}
	a.markUncommitted(ctx, v, out.Conflicts)
	if naming {
		a.addCommits(behind, v, &out)
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	a.addNotes(&out, v)
	out.sort()
	return out, nil
}

// conflict turns a clash that the engine found into a Conflict of the report. If the query asks for lines, it also finds the conflicting
// lines. It returns a note if these lines are unknown, or if the engine could not decide about the path.
func (a *asked) conflict(ctx context.Context, v clash.Verdict, c *clash.Clash) (Conflict, *Note) {
	out := Conflict{Path: c.Path, Expected: matchAny(a.Expect, c.Path), Why: c.Why}
	var ours, theirs []Range
	var note *Note
	if a.Detail != Paths {
		var why string
		ours, theirs, why = a.locate(ctx, v, c)
		if why != "" {
			out.Why = why
			note = &Note{PlaceUnknown, Info, c.Path, why}
		}
	}
	if c.Kind == clash.Unknown {
		note = &Note{CannotTell, Blocking, c.Path, c.Why}
	}
	out.Kind = c.Kind
	side := func(i int, ranges []Range) Side {
		return Side{Path: c.Names[i], Version: c.At[i], Ranges: ranges}
	}
	out.Base, out.Ours, out.Theirs = side(clash.InBase, nil), side(clash.InOurs, ours), side(clash.InTheirs, theirs)
	return out, note
}

// addNotes adds findings that are less serious than conflicts.
func (a *asked) addNotes(out *Report, v clash.Verdict) {
	for _, p := range v.Merged {
		out.note(SameFile, Warning, p, "")
	}
	for _, file := range a.left {
		if slices.ContainsFunc(a.byTheirs, func(d past.Delta) bool { return meet(d.Path, strings.TrimSuffix(file, "/")) }) {
			out.Clean = false
			out.note(CannotTell, Blocking, file, "its uncommitted changes were not compared: "+a.unread)
		}
	}
	touched := map[string]bool{}
	for _, p := range v.Merged {
		touched[p] = true
	}
	for _, c := range v.Clashes {
		touched[c.Path] = true
	}
	elsewhere := 0
	for _, d := range a.byTheirs {
		if matchAny(a.Inputs, d.Path) {
			out.note(InputChanged, Warning, d.Path, "")
		}
		if isManifest(d.Path) {
			out.note(ManifestChanged, Warning, d.Path, "")
		}
		if !touched[d.Path] {
			elsewhere++
		}
	}
	if elsewhere > 0 {
		files := "files"
		if elsewhere == 1 {
			files = "file"
		}
		out.note(BaseMoved, Info, "", fmt.Sprintf("the other side changed %d %s that cannot conflict", elsewhere, files))
	}
}

// meet reports whether two paths are the same, or one of them lies below the other.
func meet(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// Touched lists the files that a side changed since a base. It follows renames if the setting
// diff.renames allows it.
func Touched(ctx context.Context, r *gitstate.Repo, base, side object.ID) ([]past.Delta, error) {
	c, err := r.Settings.Config(ctx)
	if err != nil {
		return nil, err
	}
	return past.Diff(ctx, r, base, side, past.DiffOptions{Renames: c.Bool("diff.renames", true)})
}
